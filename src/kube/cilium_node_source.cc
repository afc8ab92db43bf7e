#include "kube/cilium_node_source.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "kube/cilium_node_codec.h"
#include "kube/node_join.h"

namespace berth::kube {
namespace {

using boost::json::object;
using ports::CallLimits;
using ports::Task;

ports::ResourceType cilium_nodes_type() {
  return {.group = "cilium.io", .version = "v2", .plural = "ciliumnodes"};
}

InformerOptions follow_cilium_nodes() {
  return {.collection = {.type = cilium_nodes_type()},
          .noun = "CiliumNodes",
          .forbidden =
              "Allow the service account to get, list and watch ciliumnodes.cilium.io, and to patch "
              "ciliumnodes/status, with a ClusterRole and ClusterRoleBinding.",
          .not_found =
              "Is Cilium installed? The CustomResourceDefinition ciliumnodes.cilium.io (version v2) "
              "is missing.",
          .trim = trim_cilium_node};
}

InformerOptions follow_nodes() {
  return {.collection = {.type = {.group = "", .version = "v1", .plural = "nodes"}},
          .noun = "Nodes",
          .forbidden =
              "Allow the service account to get, list and watch nodes, with a ClusterRole and "
              "ClusterRoleBinding.",
          .not_found = "Is this the address of a Kubernetes API?",
          .trim = trim_node};
}

/// Decodes what an informer brings and hands it to the join.
template <class Decoded>
class Decoder final : public ObjectObserver {
 public:
  using Decode = std::optional<Decoded> (*)(const object&);

  Decoder(NodeJoin& join, Decode decode) : join_(join), decode_(decode) {}

  void replace_all(std::vector<object> objects) override {
    const bool was_complete = join_.complete();
    std::vector<Decoded> all;
    all.reserve(objects.size());
    for (const object& one : objects) {
      if (auto decoded = decode(one)) {
        all.push_back(*std::move(decoded));
      }
    }
    join_.replace(std::move(all));
    if (!was_complete && join_.complete()) {
      log_.info("The cluster is known", {{"ciliumnodes", std::to_string(join_.size())}});
    }
  }

  void upsert(object object) override {
    if (auto decoded = decode(object)) {
      join_.upsert(*std::move(decoded));
    }
  }

  void erase(object object) override {
    if (const auto decoded = decode(object)) {
      join_.erase(*decoded);
    }
  }

 private:
  std::optional<Decoded> decode(const object& one) const {
    auto decoded = decode_(one);
    if (!decoded) {
      log_.warning("A CiliumNode or Node without metadata.name is left out");
    }
    return decoded;
  }

  NodeJoin& join_;
  Decode decode_;
  Logger log_{"kube"};
};

}  // namespace

CiliumNodeSource::CiliumNodeSource(Client& client, ports::Clock& clock, Prng& prng, std::string component)
    : api_(client),
      cilium_nodes_(follow_cilium_nodes(), client, clock, prng),
      nodes_(follow_nodes(), client, clock, prng),
      events_(client, clock, std::move(component)) {}

Task<void> CiliumNodeSource::run(ports::NodeObserver& observer, std::stop_token stop) {
  NodeJoin join(observer);
  Decoder<model::NodeView> views(join, decode_cilium_node);
  Decoder<NodeFacts> facts(join, decode_node);
  ports::TaskScope both;
  both.spawn(cilium_nodes_.run(views, stop));
  both.spawn(nodes_.run(facts, stop));
  co_await both.join();
}

Task<Result<void>> CiliumNodeSource::write_status(model::NodeName node, ports::StatusChange change,
                                                  CallLimits limits) {
  if (!change.assigned_static_ip && !change.operator_error) {
    co_return Result<void>();
  }
  ports::ObjectRef ref{.type = cilium_nodes_type(), .name = node.str()};
  auto patched = co_await api_.merge_patch(std::move(ref), "status", status_patch(change), std::move(limits));
  if (!patched) {
    co_return std::move(patched).error();
  }
  co_return Result<void>();
}

Task<Result<void>> CiliumNodeSource::record_event(ports::NodeEvent event, CallLimits limits) {
  co_return co_await events_.record(std::move(event), std::move(limits));
}

object status_patch(const ports::StatusChange& change) {
  // RFC 7386: an empty object in a patch makes an empty object where there is none and changes nothing where
  // there is one; null removes.
  object operator_status;
  if (change.operator_error) {
    operator_status["error"] = change.operator_error->empty() ? boost::json::value(nullptr)
                                                              : boost::json::value(*change.operator_error);
  }
  object ipam;
  if (change.assigned_static_ip) {
    const auto& address = *change.assigned_static_ip;
    ipam["assigned-static-ip"] =
        address ? boost::json::value(address->to_string()) : boost::json::value(nullptr);
  }
  ipam["operator-status"] = std::move(operator_status);
  return {{"status", {{"ipam", std::move(ipam)}}}};
}

}  // namespace berth::kube
