#pragma once
// One address, one claim (R4): what this operator has asked for and does not yet see in the cloud.
//
//   free --hold--> held --settle (any definite reply)--> free
//                   |
//                   +--lose (no reply)--> unknown --settle, or a snapshot that tells--> free
//
// An unknown outcome is never forgotten by the clock alone: only by a reply, by a snapshot that shows the
// association, or by one that started a grace after the call ended and does not.

#include <map>
#include <optional>
#include <vector>

#include "model/address.h"
#include "model/reservation.h"

namespace berth::mechanism {

class Reservations {
 public:
  /// The address must not be reserved for another node, nor the node for another address.
  void hold(const model::Reservation& reservation);

  /// A definite reply came.
  void settle(const model::AllocationId& address);

  /// The call ended at `now` without one.
  void lose(const model::AllocationId& address, MonoTime now);

  enum class Resolution : std::uint8_t { kAssociated, kNotAssociated };
  struct Resolved {
    model::Reservation reservation;
    Resolution resolution;
  };

  /// Frees the unknown ones of which `snapshot` says what became.
  std::vector<Resolved> resolve(const model::Snapshot& snapshot, Duration grace);

  const model::Reservation* find(const model::NodeName& node) const;
  std::vector<model::Reservation> list() const;
  bool empty() const { return by_address_.empty(); }

 private:
  std::map<model::AllocationId, model::Reservation> by_address_;
  std::map<model::NodeName, model::AllocationId> by_node_;
};

}  // namespace berth::mechanism
