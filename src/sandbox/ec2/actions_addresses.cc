// AllocateAddress, ReleaseAddress, AssociateAddress, DisassociateAddress, DescribeAddresses.

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/filters.h"
#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

FilterValues association_value(const Address& address, const std::string& value) {
  return address.association ? FilterValues{value} : FilterValues{};
}

const FilterTable<Address>& address_filters() {
  using A = const Address&;
  using M = const Moment&;
  static const FilterTable<Address> table{
      .values =
          {
              {"allocation-id", [](M, A a) { return FilterValues{a.id.str()}; }},
              {"association-id",
               [](M, A a) { return association_value(a, a.association ? a.association->id.str() : ""); }},
              {"domain", [](M, A a) { return FilterValues{a.domain}; }},
              {"instance-id",
               [](M m, A a) {
                 const Instance* instance = m.instance_of(a);
                 return instance != nullptr ? FilterValues{instance->id.str()} : FilterValues{};
               }},
              {"network-border-group", [](M, A a) { return FilterValues{a.border_group}; }},
              {"network-interface-id",
               [](M, A a) {
                 return association_value(a, a.association ? a.association->interface_id.str() : "");
               }},
              {"network-interface-owner-id",
               [](M m, A a) { return association_value(a, m.options().account); }},
              {"private-ip-address",
               [](M, A a) {
                 return association_value(a, a.association ? a.association->private_ip.to_string() : "");
               }},
              {"public-ip", [](M, A a) { return FilterValues{a.public_ip.to_string()}; }},
          },
      .without_values = {}};
  return table;
}

/// The addresses that AllocationId.N and PublicIp.N name; all where they name none.
Outcome<std::vector<const Address*>> named_addresses(const Call& call) {
  std::vector<const Address*> all = call.moment.addresses();
  const auto ids = call.query.list("AllocationId");
  const auto ips = call.query.list("PublicIp");
  if (ids.empty() && ips.empty()) {
    return all;
  }
  std::vector<const Address*> named;
  for (const std::string& id : ids) {
    const Address* found = call.moment.address(AllocationId(id));
    if (found == nullptr) {
      return refuse("InvalidAllocationID.NotFound", fmt::format("The allocation ID '{}' does not exist", id));
    }
    named.push_back(found);
  }
  for (const std::string& ip : ips) {
    const auto found =
        std::ranges::find_if(all, [&](const Address* one) { return one->public_ip.to_string() == ip; });
    if (found == all.end()) {
      return IpAddress::parse(ip)
                 ? refuse("InvalidAddress.NotFound", fmt::format("Address '{}' not found.", ip))
                 : refuse("InvalidParameterValue", fmt::format("Invalid IP address: '{}'", ip));
    }
    named.push_back(*found);
  }
  return named;
}

}  // namespace

Outcome<> allocate_address(Call& call) {
  if (const std::string domain = call.query.get("Domain"); !domain.empty() && domain != "vpc") {
    return refuse("InvalidParameterValue",
                  fmt::format("Value ({}) for parameter domain is invalid.", domain));
  }
  if (const std::string pool = call.query.get("PublicIpv4Pool"); !pool.empty() && pool != "amazon") {
    return refuse("InvalidPublicIpv4PoolID.NotFound", fmt::format("The pool ID '{}' does not exist", pool));
  }
  const auto ip = get_ip(call.query, "Address");
  if (!ip) {
    return tl::unexpected(ip.error());
  }
  const auto tags = tag_specification(call.query, "elastic-ip", {"elastic-ip"});
  if (!tags) {
    return tl::unexpected(tags.error());
  }
  const auto id = call.world.allocate_address(
      {.public_ip = *ip, .border_group = call.query.get("NetworkBorderGroup"), .tags = *tags});
  if (!id) {
    return tl::unexpected(id.error());
  }
  const Moment now = call.world.now();
  const Address& address = *now.address(*id);
  call.out.text("publicIp", address.public_ip.to_string());
  call.out.text("domain", address.domain);
  call.out.text("allocationId", address.id.str());
  call.out.text("publicIpv4Pool", "amazon");
  call.out.text("networkBorderGroup", address.border_group);
  return {};
}

