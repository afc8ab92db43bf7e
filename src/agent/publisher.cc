#include "agent/publisher.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/node_spec.h"

namespace berth::agent {
namespace {

namespace json = boost::json;

/// A conflict means that another writer came between a read and a write, or that the object came or went
/// meanwhile. That often in a row, somebody else is writing all the time, and a pause serves better.
constexpr int kConflictTries = 5;

ports::ResourceType cilium_nodes() {
  return {.group = "cilium.io", .version = "v2", .plural = "ciliumnodes"};
}
ports::ObjectRef cilium_node(const std::string& name) { return {.type = cilium_nodes(), .name = name}; }
ports::ObjectRef node(const std::string& name) {
  return {.type = {.group = "", .version = "v1", .plural = "nodes"}, .name = name};
}

bool is_race(const Error& error) {
  return error.kind == ErrorKind::kConflict || error.kind == ErrorKind::kNotFound;
}

}  // namespace

ports::Task<Result<Written>> Publisher::publish(json::object desired, ports::CallLimits limits) {
  const Result<json::object> owner = co_await fetch_owner(limits);
  if (!owner) {
    co_return owner.error();
  }
  std::optional<Error> race;
  for (int tries = 0; tries < kConflictTries; ++tries) {
    Result<Written> written = co_await publish_once(desired, *owner, limits);
    if (written || !is_race(written.error())) {
      co_return written;
    }
    race = written.error();
  }
  co_return *race;
}

ports::Task<Result<json::object>> Publisher::fetch_owner(ports::CallLimits limits) {
  const Result<json::object> found = co_await kube_.get(node(node_name_), limits);
  if (!found && found.error().kind == ErrorKind::kNotFound) {
    co_return Error{.kind = ErrorKind::kNotFound,
                    .operation = "get Node " + node_name_,
                    .detail =
                        "there is no Node of this name yet, and a CiliumNode needs its uid; waiting for the "
                        "kubelet to register it (is --node-name right?)"};
  }
  if (!found) {
    co_return found.error();
  }
  const std::string uid = string_at(*found, {"metadata", "uid"});
  if (uid.empty()) {
    co_return Error{.kind = ErrorKind::kInternal,
                    .operation = "get Node " + node_name_,
                    .detail = "the API server's answer has no metadata.uid"};
  }
  co_return owner_reference(node_name_, uid);
}

ports::Task<Result<Written>> Publisher::publish_once(json::object desired, json::object owner,
                                                     ports::CallLimits limits) {
  Result<json::object> current = co_await kube_.get(cilium_node(node_name_), limits);
  if (current) {
    co_return co_await correct(*std::move(current), std::move(desired), std::move(owner), limits);
  }
  if (current.error().kind != ErrorKind::kNotFound) {
    co_return current.error();
  }
  co_return co_await create(std::move(desired), std::move(owner), limits);
}

ports::Task<Result<Written>> Publisher::create(json::object desired, json::object owner,
                                               ports::CallLimits limits) {
  const Result<json::object> created =
      co_await kube_.create(cilium_nodes(), "", new_cilium_node(node_name_, owner, desired), limits);
  if (!created && created.error().kind == ErrorKind::kNotFound) {
    // Not a race: the collection itself is missing.
    co_return Error{.kind = ErrorKind::kUnavailable,
                    .operation = "create CiliumNode " + node_name_,
                    .detail =
                        "the API server does not know the type ciliumnodes.cilium.io; install its "
                        "CustomResourceDefinition"};
  }
  if (!created) {
    co_return created.error();
  }
  if (const Result<void> kept = check_kept(*created, desired); !kept) {
    co_return kept.error();
  }
  co_return Written{.created = true, .paths = {}};
}

ports::Task<Result<Written>> Publisher::correct(json::object current, json::object desired,
                                                json::object owner, ports::CallLimits limits) {
  Written written;
  const std::optional<json::object> of_spec = spec_patch(current, desired);
  if (of_spec) {
    written.paths = patched_paths(*of_spec);
    Result<json::object> after = co_await kube_.merge_patch(cilium_node(node_name_), "", *of_spec, limits);
    if (!after) {
      co_return after.error();
    }
    current = *std::move(after);
  }
  if (const std::optional<json::object> of_owner = owner_patch(current, owner); of_owner) {
    written.paths.emplace_back("metadata.ownerReferences");
    Result<json::object> after = co_await kube_.merge_patch(cilium_node(node_name_), "", *of_owner, limits);
    if (!after) {
      co_return after.error();
    }
    current = *std::move(after);
  }
  if (const Result<void> kept = check_kept(current, desired); !kept) {
    co_return kept.error();
  }
  co_return written;
}

/// An API server leaves out, without a word, what its CustomResourceDefinition does not know, and then says
/// that all went well. Whoever asked for a static IP would wait for ever.
Result<void> Publisher::check_kept(const json::object& now, const json::object& desired) const {
  const std::optional<json::object> missing = spec_patch(now, desired);
  if (!missing) {
    return {};
  }
  return Error{
      .kind = ErrorKind::kInvalid,
      .operation = "publish CiliumNode " + node_name_,
      .detail = fmt::format("the API server took the object and did not keep {}; its "
                            "CustomResourceDefinition ciliumnodes.cilium.io is older than that field: "
                            "install the current one",
                            fmt::join(patched_paths(*missing), ", "))};
}

}  // namespace berth::agent
