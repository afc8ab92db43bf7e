#pragma once
// A machine of the cloud, as far as an address needs to know it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/address.h"
#include "model/ids.h"

namespace berth::model {

/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
enum class InstanceState : std::uint8_t {
  kPending,
  kRunning,
  kStopping,
  kStopped,
  kShuttingDown,
  kTerminated
};

std::string_view to_string(InstanceState state);

struct Instance {
  InstanceId id;
  InstanceState state = InstanceState::kPending;
  /// The primary private address of the interface with device index 0 on network card 0.
  std::optional<Target> target;
  /// Where its public addresses must come from; empty: the region's.
  std::string network_border_group = {};

  friend bool operator==(const Instance&, const Instance&) = default;
};

}  // namespace berth::model
