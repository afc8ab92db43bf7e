#pragma once
// Where requests come from and results go to. Today a request is read from a CiliumNode; whatever a later
// source reads (a pool object that selects Nodes), the planner sees the same NodeView and the same results
// are written back.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node_view.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::ports {

/// Told of every change, on the loop. The first call is replace_all; until then nothing is known.
class NodeObserver {
 public:
  NodeObserver() = default;
  NodeObserver(const NodeObserver&) = delete;
  NodeObserver& operator=(const NodeObserver&) = delete;
  virtual ~NodeObserver() = default;

  /// The whole list: a node that is not in it is gone.
  virtual void replace_all(std::vector<model::NodeView> nodes) = 0;
  virtual void upsert(model::NodeView node) = 0;
  virtual void erase(const model::NodeName& name) = 0;
};

/// What is to be written about one node; a part that is absent is left as it is.
struct StatusChange {
  std::optional<std::optional<IpAddress>> assigned_static_ip;  // inner nothing: remove
  std::optional<std::string> operator_error;                   // empty: remove
};

/// Something that a person who looks at the node should know.
struct NodeEvent {
  model::NodeName node;
  bool warning = false;
  std::string reason;   // CamelCase, one word
  std::string message;  // one sentence
};

class NodeSource {
 public:
  NodeSource() = default;
  NodeSource(const NodeSource&) = delete;
  NodeSource& operator=(const NodeSource&) = delete;
  virtual ~NodeSource() = default;

  /// Follows the nodes until stopped, whatever happens to the connection.
  virtual Task<void> run(NodeObserver& observer, std::stop_token stop) = 0;

  /// kNotFound where the node has gone.
  virtual Task<Result<void>> write_status(model::NodeName node, StatusChange change, CallLimits limits) = 0;
  virtual Task<Result<void>> record_event(NodeEvent event, CallLimits limits) = 0;
};

}  // namespace berth::ports
