#pragma once
// The only one that changes anything in the cloud. It reserves before it calls (R4), tells the address book
// what the cloud answered, and holds back a node whose call failed until its next try is due (R11, R13). It
// decides nothing: what to do comes from the planner, and what is not started now is planned again.

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/prng.h"
#include "control/address_book.h"
#include "control/options.h"
#include "mechanism/backoff.h"
#include "mechanism/reservations.h"
#include "model/reason.h"
#include "plan/action.h"
#include "ports/cloud.h"
#include "ports/event.h"

namespace berth::control {

class Executor {
 public:
  /// `changed` is set when a call ends. `abandon` ends the calls that are under way, with an unknown outcome.
  Executor(ports::Clock& clock, ports::Cloud& cloud, AddressBook& book, Prng& prng, ports::Event& changed,
           OperatorOptions options, std::stop_token abandon);

  /// Starts what there is room for, in the order given.
  void start(const std::vector<plan::Action>& actions);

  /// Frees reservations whose outcome the newest snapshot tells.
  void observe(const model::Snapshot& snapshot);
  /// The node is well: its next failure is its first again.
  void forgive(const model::NodeName& node) { failures_.erase(node); }

  /// The associations that succeeded since the last call of this.
  std::map<model::NodeName, model::AllocationId> take_given() { return std::exchange(given_, {}); }

  const std::set<model::NodeName>& busy() const { return busy_; }
  std::vector<model::Reservation> reservations() const { return reservations_.list(); }
  /// Nodes that are held back at `now`, and why.
  std::map<model::NodeName, model::Reason> held(MonoTime now) const;
  /// Nodes whose unknown outcome may be asked for again at `now`.
  std::set<model::NodeName> retry_due(MonoTime now) const;
  /// When held() or retry_due() changes by the clock alone.
  std::optional<MonoTime> next_due(MonoTime now) const;

  ports::Task<void> join();

 private:
  struct Failure {
    model::Reason reason;
    MonoTime until{};
    mechanism::Backoff backoff;
  };

  ports::Task<void> associate(plan::Associate action);
  ports::Task<void> disassociate(plan::Disassociate action);
  void on_associated(const plan::Associate& action, const model::AssociationId& association);
  void on_refused(const model::NodeName& node, const model::AllocationId& address,
                  const model::InstanceId& instance, const ports::Refused& refused);
  void fail(const model::NodeName& node, model::Reason reason);
  ports::CallLimits limits() const;

  ports::Clock& clock_;
  ports::Cloud& cloud_;
  AddressBook& book_;
  Prng& prng_;
  ports::Event& changed_;
  OperatorOptions options_;
  std::stop_token abandon_;
  Logger logger_{"operator"};

  mechanism::Reservations reservations_;
  std::set<model::NodeName> busy_;
  std::map<model::NodeName, model::AllocationId> given_;
  std::map<model::NodeName, Failure> failures_;
  ports::TaskScope calls_;
};

}  // namespace berth::control
