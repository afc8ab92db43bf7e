#include "control/address_book.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "control/cloud_reason.h"

namespace berth::control {
namespace {

using namespace std::chrono_literals;

// Two reads that somebody asked for out of turn start at least so far apart (R13).
constexpr Duration kReadGap = 1s;

// A batch of instance ids is sent at once when none is under way, so that one node is served quickly; while
// one is, ids gather for the next. A batch that takes longer than this no longer holds up the others (R11).
constexpr Duration kSlowBatch = 250ms;

mechanism::BackoffPolicy read_backoff(const OperatorOptions& options) {
  return {.base = std::min<Duration>(1s, options.refresh_interval),
          .cap = std::max<Duration>(options.refresh_interval, 1s)};
}

}  // namespace

AddressBook::AddressBook(ports::Clock& clock, ports::Cloud& cloud, Prng& prng, ports::Event& changed,
                         OperatorOptions options)
    : clock_(clock),
      cloud_(cloud),
      prng_(prng),
      changed_(changed),
      options_(options),
      claims_(options.consistency_grace),
      address_backoff_(read_backoff(options)),
      address_wake_(clock),
      instance_backoff_(read_backoff(options)),
      instance_wake_(clock) {}

ports::Task<void> AddressBook::run(std::stop_token stop) {
  ports::TaskScope scope;
  scope.spawn(follow_addresses(stop));
  scope.spawn(follow_instances(stop));
  co_await scope.join();
}

ports::CallLimits AddressBook::limits(std::stop_token stop) const {
  return {clock_.mono_now() + options_.call_deadline, std::move(stop)};
}

// --- addresses
// -------------------------------------------------------------------------------------------------

ports::Task<void> AddressBook::follow_addresses(std::stop_token stop) {
  refresh_due_ = clock_.mono_now();
  while (!stop.stop_requested()) {
    if (next_fetch() <= clock_.mono_now()) {
      co_await fetch_addresses(stop);
    } else {
      co_await address_wake_.wait(next_fetch(), stop);
      address_wake_.reset();
    }
  }
}

MonoTime AddressBook::next_fetch() const {
  MonoTime at = refresh_due_;
  if (wanted_since_ && last_fetch_ && !address_problem_) {
    at = std::min(at, std::max(*wanted_since_, *last_fetch_ + kReadGap));
  }
  return at;
}

ports::Task<void> AddressBook::fetch_addresses(std::stop_token stop) {
  const MonoTime started = clock_.mono_now();
  last_fetch_ = started;
  Result<std::vector<model::Address>> read = co_await cloud_.list_addresses(limits(stop));
  if (stop.stop_requested()) {
    co_return;
  }
  if (!read) {
    model::Reason reason = reason_of(read.error());
    if (!address_problem_ || address_problem_->code != reason.code) {
      logger_.error("Cannot read the addresses: " + reason.text(),
                    {{"reason", std::string(to_string(reason.code))}});
    }
    address_problem_ = std::move(reason);
    refresh_due_ = clock_.mono_now() + address_backoff_.next(prng_);
    changed_.set();
    co_return;
  }
  if (address_problem_) {
    logger_.info("The addresses can be read again", {{"addresses", std::to_string(read->size())}});
  }
  address_problem_.reset();
  address_backoff_.reset();
  refresh_due_ = started + options_.refresh_interval;
  if (wanted_since_ && started >= *wanted_since_) {
    wanted_since_.reset();
  }
  std::ranges::sort(*read, {}, &model::Address::ip);
  snapshot_ = model::Snapshot{started, std::move(read).value()};
  claims_.observe(*snapshot_);
  const std::vector<model::Address> before = std::exchange(picture_, claims_.apply(snapshot_->addresses));
  picture_is_old_ = false;
  doubt_what_vanished(before);
  changed_.set();
}

/// An association that is gone may mean that its instance is: it is read again before an address is given to
/// it again.
void AddressBook::doubt_what_vanished(const std::vector<model::Address>& before) {
  for (const model::Address& address : before) {
    if (!address.association) {
      continue;
    }
    const auto now = std::ranges::lower_bound(picture_, address.ip, {}, &model::Address::ip);
    if (now == picture_.end() || now->ip != address.ip || !now->association) {
      doubt(instance_of(*address.association));
    }
  }
}

/// Not every cloud names the instance of an association; then the target tells, where it is known.
model::InstanceId AddressBook::instance_of(const model::Association& association) const {
  if (!association.instance.empty()) {
    return association.instance;
  }
  const auto found = std::ranges::find_if(known_, [&association](const auto& entry) {
    return entry.second && entry.second->target == association.target;
  });
  return found != known_.end() ? found->first : model::InstanceId();
}

const std::vector<model::Address>* AddressBook::addresses() {
  if (picture_is_old_) {
    picture_ = claims_.apply(snapshot_->addresses);
    picture_is_old_ = false;
  }
  return snapshot_ ? &picture_ : nullptr;
}

/// Many replies may come before anybody looks: the picture is drawn then.
void AddressBook::note_claim() {
  picture_is_old_ = snapshot_.has_value();
  changed_.set();
}

void AddressBook::want_at_least(MonoTime time) {
  if (snapshot_ && snapshot_->started >= time) {
    return;
  }
  wanted_since_ = std::max(wanted_since_.value_or(time), time);
  address_wake_.set();
}

void AddressBook::associated(const model::AllocationId& address, const model::Association& association,
                             MonoTime since) {
  claims_.here(address, association, since);
  note_claim();
}

void AddressBook::released(const model::AllocationId& address, const model::AssociationId& gone,
                           MonoTime since) {
  claims_.free(address, gone, since);
  note_claim();
}

void AddressBook::taken(const model::AllocationId& address, MonoTime since) {
  claims_.taken(address, since);
  note_claim();
}

// --- instances
// -------------------------------------------------------------------------------------------------

ports::Task<void> AddressBook::follow_instances(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const MonoTime now = clock_.mono_now();
    std::vector<model::InstanceId> ids = due_instances(now);
    const MonoTime may_send =
        std::max(instance_retry_at_, asking_.empty() ? MonoTime::min() : next_batch_at_);
    if (!ids.empty() && may_send <= now) {
      next_batch_at_ = now + kSlowBatch;
      asking_.insert(ids.begin(), ids.end());
      instance_calls_.spawn(fetch_instances(std::move(ids), stop));
      continue;
    }
    const std::optional<MonoTime> wake = ids.empty() ? next_instance_due(now) : std::optional(may_send);
    co_await instance_wake_.wait(wake, stop);
    instance_wake_.reset();
  }
  co_await instance_calls_.join();
}

