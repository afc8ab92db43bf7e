#pragma once
// NodeSource of a cluster with CiliumNodes: requests are read from spec.ipam.static-ip-tags, results go to
// status.ipam. What is written is a merge patch of exactly our own keys (R17); Events are about the Node.

#include <stop_token>
#include <string>

#include "base/prng.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/informer.h"
#include "ports/clock.h"
#include "ports/node_source.h"

namespace berth::kube {

class CiliumNodeSource final : public ports::NodeSource {
 public:
  /// All outlive the source. `component` signs the Events: "berth-operator".
  CiliumNodeSource(Client& client, ports::Clock& clock, Prng& prng, std::string component);

  /// Called once.
  ports::Task<void> run(ports::NodeObserver& observer, std::stop_token stop) override;

  ports::Task<Result<void>> write_status(model::NodeName node, ports::StatusChange change,
                                         ports::CallLimits limits) override;
  ports::Task<Result<void>> record_event(ports::NodeEvent event, ports::CallLimits limits) override;

 private:
  ports::KubeApi& api_;
  Informer cilium_nodes_;
  Informer nodes_;
  EventRecorder events_;
};

/// The merge patch of one change (R17). `operator-status` is always there, at least empty: a node that is
/// well shows "operator-status": {}.
boost::json::object status_patch(const ports::StatusChange& change);

}  // namespace berth::kube
