#pragma once
// The nodes as they were told last. It decides nothing: a change only says "look again".

#include <cstdint>
#include <map>

#include "model/node_view.h"
#include "ports/event.h"
#include "ports/node_source.h"

namespace berth::control {

class NodeStore final : public ports::NodeObserver {
 public:
  /// `changed` is set at every change.
  explicit NodeStore(ports::Event& changed) : changed_(changed) {}

  void replace_all(std::vector<model::NodeView> nodes) override;
  void upsert(model::NodeView node) override;
  void erase(const model::NodeName& name) override;

  /// Whether the whole list has been told once; before that, absence means nothing.
  bool synced() const { return synced_; }
  const std::map<model::NodeName, model::NodeView>& nodes() const { return nodes_; }
  /// Another number after every change.
  std::uint64_t version() const { return version_; }

 private:
  void note_change();

  ports::Event& changed_;
  bool synced_ = false;
  std::uint64_t version_ = 0;
  std::map<model::NodeName, model::NodeView> nodes_;
};

}  // namespace berth::control
