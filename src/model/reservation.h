#pragma once
// An address set apart for one node before the cloud is asked for it (R4).

#include "base/time.h"
#include "model/address.h"
#include "model/ids.h"

namespace berth::model {

struct Reservation {
  NodeName node;
  AllocationId address;
  Target target;
  /// The call ended and nobody knows how. Then `ended` is when, and the same pair, but no other, may be asked
  /// for again.
  bool outcome_unknown = false;
  MonoTime ended{};
};

}  // namespace berth::model
