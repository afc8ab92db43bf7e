#include "mechanism/reservations.h"

#include <algorithm>

#include "base/check.h"

namespace berth::mechanism {
namespace {

using model::Address;
using model::Reservation;

/// What a snapshot says of a call whose reply was lost; nothing where it cannot tell yet.
std::optional<Reservations::Resolution> resolution(const Reservation& reservation, const Address* shown,
                                                   MonoTime started, Duration grace) {
  const bool associated = shown != nullptr && shown->association.has_value();
  if (associated && shown->association->target == reservation.target) {
    return Reservations::Resolution::kAssociated;
  }
  // Presence elsewhere counts at once, absence may be lag (R6).
  if ((associated && started >= reservation.ended) || started >= reservation.ended + grace) {
    return Reservations::Resolution::kNotAssociated;
  }
  return std::nullopt;
}

}  // namespace

void Reservations::hold(const Reservation& reservation) {
  const auto node = by_node_.find(reservation.node);
  CHECK(node == by_node_.end() || node->second == reservation.address);
  const auto address = by_address_.find(reservation.address);
  CHECK(address == by_address_.end() || address->second.node == reservation.node);
  by_address_.insert_or_assign(reservation.address, reservation);
  by_node_.insert_or_assign(reservation.node, reservation.address);
}

void Reservations::settle(const model::AllocationId& address) {
  const auto found = by_address_.find(address);
  CHECK(found != by_address_.end());
  by_node_.erase(found->second.node);
  by_address_.erase(found);
}

void Reservations::lose(const model::AllocationId& address, MonoTime now) {
  const auto found = by_address_.find(address);
  CHECK(found != by_address_.end());
  found->second.outcome_unknown = true;
  found->second.ended = now;
}

std::vector<Reservations::Resolved> Reservations::resolve(const model::Snapshot& snapshot, Duration grace) {
  std::vector<Resolved> resolved;
  for (const auto& [id, reservation] : by_address_) {
    if (!reservation.outcome_unknown) {
      continue;
    }
    const auto shown = std::ranges::find(snapshot.addresses, id, &Address::id);
    const Address* address = shown != snapshot.addresses.end() ? &*shown : nullptr;
    if (const auto outcome = resolution(reservation, address, snapshot.started, grace)) {
      resolved.push_back({reservation, *outcome});
    }
  }
  for (const Resolved& one : resolved) {
    settle(one.reservation.address);
  }
  return resolved;
}

const Reservation* Reservations::find(const model::NodeName& node) const {
  const auto found = by_node_.find(node);
  return found != by_node_.end() ? &by_address_.at(found->second) : nullptr;
}

std::vector<Reservation> Reservations::list() const {
  std::vector<Reservation> all;
  all.reserve(by_address_.size());
  for (const auto& [id, reservation] : by_address_) {
    all.push_back(reservation);
  }
  return all;
}

}  // namespace berth::mechanism
