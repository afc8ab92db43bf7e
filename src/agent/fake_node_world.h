#pragma once
// For tests: what surrounds one agent, with state and failures to order. A Kubernetes API that keeps objects
// and applies merge patches as RFC 7386 says, a disk, and an instance.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "ports/files.h"
#include "ports/instance_metadata.h"
#include "ports/kube_api.h"

namespace berth::agent {

/// Folders are what lies before a slash in a path, and those that were made.
class FakeFiles final : public ports::Files {
 public:
  std::map<std::string, std::string> files;
  std::set<std::string> empty_folders;
  std::map<std::string, Error> unreadable;

  Result<std::string> read(const std::string& path) const override {
    if (const auto fault = unreadable.find(path); fault != unreadable.end()) {
      return fault->second;
    }
    const auto found = files.find(path);
    if (found == files.end()) {
      return Error{.kind = ErrorKind::kNotFound, .operation = "read " + path, .detail = "no such file"};
    }
    return found->second;
  }

  bool is_folder(const std::string& path) const override {
    return empty_folders.contains(path) || std::ranges::any_of(files, [&path](const auto& file) {
             return file.first.starts_with(path + "/");
           });
  }

  Result<std::vector<std::string>> list(const std::string& folder) const override {
    std::set<std::string> names;
    for (const auto& [path, bytes] : files) {
      if (path.starts_with(folder + "/")) {
        const std::string rest = path.substr(folder.size() + 1);
        names.insert(rest.substr(0, rest.find('/')));
      }
    }
    return std::vector<std::string>(names.begin(), names.end());
  }
};

class FakeInstanceMetadata final : public ports::InstanceMetadata {
 public:
  ports::InstanceFacts facts{.instance = model::InstanceId("i-0123456789abcdef0"),
                             .instance_type = "m5.large",
                             .region = "us-east-1",
                             .availability_zone = "us-east-1a",
                             .vpc_id = "vpc-1",
                             .subnet_id = "subnet-1"};
  std::optional<Error> error;
  int calls = 0;

  ports::Task<Result<ports::InstanceFacts>> fetch(ports::CallLimits /*limits*/) override {
    ++calls;
    if (error) {
      co_return *error;
    }
    co_return facts;
  }
};

inline void apply_merge_patch(boost::json::value& target, const boost::json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
    target = boost::json::object{};
  }
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null()) {
      target.get_object().erase(key);
    } else {
      apply_merge_patch(target.get_object()[key], value);
    }
  }
}

class FakeKubeApi final : public ports::KubeApi {
 public:
  std::map<std::string, boost::json::object> objects;   // "ciliumnodes/node-1"
  std::vector<std::string> calls;                       // "patch ciliumnodes/node-1 {…}"
  std::deque<Error> next_errors;                        // of the next calls, in turn
  std::optional<Error> down;                            // of every call
  std::function<void(const std::string& call)> before;  // what somebody else does just before a call
  std::set<std::string> pruned_of_ipam;                 // keys that the type does not know
  std::optional<MonoTime> latest_deadline;              // of the calls so far

  boost::json::object& put(const std::string& key, std::string_view json) {
    objects[key] = boost::json::parse({json.data(), json.size()}).as_object();
    touch(objects[key]);
    return objects[key];
  }

  std::size_t writes() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(calls, [](const std::string& call) { return !call.starts_with("get "); }));
  }

  ports::Task<Result<boost::json::object>> get(ports::ObjectRef ref, ports::CallLimits limits) override {
    latest_deadline = std::max(latest_deadline, std::optional(limits.deadline));
    const std::string key = ref.type.plural + "/" + ref.name;
    if (std::optional<Error> error = start("get " + key)) {
      co_return *error;
    }
    co_return found(key);
  }

  ports::Task<Result<boost::json::object>> create(ports::ResourceType type, std::string /*space*/,
                                                  boost::json::object object,
                                                  ports::CallLimits limits) override {
    latest_deadline = std::max(latest_deadline, std::optional(limits.deadline));
    const boost::json::value whole = object;
    const std::string key = type.plural + "/" + std::string(whole.at("metadata").at("name").as_string());
    if (std::optional<Error> error = start("create " + key)) {
      co_return *error;
    }
    if (objects.contains(key)) {
      co_return Error{
          .kind = ErrorKind::kConflict, .operation = "create " + key, .detail = "it exists already"};
    }
    objects[key] = std::move(object);
    touch(objects[key]);
    co_return found(key);
  }

  ports::Task<Result<boost::json::object>> merge_patch(ports::ObjectRef ref, std::string /*subresource*/,
                                                       boost::json::object patch,
                                                       ports::CallLimits limits) override {
    latest_deadline = std::max(latest_deadline, std::optional(limits.deadline));
    const std::string key = ref.type.plural + "/" + ref.name;
    if (std::optional<Error> error = start("patch " + key + " " + boost::json::serialize(patch))) {
      co_return *error;
    }
    if (!objects.contains(key)) {
      co_return found(key);
    }
    boost::json::value object = objects[key];
    if (const boost::json::value* metadata = patch.if_contains("metadata")) {
      const boost::json::value* version = metadata->as_object().if_contains("resourceVersion");
      if (version != nullptr && *version != object.at("metadata").at("resourceVersion")) {
        co_return Error{
            .kind = ErrorKind::kConflict, .operation = "patch " + key, .detail = "it has been modified"};
      }
    }
    apply_merge_patch(object, patch);
    objects[key] = object.as_object();
    touch(objects[key]);
    co_return found(key);
  }

 private:
  std::optional<Error> start(const std::string& call) {
    calls.push_back(call);
    if (before) {
      before(call);
    }
    if (down) {
      return down;
    }
    if (next_errors.empty()) {
      return std::nullopt;
    }
    Error error = std::move(next_errors.front());
    next_errors.pop_front();
    return error;
  }

  Result<boost::json::object> found(const std::string& key) const {
    const auto object = objects.find(key);
    if (object == objects.end()) {
      return Error{.kind = ErrorKind::kNotFound, .operation = "get " + key, .detail = "not found"};
    }
    return object->second;
  }

  void touch(boost::json::object& object) {
    if (!object.contains("metadata")) {
      object["metadata"] = boost::json::object{};
    }
    object["metadata"].get_object()["resourceVersion"] = std::to_string(++version_);
    if (boost::json::value* spec = object.if_contains("spec");
        spec != nullptr && spec->as_object().contains("ipam")) {
      for (const std::string& key : pruned_of_ipam) {
        spec->at("ipam").as_object().erase(key);
      }
    }
  }

  int version_ = 0;
};

}  // namespace berth::agent
