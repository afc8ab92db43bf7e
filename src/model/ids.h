#pragma once
// The names of things, each a type of its own.

#include "base/strong_id.h"

namespace berth::model {

using NodeName = StrongId<struct NodeNameTag>;            // of a CiliumNode and its Node
using InstanceId = StrongId<struct InstanceIdTag>;        // EC2: i-0123456789abcdef0
using InterfaceId = StrongId<struct InterfaceIdTag>;      // EC2: eni-…
using AllocationId = StrongId<struct AllocationIdTag>;    // of an address; EC2: eipalloc-…
using AssociationId = StrongId<struct AssociationIdTag>;  // EC2: eipassoc-…; dies with every move

}  // namespace berth::model
