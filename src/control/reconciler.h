#pragma once
// The control loop: whenever anything changed, look at the world as it is, plan for all nodes at once, start
// what the plan wants done, and say what it says. It does not care what changed.

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/log.h"
#include "control/address_book.h"
#include "control/executor.h"
#include "control/node_store.h"
#include "control/options.h"
#include "control/status_writer.h"
#include "plan/static_ip.h"
#include "ports/event.h"

namespace berth::control {

class Reconciler {
 public:
  Reconciler(ports::Clock& clock, const NodeStore& store, AddressBook& book, Executor& executor,
             StatusWriter& writer, ports::Event& changed, OperatorOptions options);

  ports::Task<void> run(std::stop_token stop);

 private:
  void pass();
  void look_at_nodes();
  void note_given();
  void forget_given(const plan::NodePlan& node);
  std::set<model::InstanceId> instances_in_question() const;
  void believe_statuses();
  void believe(const model::NodeView& view, const model::Target& target);
  void keep_tickets(const plan::StaticIpPlan& plan);
  void log_pools(const plan::StaticIpPlan& plan);
  void forget_the_gone();
  void welcome_the_new();

  ports::Clock& clock_;
  const NodeStore& store_;
  AddressBook& book_;
  Executor& executor_;
  StatusWriter& writer_;
  ports::Event& changed_;
  OperatorOptions options_;
  Logger logger_{"operator"};

  std::optional<MonoTime> observed_;        // start of the snapshot that the executor saw last
  std::optional<std::uint64_t> looked_at_;  // version of the nodes
  std::set<model::NodeName> known_;         // nodes of the last pass
  // Nodes that came with an address in their status, and nothing is known of it yet.
  std::set<model::NodeName> status_claims_;
  std::map<model::NodeName, model::AllocationId> remembered_;
  // By our own calls, and not yet named by a status that we have seen.
  std::map<model::NodeName, model::AllocationId> given_;
  std::map<model::NodeName, std::uint64_t> tickets_;
  std::uint64_t last_ticket_ = 0;
  std::map<model::TagMap, std::size_t> logged_pools_;
};

}  // namespace berth::control