Outcome<> release_address(Call& call) {
  const auto id = call.query.find("AllocationId");
  const auto ip = call.query.find("PublicIp");
  if (id && ip) {
    return refuse("InvalidParameterCombination",
                  "You may specify public IP or allocation id, but not both in the same call");
  }
  if (ip) {
    return refuse("InvalidParameterValue",
                  "You must specify an allocation id when releasing a VPC elastic IP address");
  }
  if (!id) {
    return refuse("MissingParameter", "The request must contain the parameter AllocationId");
  }
  const Address* address = call.world.now().address(AllocationId(*id));
  const auto group = call.query.find("NetworkBorderGroup");
  if (address != nullptr && group && *group != address->border_group) {
    return refuse("InvalidAddress.NotFound",
                  fmt::format("Address '{}' not found in the network border group {}.",
                              address->public_ip.to_string(), *group));
  }
  const auto released = call.world.release_address(AllocationId(*id));
  if (released) {
    call.out.text("return", true);
  }
  return released;
}

Outcome<> associate_address(Call& call) {
  const Query& query = call.query;
  const auto public_ip = get_ip(query, "PublicIp");
  const auto private_ip = get_ip(query, "PrivateIpAddress");
  const auto allow = query.get_bool("AllowReassociation", true);
  if (!public_ip || !private_ip || !allow) {
    return tl::unexpected(!public_ip ? public_ip.error() : !private_ip ? private_ip.error() : allow.error());
  }
  const AssociateRequest request{.allocation_id = AllocationId(query.get("AllocationId")),
                                 .public_ip = *public_ip,
                                 .interface_id = InterfaceId(query.get("NetworkInterfaceId")),
                                 .instance_id = InstanceId(query.get("InstanceId")),
                                 .private_ip = *private_ip,
                                 .allow_reassociation = *allow};
  if (request.allocation_id.empty() == !request.public_ip) {
    return request.public_ip
               ? refuse("InvalidParameterCombination",
                        "You may specify public IP or allocation id, but not both in the same call")
               : refuse("MissingParameter", "Either public IP or allocation id must be specified");
  }
  if (request.interface_id.empty() == request.instance_id.empty()) {
    return request.interface_id.empty()
               ? refuse("MissingParameter", "Either instance ID or network interface id must be specified")
               : refuse("InvalidParameterCombination",
                        "You may specify instance ID or network interface id, but not both in the same call");
  }
  const auto association = call.world.associate_address(request);
  if (!association) {
    return tl::unexpected(association.error());
  }
  call.out.text("return", true);
  call.out.text("associationId", association->str());
  return {};
}

Outcome<> disassociate_address(Call& call) {
  const auto id = call.query.find("AssociationId");
  if (!id && call.query.find("PublicIp")) {
    return refuse("InvalidParameterValue",
                  "You must specify an association id when unmapping an address from a VPC instance");
  }
  if (!id) {
    return refuse("MissingParameter", "The request must contain the parameter AssociationId");
  }
  const auto done = call.world.disassociate_address(AssociationId(*id));
  if (done) {
    call.out.text("return", true);
  }
  return done;
}

Outcome<> describe_addresses(Call& call) {
  const auto filters = parse_filters(call.query);
  if (!filters) {
    return tl::unexpected(filters.error());
  }
  if (const auto checked = check_filters(address_filters(), *filters); !checked) {
    return checked;
  }
  auto addresses = named_addresses(call);
  if (!addresses) {
    return tl::unexpected(addresses.error());
  }
  std::erase_if(*addresses, [&](const Address* address) {
    return !matches_filters(address_filters(), *filters, call.moment, *address);
  });
  call.out.list("addressesSet", *addresses,
                [&](const Address* address) { write_address(call.out, call.moment, *address); });
  return {};
}

}  // namespace berth::sandbox
