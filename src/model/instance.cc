#include "model/instance.h"

namespace berth::model {

std::string_view to_string(InstanceState state) {
  switch (state) {
    case InstanceState::kPending:
      return "pending";
    case InstanceState::kRunning:
      return "running";
    case InstanceState::kStopping:
      return "stopping";
    case InstanceState::kStopped:
      return "stopped";
    case InstanceState::kShuttingDown:
      return "shutting-down";
    case InstanceState::kTerminated:
      return "terminated";
  }
  return "terminated";
}

}  // namespace berth::model
