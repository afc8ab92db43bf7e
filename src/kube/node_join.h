#pragma once
// Joins CiliumNodes and Nodes by name into NodeViews, and tells an observer what has changed of a *view*: a
// change of anything else in an object is no change. Says nothing until both lists have been there once.

#include <map>
#include <string>
#include <vector>

#include "kube/cilium_node_codec.h"
#include "model/node_view.h"
#include "ports/node_source.h"

namespace berth::kube {

class NodeJoin {
 public:
  explicit NodeJoin(ports::NodeObserver& observer) : observer_(observer) {}

  // CiliumNodes. The views come without what a Node adds.
  void replace(std::vector<model::NodeView> views);
  void upsert(model::NodeView view);
  void erase(const model::NodeView& last);

  // Nodes. A Node without a CiliumNode is remembered and not told.
  void replace(std::vector<NodeFacts> facts);
  void upsert(NodeFacts facts);
  void erase(const NodeFacts& last);

  bool complete() const { return has_views_ && has_facts_; }
  std::size_t size() const { return views_.size(); }

 private:
  model::NodeView joined(const model::NodeView& view) const;
  void tell_all();
  void tell(const model::NodeName& name);

  ports::NodeObserver& observer_;
  std::map<model::NodeName, model::NodeView> views_;
  std::map<model::NodeName, NodeFacts> facts_;
  std::map<model::NodeName, model::NodeView> told_;  // what the observer knows
  bool has_views_ = false;
  bool has_facts_ = false;
  bool first_told_ = false;
};

}  // namespace berth::kube
