#pragma once
// What the planner wants done in the cloud. Only the executor does it.

#include <variant>

#include "base/ip_address.h"
#include "model/address.h"
#include "model/ids.h"

namespace berth::plan {

/// Never takes `address` from another holder (R5). An address of ours that the target holds gives way to it
/// (R9).
struct Associate {
  model::NodeName node;
  model::AllocationId address;
  IpAddress ip;
  model::Target target;
  model::InstanceId instance;
  model::AllocationId replaces = {};  // empty: the target holds nothing

  friend bool operator==(const Associate&, const Associate&) = default;
};

/// Takes ours from the target of a node that asks for no address any more (R9).
struct Disassociate {
  model::NodeName node;
  model::AllocationId address;
  IpAddress ip;
  model::AssociationId association;
  model::InstanceId instance;

  friend bool operator==(const Disassociate&, const Disassociate&) = default;
};

using Action = std::variant<Associate, Disassociate>;

}  // namespace berth::plan
