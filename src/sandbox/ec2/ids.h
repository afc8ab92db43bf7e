#pragma once
// The ids of the sandbox's EC2, each a type of its own.

#include "base/strong_id.h"

namespace berth::sandbox {

using InstanceId = StrongId<struct InstanceIdTag>;        // i-0123456789abcdef0
using InterfaceId = StrongId<struct InterfaceIdTag>;      // eni-…
using AllocationId = StrongId<struct AllocationIdTag>;    // eipalloc-…
using AssociationId = StrongId<struct AssociationIdTag>;  // eipassoc-…

}  // namespace berth::sandbox
