#include "control/node_store.h"

#include <utility>

namespace berth::control {

void NodeStore::replace_all(std::vector<model::NodeView> nodes) {
  nodes_.clear();
  for (model::NodeView& node : nodes) {
    nodes_.insert_or_assign(node.name, std::move(node));
  }
  synced_ = true;
  note_change();
}

void NodeStore::upsert(model::NodeView node) {
  const model::NodeName name = node.name;
  nodes_.insert_or_assign(name, std::move(node));
  note_change();
}

void NodeStore::erase(const model::NodeName& name) {
  if (nodes_.erase(name) > 0) {
    note_change();
  }
}

void NodeStore::note_change() {
  ++version_;
  changed_.set();
}

}  // namespace berth::control
