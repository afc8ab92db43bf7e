#include "control/reconciler.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace berth::control {

using model::NodeName;
using model::NodeView;

Reconciler::Reconciler(ports::Clock& clock, const NodeStore& store, AddressBook& book, Executor& executor,
                       StatusWriter& writer, ports::Event& changed, OperatorOptions options)
    : clock_(clock),
      store_(store),
      book_(book),
      executor_(executor),
      writer_(writer),
      changed_(changed),
      options_(options) {}

ports::Task<void> Reconciler::run(std::stop_token stop) {
  std::optional<MonoTime> due;
  while (!stop.stop_requested()) {
    co_await changed_.wait(due, stop);
    changed_.reset();
    if (store_.synced() && !stop.stop_requested()) {
      pass();
    }
    due = executor_.next_due(clock_.mono_now());
    if (const auto writes_due = writer_.next_due(); writes_due && (!due || *writes_due < *due)) {
      due = writes_due;
    }
  }
}

void Reconciler::pass() {
  const MonoTime now = clock_.mono_now();
  note_given();
  look_at_nodes();
  if (const model::Snapshot* snapshot = book_.snapshot();
      snapshot != nullptr && observed_ != snapshot->started) {
    observed_ = snapshot->started;
    executor_.observe(*snapshot);
  }
  believe_statuses();

  const auto reservations = executor_.reservations();
  const auto retry_due = executor_.retry_due(now);
  const auto held = executor_.held(now);
  const plan::StaticIpPlan plan = plan::plan_static_ips({.nodes = store_.nodes(),
                                                         .instances = book_.instances(),
                                                         .addresses = book_.addresses(),
                                                         .reservations = reservations,
                                                         .retry_due = retry_due,
                                                         .busy = executor_.busy(),
                                                         .held = held,
                                                         .remembered = remembered_,
                                                         .given = given_,
                                                         .tickets = tickets_,
                                                         .cloud_problem = book_.problem()},
                                                        options_.policy);
  keep_tickets(plan);
  log_pools(plan);
  for (const plan::NodePlan& node : plan.nodes) {
    if (node.holds) {
      remembered_.insert_or_assign(node.node, *node.holds);
    }
    if (node.standing == plan::Standing::kServed) {
      executor_.forgive(node.node);
    }
    forget_given(node);
    writer_.want(store_.nodes().at(node.node), node);
  }
  executor_.start(plan.actions);
}

void Reconciler::note_given() {
  for (const auto& [node, address] : executor_.take_given()) {
    if (store_.nodes().contains(node)) {
      given_.insert_or_assign(node, address);
      looked_at_.reset();  // its instance matters, even if it asks no more
    }
  }
}

/// Once its status names the address, or the node has nothing of ours any more, the status tells what is
/// ours.
void Reconciler::forget_given(const plan::NodePlan& node) {
  const auto given = given_.find(node.node);
  if (given == given_.end()) {
    return;
  }
  const NodeView& view = store_.nodes().at(node.node);
  const bool named =
      node.holds == given->second && node.assigned && view.assigned_static_ip == *node.assigned;
  const bool nothing_left = node.standing == plan::Standing::kNoRequest && node.assigned;
  if (named || nothing_left) {
    given_.erase(given);
  }
}

void Reconciler::look_at_nodes() {
  if (looked_at_ == store_.version()) {
    return;
  }
  looked_at_ = store_.version();
  forget_the_gone();
  welcome_the_new();
  book_.want_instances(instances_in_question());
}

/// Of nodes that ask, and of nodes that have, or may have, an address of ours although they do not.
std::set<model::InstanceId> Reconciler::instances_in_question() const {
  std::set<model::InstanceId> ids;
  for (const auto& [name, view] : store_.nodes()) {
    if ((view.has_request() || view.assigned_static_ip || given_.contains(name)) &&
        options_.policy.is_instance_id(view.instance.str())) {
      ids.insert(view.instance);
    }
  }
  return ids;
}

/// A status that names an address was written from what the cloud said to a former operator. Where the first
/// snapshots do not show that association, it may be lag: it is believed for a grace, as our own reply would
/// be (R6). Only the status with which this process first sees a node is evidence of that kind.
void Reconciler::believe_statuses() {
  if (book_.addresses() == nullptr) {
    return;
  }
  std::erase_if(status_claims_, [this](const NodeName& name) {
    const NodeView& view = store_.nodes().at(name);
    const auto known = book_.instances().find(view.instance);
    if (known == book_.instances().end()) {
      return !view.assigned_static_ip.has_value();
    }
    if (view.assigned_static_ip && known->second && known->second->target) {
      believe(view, *known->second->target);
    }
    return true;
  });
}

void Reconciler::believe(const NodeView& view, const model::Target& target) {
  const auto& addresses = *book_.addresses();
  const auto named = std::ranges::lower_bound(addresses, *view.assigned_static_ip, {}, &model::Address::ip);
  const bool is_free =
      named != addresses.end() && named->ip == *view.assigned_static_ip && !named->association;
  const bool target_holds_another = std::ranges::any_of(addresses, [&target](const model::Address& address) {
    return address.association && address.association->target == target;
  });
  if (is_free && !target_holds_another) {
    const model::AllocationId id = named->id;
    book_.associated(id, {.id = {}, .target = target, .instance = view.instance}, MonoTime::min());
  }
}

/// R8: who asks first is first in line, until it is served or asks no more. Those who begin at once (a
/// restart) are in order of creation, then name.
void Reconciler::keep_tickets(const plan::StaticIpPlan& plan) {
  std::vector<const NodeView*> new_askers;
  for (const plan::NodePlan& node : plan.nodes) {
    if (node.standing == plan::Standing::kServed || node.standing == plan::Standing::kNoRequest) {
      tickets_.erase(node.node);
    } else if (node.in_line && !tickets_.contains(node.node)) {
      new_askers.push_back(&store_.nodes().at(node.node));
    }
  }
  std::ranges::sort(new_askers, {},
                    [](const NodeView* view) { return std::tuple(view->created, view->name); });
  for (const NodeView* view : new_askers) {
    tickets_.emplace(view->name, ++last_ticket_);
  }
}

void Reconciler::log_pools(const plan::StaticIpPlan& plan) {
  for (const auto& [tags, count] : plan.matching) {
    const auto logged = logged_pools_.find(tags);
    if (logged == logged_pools_.end() || logged->second != count) {
      const std::string text = model::to_string(tags);
      logger_.info(fmt::format("Found {} EIPs corresponding to tags {}", count, text),
                   {{"eips", std::to_string(count)}, {"tags", text}});
    }
  }
  logged_pools_ = plan.matching;
}

void Reconciler::forget_the_gone() {
  for (auto name = known_.begin(); name != known_.end();) {
    if (store_.nodes().contains(*name)) {
      ++name;
      continue;
    }
    writer_.forget(*name);
    executor_.forgive(*name);
    status_claims_.erase(*name);
    remembered_.erase(*name);
    given_.erase(*name);
    tickets_.erase(*name);
    name = known_.erase(name);
  }
}

void Reconciler::welcome_the_new() {
  for (const auto& [name, view] : store_.nodes()) {
    if (known_.insert(name).second && view.assigned_static_ip) {
      status_claims_.insert(name);
    }
  }
}

}  // namespace berth::control
