// Who holds which public address: Elastic IPs, and the ones that EC2 assigns by itself.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/ec2/world.h"

namespace berth::sandbox {
namespace {

IpAddress nth_auto_ip(unsigned n) {
  return *IpAddress::parse(fmt::format("3.80.{}.{}", (n >> 8U) & 0xffU, n & 0xffU));
}

PrivateAddress* find_private(Interface& interface, const IpAddress& ip) {
  const auto found = std::ranges::find(interface.private_addresses, ip, &PrivateAddress::ip);
  return found == interface.private_addresses.end() ? nullptr : &*found;
}

}  // namespace

Outcome<AssociationId> Ec2World::associate_address(const AssociateRequest& request) {
  settle();
  const auto address = find_for_association(request);
  if (!address) {
    return tl::unexpected(address.error());
  }
  const auto target = find_target(request);
  if (!target) {
    return tl::unexpected(target.error());
  }
  // Copies: the values that the pointers show go with the first change.
  const AllocationId id = (*address)->id;
  const std::optional<Association> before = (*address)->association;
  Interface interface = **target;
  const IpAddress private_ip = request.private_ip.value_or(interface.private_addresses.front().ip);
  const PrivateAddress* slot = find_private(interface, private_ip);
  if (slot == nullptr) {
    return refuse("InvalidParameterValue", fmt::format("The private IP address {} is not assigned to {}.",
                                                       private_ip.to_string(), interface.id.str()));
  }
  if (before && before->interface_id == interface.id && before->private_ip == private_ip) {
    return before->id;
  }
  if (before && !request.allow_reassociation) {
    return refuse(
        "Resource.AlreadyAssociated",
        fmt::format("resource {} is already associated with associate-id {}", id.str(), before->id.str()));
  }
  // The address that the target has is dropped without a word, whatever allow_reassociation says: that guards
  // the address, not the target.
  const AllocationId dropped = slot->allocation_id;
  if (!dropped.empty()) {
    detach(dropped, now_);
  }
  if (before) {
    detach(id, now_);
  }
  Association association{AssociationId(next_id("eipassoc-")), interface.id, private_ip};
  by_association_.emplace(association.id, id);
  addresses_.edit(id, now_, [&](Address& changed) { changed.association = association; });
  interfaces_.edit(interface.id, now_, [&](Interface& changed) {
    PrivateAddress& taken = *find_private(changed, private_ip);
    taken.allocation_id = id;
    taken.auto_ip.reset();
  });
  if (before) {
    give_public_ip(before->interface_id, now_);
  }
  return association.id;
}

Outcome<const Address*> Ec2World::find_for_association(const AssociateRequest& request) const {
  const Address* address = nullptr;
  if (!request.allocation_id.empty()) {
    address = addresses_.find(request.allocation_id);
    if (address == nullptr) {
      return refuse("InvalidAllocationID.NotFound",
                    fmt::format("The allocation ID '{}' does not exist", request.allocation_id.str()));
    }
  } else {
    const auto found = by_public_ip_.find(request.public_ip.value_or(IpAddress()));
    if (found == by_public_ip_.end()) {
      return refuse("AuthFailure", fmt::format("The address '{}' does not belong to you.",
                                               request.public_ip ? request.public_ip->to_string() : ""));
    }
    address = addresses_.find(found->second);
  }
  if (!address->service_managed.empty()) {
    return refuse("AuthFailure", "You do not have permission to access the specified resource.");
  }
  if (address->border_group != options_.region) {
    return refuse(
        "InvalidParameterCombination",
        fmt::format("The address {} is of the network border group {} and cannot be associated in {}.",
                    address->public_ip.to_string(), address->border_group, options_.region));
  }
  return address;
}

Outcome<const Interface*> Ec2World::find_target(const AssociateRequest& request) const {
  InterfaceId id = request.interface_id;
  const bool named_by_instance = id.empty();
  if (named_by_instance) {
    const Instance* instance = instances_.find(request.instance_id);
    if (instance == nullptr) {
      return refuse("InvalidInstanceID.NotFound",
                    fmt::format("The instance ID '{}' does not exist", request.instance_id.str()));
    }
    if (instance->state == InstanceState::kTerminated) {
      return refuse("InvalidInstanceID",
                    fmt::format("The terminated instance '{}' is not in a valid state for this operation.",
                                request.instance_id.str()));
    }
    if (instance->interfaces.size() != 1) {
      return refuse(
          "InvalidInstanceID",
          fmt::format("There are multiple interfaces attached to instance '{}'. Please specify an interface "
                      "ID for the operation instead.",
                      request.instance_id.str()));
    }
    id = instance->interfaces.front();
  }
  const Interface* interface = interfaces_.find(id);
  if (interface == nullptr) {
    return refuse("InvalidNetworkInterfaceID.NotFound",
                  fmt::format("The networkInterface ID '{}' does not exist", id.str()));
  }
  if (const auto checked = check_state_for_association(*interface, named_by_instance); !checked) {
    return tl::unexpected(checked.error());
  }
  if (!options_.internet_gateway) {
    return refuse("Gateway.NotAttached",
                  fmt::format("Network {} is not attached to any internet gateway", options_.vpc_id));
  }
  return interface;
}

/// A stopped instance may be given an address; one that is not there yet or any more may not. EC2 words this
/// in two ways, by what the caller named (seen in many reports, such as
/// https://github.com/hashicorp/terraform-provider-aws/issues/19699 and /pull/3072).
Outcome<> Ec2World::check_state_for_association(const Interface& interface, bool named_by_instance) const {
  if (!interface.attachment) {
    return {};
  }
  const InstanceId& id = interface.attachment->instance_id;
  const InstanceState state = instances_.find(id)->state;
  if (state == InstanceState::kRunning || state == InstanceState::kStopping ||
      state == InstanceState::kStopped) {
    return {};
  }
  if (named_by_instance) {
    return refuse("InvalidInstanceID",
                  fmt::format("The {} instance '{}' is not in a valid state for this operation.",
                              to_string(state), id.str()));
  }
  return refuse(
      "IncorrectInstanceState",
      fmt::format("The {} instance to which '{}' is attached is not in a valid state for this operation",
                  to_string(state), interface.id.str()));
}

Outcome<> Ec2World::disassociate_address(const AssociationId& id) {
  settle();
  const auto found = by_association_.find(id);
  if (found == by_association_.end()) {
    return refuse("InvalidAssociationID.NotFound",
                  fmt::format("The association ID '{}' does not exist", id.str()));
  }
  const AllocationId allocation = found->second;
  const Address& address = *addresses_.find(allocation);
  if (!address.service_managed.empty()) {
    return refuse("AuthFailure", "You do not have permission to access the specified resource.");
  }
  const InterfaceId interface = address.association->interface_id;
  detach(allocation, now_);
  give_public_ip(interface, now_);
  return {};
}

void Ec2World::detach(const AllocationId& id, MonoTime at) {
  const Association cut = addresses_.find(id)->association.value();
  by_association_.erase(cut.id);
  addresses_.edit(id, at, [](Address& address) { address.association.reset(); });
  interfaces_.edit(cut.interface_id, at, [&](Interface& interface) {
    find_private(interface, cut.private_ip)->allocation_id = AllocationId();
  });
}

/// EC2 gives back an auto-assigned public IP where one was released, unless the instance has more than one
/// interface or an Elastic IP on a secondary private address.
void Ec2World::give_public_ip(const InterfaceId& id, MonoTime at) {
  const Interface& interface = *interfaces_.find(id);
  if (!interface.auto_public_ip || !interface.attachment) {
    return;
  }
  const Instance& instance = *instances_.find(interface.attachment->instance_id);
  const bool is_up = instance.state == InstanceState::kRunning || instance.state == InstanceState::kPending;
  const bool has_address =
      std::ranges::any_of(interface.private_addresses, [](const PrivateAddress& address) {
        return !address.allocation_id.empty() || address.auto_ip.has_value();
      });
  if (!is_up || has_address || instance.interfaces.size() != 1) {
    return;
  }
  const IpAddress given = nth_auto_ip(++last_auto_);
  interfaces_.edit(id, at, [&](Interface& changed) { changed.private_addresses.front().auto_ip = given; });
}

void Ec2World::drop_public_ip(const InterfaceId& id, MonoTime at) {
  interfaces_.edit(id, at, [](Interface& changed) {
    for (PrivateAddress& address : changed.private_addresses) {
      address.auto_ip.reset();
    }
  });
}

}  // namespace berth::sandbox