std::vector<model::InstanceId> AddressBook::due_instances(MonoTime now) const {
  std::vector<model::InstanceId> ids;
  for (const model::InstanceId& id : wanted_) {
    const auto asked = asked_.find(id);
    if (!asking_.contains(id) && (asked == asked_.end() || asked->second.again <= now)) {
      ids.push_back(id);
      if (ids.size() == cloud_.max_instances_per_list()) {
        break;
      }
    }
  }
  return ids;
}

std::optional<MonoTime> AddressBook::next_instance_due(MonoTime now) const {
  std::optional<MonoTime> next;
  for (const auto& [id, asked] : asked_) {
    if (!asking_.contains(id) && asked.again > now && (!next || asked.again < *next)) {
      next = asked.again;
    }
  }
  return next;
}

ports::Task<void> AddressBook::fetch_instances(std::vector<model::InstanceId> ids, std::stop_token stop) {
  const MonoTime started = clock_.mono_now();
  Result<std::vector<model::Instance>> read = co_await cloud_.list_instances(ids, limits(stop));
  for (const model::InstanceId& id : ids) {
    asking_.erase(id);
  }
  instance_wake_.set();
  if (stop.stop_requested()) {
    co_return;
  }
  if (!read) {
    model::Reason reason = reason_of(read.error());
    if (!instance_problem_ || instance_problem_->code != reason.code) {
      logger_.error("Cannot read the instances: " + reason.text(),
                    {{"reason", std::string(to_string(reason.code))}});
    }
    instance_problem_ = std::move(reason);
    instance_retry_at_ = clock_.mono_now() + instance_backoff_.next(prng_);
    changed_.set();
    co_return;
  }
  instance_problem_.reset();
  instance_backoff_.reset();
  for (const model::InstanceId& id : ids) {
    if (wanted_.contains(id)) {
      known_.insert_or_assign(id, std::nullopt);
    }
  }
  for (model::Instance& instance : *read) {
    if (wanted_.contains(instance.id)) {
      const model::InstanceId id = instance.id;
      known_.insert_or_assign(id, std::move(instance));
    }
  }
  for (const model::InstanceId& id : ids) {
    if (wanted_.contains(id)) {
      asked_.insert_or_assign(id, Asked{started, started + recheck_interval(id)});
    }
  }
  changed_.set();
}

/// One that cannot be served as it is may change any moment; the others are swept.
Duration AddressBook::recheck_interval(const model::InstanceId& id) const {
  const std::optional<model::Instance>& instance = known_.at(id);
  const bool settled = instance && instance->target && instance->state == model::InstanceState::kRunning;
  return settled ? options_.instance_sweep_interval : options_.refresh_interval;
}

void AddressBook::want_instances(std::set<model::InstanceId> wanted) {
  if (wanted == wanted_) {
    return;
  }
  wanted_ = std::move(wanted);
  const auto unwanted = [this](const auto& entry) { return !wanted_.contains(entry.first); };
  std::erase_if(known_, unwanted);
  std::erase_if(asked_, unwanted);
  instance_wake_.set();
}

void AddressBook::doubt(const model::InstanceId& instance) {
  if (known_.erase(instance) == 0) {
    return;
  }
  Asked& asked = asked_.at(instance);
  asked.again = std::max(clock_.mono_now(), asked.last + kReadGap);
  instance_wake_.set();
  changed_.set();
}

}  // namespace berth::control
