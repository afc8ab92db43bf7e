#include "aws/provider.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "aws/names.h"

namespace berth::aws {
namespace {

std::optional<model::Association> association_of(const AddressItem& item) {
  // An association by interface need not show an instance, and one whose interface is on no instance cannot.
  if (item.association_id.empty() && item.network_interface_id.empty() && item.instance_id.empty()) {
    return std::nullopt;
  }
  return model::Association{
      .id = model::AssociationId(item.association_id),
      // Without a private address that can be read, the address is still not free.
      .target = {model::InterfaceId(item.network_interface_id),
                 IpAddress::parse(item.private_ip_address).value_or(IpAddress())},
      .instance = model::InstanceId(item.instance_id),
      .owner = item.network_interface_owner_id,
  };
}

/// The address, or the sentence that says why there is none.
tl::expected<model::Address, std::string> address_of(const AddressItem& item, const std::string& region) {
  if (!item.carrier_ip.empty() || !item.customer_owned_ip.empty()) {
    const bool carrier = !item.carrier_ip.empty();
    return tl::unexpected(fmt::format("Address {} ({}) is left out: it is a {} address, not a public one",
                                      carrier ? item.carrier_ip : item.customer_owned_ip, item.allocation_id,
                                      carrier ? "carrier's" : "customer-owned"));
  }
  const auto ip = IpAddress::parse(item.public_ip);
  if (!ip) {
    return tl::unexpected(fmt::format("An address ({}) is left out: its public IP \"{}\" is no IP address",
                                      item.allocation_id, item.public_ip));
  }
  if (item.allocation_id.empty()) {
    return tl::unexpected(fmt::format(
        "Address {} is left out: EC2 names no allocation id, so it cannot be associated", item.public_ip));
  }
  return model::Address{
      .id = model::AllocationId(item.allocation_id),
      .ip = *ip,
      .tags = model::TagMap(item.tags.begin(), item.tags.end()),
      .in_vpc = item.domain.empty() || item.domain == "vpc",
      .network_border_group = item.network_border_group == region ? "" : item.network_border_group,
      .service_managed = item.service_managed,
      .association = association_of(item),
  };
}

std::optional<model::InstanceState> state_of(std::string_view name) {
  using enum model::InstanceState;
  for (const auto state : {kPending, kRunning, kStopping, kStopped, kShuttingDown, kTerminated}) {
    if (to_string(state) == name) {
      return state;
    }
  }
  return std::nullopt;
}

std::optional<model::Target> target_of(const InstanceItem& item) {
  const auto primary = std::ranges::find_if(item.interfaces, [](const InstanceInterfaceItem& interface) {
    return interface.device_index == 0 && interface.network_card_index.value_or(0) == 0;
  });
  if (primary == item.interfaces.end() || primary->network_interface_id.empty()) {
    return std::nullopt;
  }
  const auto ip = IpAddress::parse(primary->private_ip_address);
  if (!ip) {
    return std::nullopt;
  }
  return model::Target{model::InterfaceId(primary->network_interface_id), *ip};
}

template <class Outcome>
Outcome outcome_of(CallFailure failure) {
  if (failure.refusal) {
    return ports::Refused{*failure.refusal, std::move(failure.error)};
  }
  return ports::OutcomeUnknown{std::move(failure.error)};
}

}  // namespace

void Ec2Cloud::report(std::set<std::string> left_out) {
  for (const std::string& sentence : left_out) {
    if (!left_out_.contains(sentence)) {
      log_.warning(sentence);
    }
  }
  left_out_ = std::move(left_out);
}

ports::Task<Result<std::vector<model::Address>>> Ec2Cloud::list_addresses(ports::CallLimits limits) {
  Result<std::vector<AddressItem>> items = co_await client_.describe_addresses(std::move(limits));
  if (!items) {
    co_return std::move(items).error();
  }
  std::vector<model::Address> addresses;
  std::set<std::string> left_out;
  for (const AddressItem& item : *items) {
    auto address = address_of(item, client_.region());
    if (address) {
      addresses.push_back(*std::move(address));
    } else {
      left_out.insert(std::move(address).error());
    }
  }
  report(std::move(left_out));
  std::ranges::sort(addresses, {},
                    [](const model::Address& address) { return std::tie(address.ip, address.id); });
  co_return addresses;
}

ports::Task<Result<std::vector<model::Instance>>> Ec2Cloud::list_instances(std::vector<model::InstanceId> ids,
                                                                           ports::CallLimits limits) {
  std::vector<std::string> asked;
  for (const model::InstanceId& id : ids) {
    // Anybody can write an object with a text of any length there; one such text would fail the call for all.
    if (is_instance_id(id.str())) {
      asked.push_back(id.str());
    }
  }
  Result<std::vector<InstanceItem>> items =
      co_await client_.describe_instances(std::move(asked), std::move(limits));
  if (!items) {
    co_return std::move(items).error();
  }
  std::vector<model::Instance> instances;
  for (const InstanceItem& item : *items) {
    const auto state = state_of(item.state);
    if (!state) {
      log_.warning(fmt::format("Instance {} is left out: its state \"{}\" is not known", item.instance_id,
                               item.state));
      continue;
    }
    instances.push_back(
        {.id = model::InstanceId(item.instance_id),
         .state = *state,
         .target = target_of(item),
         .network_border_group = border_group_of_zone(item.availability_zone, client_.region())});
  }
  co_return instances;
}

ports::Task<ports::AssociateOutcome> Ec2Cloud::associate(model::AllocationId address, model::Target target,
                                                         ports::CallLimits limits) {
  AssociateAddressRequest request{
      .allocation_id = address.str(),
      .network_interface_id = target.interface.str(),
      .private_ip_address = target.private_ip.to_string(),
  };
  Called<std::string> association = co_await client_.associate_address(std::move(request), std::move(limits));
  if (!association) {
    co_return outcome_of<ports::AssociateOutcome>(std::move(association).error());
  }
  co_return ports::Associated{model::AssociationId(*std::move(association))};
}

ports::Task<ports::DisassociateOutcome> Ec2Cloud::disassociate(model::AssociationId association,
                                                               ports::CallLimits limits) {
  Called<void> done = co_await client_.disassociate_address(association.str(), std::move(limits));
  if (!done) {
    co_return outcome_of<ports::DisassociateOutcome>(std::move(done).error());
  }
  co_return ports::Disassociated{};
}

}  // namespace berth::aws
