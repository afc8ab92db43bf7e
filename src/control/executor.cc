#include "control/executor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "control/cloud_reason.h"

namespace berth::control {
namespace {

using model::Reason;
using model::ReasonCode;

Reason outcome_unknown(const Error& error) {
  return {ReasonCode::kCloudUnavailable,
          "The cloud did not say what became of the call: " + error.message() + ".",
          "The next snapshots tell, and the same call is made again; nothing else is tried meanwhile."};
}

}  // namespace

Executor::Executor(ports::Clock& clock, ports::Cloud& cloud, AddressBook& book, Prng& prng,
                   ports::Event& changed, OperatorOptions options, std::stop_token abandon)
    : clock_(clock),
      cloud_(cloud),
      book_(book),
      prng_(prng),
      changed_(changed),
      options_(options),
      abandon_(std::move(abandon)) {}

void Executor::start(const std::vector<plan::Action>& actions) {
  for (const plan::Action& action : actions) {
    if (busy_.size() >= options_.max_cloud_calls) {
      return;  // a call that ends sets `changed`, and the rest is planned again
    }
    if (const auto* associate_action = std::get_if<plan::Associate>(&action)) {
      reservations_.hold({.node = associate_action->node,
                          .address = associate_action->address,
                          .target = associate_action->target});
      busy_.insert(associate_action->node);
      calls_.spawn(associate(*associate_action));
    } else if (const auto* disassociate_action = std::get_if<plan::Disassociate>(&action)) {
      busy_.insert(disassociate_action->node);
      calls_.spawn(disassociate(*disassociate_action));
    }
  }
}

ports::CallLimits Executor::limits() const { return {clock_.mono_now() + options_.call_deadline, abandon_}; }

ports::Task<void> Executor::associate(plan::Associate action) {
  const ports::AssociateOutcome outcome = co_await cloud_.associate(action.address, action.target, limits());
  busy_.erase(action.node);
  if (const auto* done = std::get_if<ports::Associated>(&outcome)) {
    reservations_.settle(action.address);
    on_associated(action, done->association);
  } else if (const auto* refused = std::get_if<ports::Refused>(&outcome)) {
    reservations_.settle(action.address);
    logger_.warning(fmt::format("Cannot associate EIP {} with Instance {}: {}", action.ip, action.instance,
                                refused->error.message()),
                    {{"node", action.node.str()},
                     {"address", action.ip.to_string()},
                     {"instance", action.instance.str()},
                     {"code", refused->error.code}});
    on_refused(action.node, action.address, action.instance, *refused);
  } else {
    const Error& error = std::get<ports::OutcomeUnknown>(outcome).error;
    reservations_.lose(action.address, clock_.mono_now());
    logger_.warning(
        fmt::format(
            "The reply to associating EIP {} with Instance {} was lost, the address stays reserved: {}",
            action.ip, action.instance, error.message()),
        {{"node", action.node.str()},
         {"address", action.ip.to_string()},
         {"instance", action.instance.str()}});
    fail(action.node, outcome_unknown(error));
    book_.want_at_least(clock_.mono_now());
  }
  changed_.set();
}

void Executor::on_associated(const plan::Associate& action, const model::AssociationId& association) {
  const MonoTime now = clock_.mono_now();
  given_.insert_or_assign(action.node, action.address);
  logger_.info(fmt::format("Associated EIP {} with Instance {} (association ID: {})", action.ip,
                           action.instance, association),
               {{"node", action.node.str()},
                {"address", action.ip.to_string()},
                {"allocation", action.address.str()},
                {"instance", action.instance.str()},
                {"association", association.str()}});
  if (!action.replaces.empty()) {
    // EC2 has dropped the address that the target held, and it is free for others at once (R8).
    const auto& addresses = *book_.addresses();
    const auto old = std::ranges::find(addresses, action.replaces, &model::Address::id);
    if (old != addresses.end() && old->association) {
      book_.released(action.replaces, model::AssociationId(old->association->id), now);
    }
  }
  book_.associated(action.address, {.id = association, .target = action.target, .instance = action.instance},
                   now);
}

ports::Task<void> Executor::disassociate(plan::Disassociate action) {
  const ports::DisassociateOutcome outcome = co_await cloud_.disassociate(action.association, limits());
  busy_.erase(action.node);
  const auto* refused = std::get_if<ports::Refused>(&outcome);
  const bool gone = refused != nullptr && refused->cause == ports::RefusalCause::kAssociationGone;
  if (std::holds_alternative<ports::Disassociated>(outcome) || gone) {
    logger_.info(fmt::format("Disassociated EIP {} from Instance {}: the node asks for no static IP any more",
                             action.ip, action.instance),
                 {{"node", action.node.str()},
                  {"address", action.ip.to_string()},
                  {"instance", action.instance.str()}});
    book_.released(action.address, action.association, clock_.mono_now());
  } else {
    const Error& error = refused != nullptr ? refused->error : std::get<ports::OutcomeUnknown>(outcome).error;
    logger_.warning(fmt::format("Cannot disassociate EIP {} from Instance {}: {}", action.ip, action.instance,
                                error.message()),
                    {{"node", action.node.str()}, {"address", action.ip.to_string()}, {"code", error.code}});
    fail(action.node, refused != nullptr ? reason_of(*refused) : outcome_unknown(error));
    book_.want_at_least(clock_.mono_now());
  }
  changed_.set();
}

void Executor::on_refused(const model::NodeName& node, const model::AllocationId& address,
                          const model::InstanceId& instance, const ports::Refused& refused) {
  using ports::RefusalCause;
  const MonoTime now = clock_.mono_now();
  switch (refused.cause) {
    case RefusalCause::kAddressTaken:
    case RefusalCause::kAddressGone:
      // The next candidate is tried at once, and this one again when a later snapshot shows it free.
      book_.taken(address, now);
      book_.want_at_least(now);
      return;
    case RefusalCause::kTargetGone:
    case RefusalCause::kTargetNotReady:
      book_.doubt(instance);
      fail(node, reason_of(refused));
      return;
    case RefusalCause::kAssociationGone:
    case RefusalCause::kNoInternetGateway:
    case RefusalCause::kDenied:
    case RefusalCause::kThrottled:
    case RefusalCause::kUnavailable:
    case RefusalCause::kInvalid:
      fail(node, reason_of(refused));
      return;
  }
}

void Executor::fail(const model::NodeName& node, Reason reason) {
  const auto policy = retry_policy(reason.code);
  auto found = failures_.find(node);
  if (found == failures_.end() || found->second.reason.code != reason.code) {
    found = failures_.insert_or_assign(node, Failure{reason, {}, mechanism::Backoff(policy)}).first;
  }
  found->second.reason = std::move(reason);
  found->second.until = clock_.mono_now() + found->second.backoff.next(prng_);
}

void Executor::observe(const model::Snapshot& snapshot) {
  for (const auto& [reservation, resolution] : reservations_.resolve(snapshot, options_.consistency_grace)) {
    const bool associated = resolution == mechanism::Reservations::Resolution::kAssociated;
    logger_.info(fmt::format("A snapshot shows what became of {}: {}", reservation.address,
                             associated ? "it is associated" : "it was not associated"),
                 {{"node", reservation.node.str()}, {"allocation", reservation.address.str()}});
    if (!associated) {
      continue;
    }
    given_.insert_or_assign(reservation.node, reservation.address);
    const auto shown = std::ranges::find(snapshot.addresses, reservation.address, &model::Address::id);
    const model::Association& association = *shown->association;
    logger_.info(fmt::format("Associated EIP {} with Instance {} (association ID: {})", shown->ip,
                             association.instance, association.id),
                 {{"node", reservation.node.str()},
                  {"address", shown->ip.to_string()},
                  {"allocation", reservation.address.str()},
                  {"instance", association.instance.str()},
                  {"association", association.id.str()}});
  }
}

std::map<model::NodeName, Reason> Executor::held(MonoTime now) const {
  std::map<model::NodeName, Reason> reasons;
  for (const auto& [node, failure] : failures_) {
    if (failure.until > now) {
      reasons.emplace(node, failure.reason);
    }
  }
  return reasons;
}

std::set<model::NodeName> Executor::retry_due(MonoTime now) const {
  std::set<model::NodeName> nodes;
  for (const model::Reservation& reservation : reservations_.list()) {
    const auto failure = failures_.find(reservation.node);
    if (reservation.outcome_unknown && (failure == failures_.end() || failure->second.until <= now)) {
      nodes.insert(reservation.node);
    }
  }
  return nodes;
}

std::optional<MonoTime> Executor::next_due(MonoTime now) const {
  std::optional<MonoTime> next;
  for (const auto& [node, failure] : failures_) {
    if (failure.until > now && (!next || failure.until < *next)) {
      next = failure.until;
    }
  }
  return next;
}

ports::Task<void> Executor::join() { co_await calls_.join(); }

}  // namespace berth::control
