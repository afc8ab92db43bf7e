#pragma once
// What the cloud tells a machine about itself.

#include <string>

#include "base/result.h"
#include "model/ids.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::ports {

struct InstanceFacts {
  model::InstanceId instance;
  std::string instance_type;
  std::string region;
  std::string availability_zone;
  std::string vpc_id;     // of the primary interface
  std::string subnet_id;  // of the primary interface

  friend bool operator==(const InstanceFacts&, const InstanceFacts&) = default;
};

class InstanceMetadata {
 public:
  InstanceMetadata() = default;
  InstanceMetadata(const InstanceMetadata&) = delete;
  InstanceMetadata& operator=(const InstanceMetadata&) = delete;
  virtual ~InstanceMetadata() = default;

  /// kInternal where the service answers without an instance id, or with something that is none.
  virtual Task<Result<InstanceFacts>> fetch(CallLimits limits) = 0;
};

}  // namespace berth::ports
