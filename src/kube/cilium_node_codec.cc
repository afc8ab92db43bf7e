#include "kube/cilium_node_codec.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kube/json.h"

namespace berth::kube {
namespace {

using boost::json::object;
using boost::json::value;

/// Walks an object and keeps the first thing that is not as it should be.
class Fields {
 public:
  explicit Fields(std::string kind) : kind_(std::move(kind)) {}

  const std::string& problem() const { return problem_; }

  /// Null where it is absent.
  const object* map(const object* parent, std::string_view key, const std::string& path) {
    const value* found = find(parent, key);
    if (found != nullptr && !found->is_object()) {
      complain(path, *found, "an object");
      return nullptr;
    }
    return found == nullptr ? nullptr : &found->get_object();
  }

  std::string text(const object* parent, std::string_view key, const std::string& path) {
    const value* found = find(parent, key);
    if (found == nullptr) {
      return "";
    }
    if (!found->is_string()) {
      complain(path, *found, "a string");
      return "";
    }
    return {found->get_string().data(), found->get_string().size()};
  }

  WallTime time(const object* parent, std::string_view key, const std::string& path) {
    const std::string written = text(parent, key, path);
    const auto time = parse_rfc3339(written);
    if (!time && !written.empty() && problem_.empty()) {
      problem_ = fmt::format("{} of the {} is \"{}\", expected a time like 2026-01-31T12:00:00Z", path, kind_,
                             excerpt(written));
    }
    return time.value_or(WallTime{});
  }

  model::TagMap tags(const object* parent, std::string_view key, const std::string& path) {
    model::TagMap tags;
    const object* found = map(parent, key, path);
    if (found == nullptr) {
      return tags;
    }
    for (const auto& entry : *found) {
      const std::string name(entry.key().data(), entry.key().size());
      if (entry.value().is_string()) {
        tags[name] = std::string(entry.value().get_string().data(), entry.value().get_string().size());
      } else {
        complain(fmt::format("{}[\"{}\"]", path, excerpt(name)), entry.value(), "a string");
      }
    }
    return tags;
  }

 private:
  static const value* find(const object* parent, std::string_view key) {
    const value* found = parent == nullptr ? nullptr : parent->if_contains({key.data(), key.size()});
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  void complain(const std::string& path, const value& found, std::string_view expected) {
    if (problem_.empty()) {
      problem_ = fmt::format("{} of the {} is {}, expected {}", path, kind_, type_of(found), expected);
    }
  }

  std::string kind_;
  std::string problem_;
};

void read_spec(Fields& fields, const object& node, model::NodeView& view) {
  const object* spec = fields.map(&node, "spec", "spec");
  view.instance = model::InstanceId(fields.text(spec, "instance-id", "spec.instance-id"));
  const object* ipam = fields.map(spec, "ipam", "spec.ipam");
  view.static_ip_tags = fields.tags(ipam, "static-ip-tags", "spec.ipam.static-ip-tags");
}

void read_status(Fields& fields, const object& node, model::NodeView& view) {
  const object* status = fields.map(&node, "status", "status");
  const object* ipam = fields.map(status, "ipam", "status.ipam");
  const std::string assigned = fields.text(ipam, "assigned-static-ip", "status.ipam.assigned-static-ip");
  view.assigned_static_ip = IpAddress::parse(assigned);
  view.assigned_is_garbage = !assigned.empty() && !view.assigned_static_ip;
  const object* operator_status = fields.map(ipam, "operator-status", "status.ipam.operator-status");
  view.operator_error = fields.text(operator_status, "error", "status.ipam.operator-status.error");
}

/// A copy of `object` with only these paths of it.
object only(const object& from, std::initializer_list<JsonPath> paths) {
  object kept;
  for (const JsonPath path : paths) {
    const object* source = &from;
    object* target = &kept;
    for (const std::string_view* key = path.begin(); key != path.end(); ++key) {
      const value* found = source->if_contains({key->data(), key->size()});
      if (found == nullptr) {
        break;
      }
      value& inner = (*target)[{key->data(), key->size()}];
      if (key + 1 == path.end() || !found->is_object()) {
        inner = *found;  // a wrong type is kept: decoding tells about it
        break;
      }
      source = &found->get_object();
      target = inner.is_object() ? &inner.get_object() : &inner.emplace_object();
    }
  }
  return kept;
}

}  // namespace

std::optional<model::NodeView> decode_cilium_node(const object& object) {
  const std::string name = string_at(object, {"metadata", "name"});
  if (name.empty()) {
    return std::nullopt;
  }
  model::NodeView view;
  view.name = model::NodeName(name);
  Fields fields("CiliumNode");
  const auto* metadata = fields.map(&object, "metadata", "metadata");
  view.uid = fields.text(metadata, "uid", "metadata.uid");
  view.created = fields.time(metadata, "creationTimestamp", "metadata.creationTimestamp");
  model::NodeView read = view;
  read_spec(fields, object, read);
  read_status(fields, object, read);
  if (fields.problem().empty()) {
    return read;
  }
  view.undecodable = fields.problem();  // half of a request is no request
  view.assigned_static_ip = read.assigned_static_ip;
  view.assigned_is_garbage = read.assigned_is_garbage;
  view.operator_error = std::move(read.operator_error);
  return view;
}

std::optional<NodeFacts> decode_node(const object& object) {
  const std::string name = string_at(object, {"metadata", "name"});
  if (name.empty()) {
    return std::nullopt;
  }
  Fields fields("Node");
  const auto* spec = fields.map(&object, "spec", "spec");
  NodeFacts facts{.name = model::NodeName(name),
                  .provider_id = fields.text(spec, "providerID", "spec.providerID"),
                  .undecodable = ""};
  facts.undecodable = fields.problem();
  return facts;
}

void trim_cilium_node(object& object) {
  object = only(object, {{"metadata", "name"},
                         {"metadata", "uid"},
                         {"metadata", "creationTimestamp"},
                         {"metadata", "resourceVersion"},
                         {"spec", "instance-id"},
                         {"spec", "ipam", "static-ip-tags"},
                         {"status", "ipam", "assigned-static-ip"},
                         {"status", "ipam", "operator-status"}});
}

void trim_node(object& object) {
  object = only(object, {{"metadata", "name"}, {"metadata", "resourceVersion"}, {"spec", "providerID"}});
}

}  // namespace berth::kube
