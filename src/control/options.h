#pragma once
// What the operator can be told, with the contract's defaults.

#include <chrono>
#include <cstddef>

#include "base/time.h"
#include "plan/static_ip.h"

namespace berth::control {

struct OperatorOptions {
  Duration refresh_interval = std::chrono::seconds(15);
  /// How long the cloud's reads may lag behind its writes (R6).
  Duration consistency_grace = std::chrono::seconds(30);
  /// All known instances are read anew so often, whatever happens.
  Duration instance_sweep_interval = std::chrono::minutes(10);
  /// Bounds every single call (R11).
  Duration call_deadline = std::chrono::seconds(10);
  /// Mutating cloud calls at a time; what is beyond is planned again when one ends.
  std::size_t max_cloud_calls = 64;
  std::size_t max_status_writes = 32;
  /// On a stop, calls under way may end by themselves for so long.
  Duration stop_grace = std::chrono::seconds(3);
  plan::StaticIpPolicy policy;
};

}  // namespace berth::control
