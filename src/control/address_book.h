#pragma once
// What the cloud says: the current snapshot of all addresses, our own replies since, and the instances that
// somebody asks about. It reads the cloud and never changes it.
//
// Calls do not grow with the number of nodes (R13): addresses are read whole, at every refresh interval and
// when somebody needs a reading that started after some moment; instances only while they are unknown or in
// doubt, up to the cloud's limit in one call, and all of them in a slow sweep. A failed read leaves the last
// picture in force (R11).

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/log.h"
#include "base/prng.h"
#include "control/options.h"
#include "mechanism/backoff.h"
#include "mechanism/claims.h"
#include "model/address.h"
#include "model/instance.h"
#include "model/reason.h"
#include "ports/cloud.h"
#include "ports/event.h"

namespace berth::control {

class AddressBook {
 public:
  /// `changed` is set whenever a plan might come out otherwise.
  AddressBook(ports::Clock& clock, ports::Cloud& cloud, Prng& prng, ports::Event& changed,
              OperatorOptions options);

  /// Reads until stopped.
  ports::Task<void> run(std::stop_token stop);

  /// All addresses in numeric order, our replies applied; null before the first snapshot.
  const std::vector<model::Address>* addresses();
  /// As the cloud showed it; null before the first.
  const model::Snapshot* snapshot() const { return snapshot_ ? &*snapshot_ : nullptr; }
  /// Nothing in an entry: the cloud does not know the instance. No entry: not known, or in doubt.
  const std::map<model::InstanceId, std::optional<model::Instance>>& instances() const { return known_; }
  /// Why the last read failed; nothing once a read of the same kind succeeds.
  const std::optional<model::Reason>& problem() const {
    return address_problem_ ? address_problem_ : instance_problem_;
  }

  /// Sees to a snapshot that started at or after `time`, at least a second after the one before it started.
  void want_at_least(MonoTime time);

  /// Exactly these instances matter; what is known of others is forgotten.
  void want_instances(std::set<model::InstanceId> wanted);
  /// What is known of it may be wrong: it is read again, at most once a second.
  void doubt(const model::InstanceId& instance);

  // Our own replies, and a status that an operator wrote from one: see mechanism/claims.h.
  void associated(const model::AllocationId& address, const model::Association& association, MonoTime since);
  void released(const model::AllocationId& address, const model::AssociationId& gone, MonoTime since);
  void taken(const model::AllocationId& address, MonoTime since);

 private:
  ports::Task<void> follow_addresses(std::stop_token stop);
  ports::Task<void> fetch_addresses(std::stop_token stop);
  MonoTime next_fetch() const;

  ports::Task<void> follow_instances(std::stop_token stop);
  ports::Task<void> fetch_instances(std::vector<model::InstanceId> ids, std::stop_token stop);
  std::vector<model::InstanceId> due_instances(MonoTime now) const;
  std::optional<MonoTime> next_instance_due(MonoTime now) const;
  Duration recheck_interval(const model::InstanceId& id) const;

  void doubt_what_vanished(const std::vector<model::Address>& before);
  model::InstanceId instance_of(const model::Association& association) const;
  void note_claim();
  ports::CallLimits limits(std::stop_token stop) const;

  ports::Clock& clock_;
  ports::Cloud& cloud_;
  Prng& prng_;
  ports::Event& changed_;
  OperatorOptions options_;
  Logger logger_{"operator"};

  std::optional<model::Snapshot> snapshot_;
  std::vector<model::Address> picture_;  // of addresses()
  bool picture_is_old_ = false;
  mechanism::Claims claims_;
  std::optional<model::Reason> address_problem_;
  mechanism::Backoff address_backoff_;
  std::optional<MonoTime> last_fetch_;    // start of the last fetch, whatever became of it
  std::optional<MonoTime> wanted_since_;  // somebody needs a snapshot that started at or after it
  MonoTime refresh_due_{};
  ports::Event address_wake_;

  std::map<model::InstanceId, std::optional<model::Instance>> known_;
  std::set<model::InstanceId> wanted_;
  struct Asked {
    MonoTime last;
    MonoTime again;
  };
  std::map<model::InstanceId, Asked> asked_;  // of the wanted ones; no entry: never asked for
  std::set<model::InstanceId> asking_;
  std::optional<model::Reason> instance_problem_;
  mechanism::Backoff instance_backoff_;
  MonoTime instance_retry_at_{};
  MonoTime next_batch_at_{};
  ports::Event instance_wake_;
  ports::TaskScope instance_calls_;
};

}  // namespace berth::control
