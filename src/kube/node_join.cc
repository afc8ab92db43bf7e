#include "kube/node_join.h"

#include <utility>

namespace berth::kube {

void NodeJoin::replace(std::vector<model::NodeView> views) {
  views_.clear();
  for (model::NodeView& view : views) {
    model::NodeName name = view.name;
    views_.insert_or_assign(std::move(name), std::move(view));
  }
  has_views_ = true;
  tell_all();
}

void NodeJoin::upsert(model::NodeView view) {
  const model::NodeName name = view.name;
  views_.insert_or_assign(name, std::move(view));
  tell(name);
}

void NodeJoin::erase(const model::NodeView& last) {
  views_.erase(last.name);
  tell(last.name);
}

void NodeJoin::replace(std::vector<NodeFacts> facts) {
  facts_.clear();
  for (NodeFacts& one : facts) {
    model::NodeName name = one.name;
    facts_.insert_or_assign(std::move(name), std::move(one));
  }
  has_facts_ = true;
  tell_all();
}

void NodeJoin::upsert(NodeFacts facts) {
  const model::NodeName name = facts.name;
  facts_.insert_or_assign(name, std::move(facts));
  tell(name);
}

void NodeJoin::erase(const NodeFacts& last) {
  facts_.erase(last.name);
  tell(last.name);
}

model::NodeView NodeJoin::joined(const model::NodeView& view) const {
  const auto facts = facts_.find(view.name);
  if (facts == facts_.end() || !view.undecodable.empty()) {
    return view;
  }
  if (!facts->second.undecodable.empty()) {
    return {.name = view.name,
            .uid = view.uid,
            .created = view.created,
            .instance = {},
            .provider_id = "",
            .static_ip_tags = {},
            .assigned_static_ip = std::nullopt,
            .operator_error = "",
            .undecodable = facts->second.undecodable};
  }
  model::NodeView both = view;
  both.provider_id = facts->second.provider_id;
  return both;
}

void NodeJoin::tell_all() {
  if (!complete()) {
    return;
  }
  std::map<model::NodeName, model::NodeView> now;
  for (const auto& [name, view] : views_) {
    now.emplace(name, joined(view));
  }
  const std::map<model::NodeName, model::NodeView> before = std::exchange(told_, now);
  if (!std::exchange(first_told_, true)) {
    std::vector<model::NodeView> all;
    all.reserve(now.size());
    for (auto& [name, view] : now) {
      all.push_back(std::move(view));
    }
    observer_.replace_all(std::move(all));
    return;
  }
  for (const auto& [name, view] : before) {
    if (!now.contains(name)) {
      observer_.erase(name);
    }
  }
  for (const auto& [name, view] : now) {
    const auto known = before.find(name);
    if (known == before.end() || known->second != view) {
      observer_.upsert(view);
    }
  }
}

void NodeJoin::tell(const model::NodeName& name) {
  if (!complete()) {
    return;
  }
  const auto view = views_.find(name);
  const auto known = told_.find(name);
  if (view == views_.end()) {
    if (known != told_.end()) {
      told_.erase(known);
      observer_.erase(name);
    }
    return;
  }
  model::NodeView now = joined(view->second);
  if (known == told_.end() || known->second != now) {
    told_.insert_or_assign(name, now);
    observer_.upsert(std::move(now));
  }
}

}  // namespace berth::kube
