// DescribeInstances and DescribeNetworkInterfaces.

#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/filters.h"
#include "sandbox/ec2/interface_filters.h"
#include "sandbox/ec2/paging.h"
#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

const Interface* primary_interface(const Moment& moment, const Instance& instance) {
  return instance.interfaces.empty() ? nullptr : moment.interface(instance.interfaces.front());
}

/// A value of the primary interface's primary private address.
template <class Value>
FilterValues of_primary(const Moment& moment, const Instance& instance, Value value) {
  const Interface* interface = primary_interface(moment, instance);
  return interface != nullptr ? value(interface->private_addresses.front()) : FilterValues{};
}

FilterValues of_interfaces(InterfaceFilter filter, const Moment& moment, const Instance& instance) {
  FilterValues values;
  for (const InterfaceId& id : instance.interfaces) {
    if (const Interface* interface = moment.interface(id)) {
      const FilterValues more = filter(moment, *interface);
      values.insert(values.end(), more.begin(), more.end());
    }
  }
  return values;
}

FilterValues in_network(const Instance& instance, const std::string& value) {
  return instance.interfaces.empty() ? FilterValues{} : FilterValues{value};
}

FilterValues if_any(const std::string& value) { return value.empty() ? FilterValues{} : FilterValues{value}; }

/// What of the service model's list nothing in this world can have.
const std::set<std::string_view>& instance_filters_without_values() {
  static const std::set<std::string_view> names = {
      "affinity",
      "block-device-mapping.attach-time",
      "block-device-mapping.delete-on-termination",
      "block-device-mapping.device-name",
      "block-device-mapping.status",
      "block-device-mapping.volume-id",
      "boot-mode",
      "capacity-reservation-id",
      "capacity-reservation-specification.capacity-reservation-preference",
      "capacity-reservation-specification.capacity-reservation-target.capacity-reservation-id",
      "capacity-reservation-specification.capacity-reservation-target.capacity-reservation-resource-group-"
      "arn",
      "current-instance-boot-mode",
      "enclave-options.enabled",
      "hibernation-options.configured",
      "host-id",
      "iam-instance-profile.arn",
      "iam-instance-profile.id",
      "instance-lifecycle",
      "ipv6-address",
      "kernel-id",
      "maintenance-options.auto-recovery",
      "network-interface.ipv6-addresses.ipv6-address",
      "network-interface.requester-id",
      "operator.managed",
      "operator.principal",
      "outpost-arn",
      "placement-group-name",
      "placement-partition-number",
      "platform",
      "product-code",
      "product-code.type",
      "ramdisk-id",
      "requester-id",
      "spot-instance-request-id",
      "tpm-support"};
  return names;
}

FilterTable<Instance> make_instance_filters() {
  using M = const Moment&;
  using I = const Instance&;
  FilterTable<Instance> table{
      .values =
          {
              {"architecture", [](M, I) { return FilterValues{"x86_64"}; }},
              {"availability-zone", [](M m, I) { return FilterValues{m.options().zone()}; }},
              {"client-token", [](M, I i) { return if_any(i.client_token); }},
              {"dns-name",
               [](M m, I i) {
                 return of_primary(m, i, [&](const PrivateAddress& a) {
                   const auto side = public_side(m, a);
                   return side ? FilterValues{public_dns_name(m.options(), side->ip)} : FilterValues{};
                 });
               }},
              {"ena-support", [](M, I) { return FilterValues{"true"}; }},
              {"hypervisor", [](M, I) { return FilterValues{"xen"}; }},
              {"image-id", [](M, I i) { return FilterValues{i.image_id}; }},
              {"instance-id", [](M, I i) { return FilterValues{i.id.str()}; }},
              {"instance-state-code",
               [](M, I i) { return FilterValues{std::to_string(state_code(i.state))}; }},
              {"instance-state-name", [](M, I i) { return FilterValues{std::string(to_string(i.state))}; }},
              {"instance-type", [](M, I i) { return FilterValues{i.type}; }},
              {"instance.group-id", [](M m, I i) { return in_network(i, m.options().group_id); }},
              {"instance.group-name", [](M m, I i) { return in_network(i, m.options().group_name); }},
              {"ip-address",
               [](M m, I i) {
                 return of_primary(m, i, [&](const PrivateAddress& a) {
                   const auto side = public_side(m, a);
                   return side ? FilterValues{side->ip.to_string()} : FilterValues{};
                 });
               }},
              {"key-name", [](M, I i) { return if_any(i.key_name); }},
              {"launch-index", [](M, I i) { return FilterValues{std::to_string(i.launch_index)}; }},
              {"launch-time", [](M, I i) { return FilterValues{ec2_time(i.launched)}; }},
              {"metadata-options.http-tokens", [](M, I) { return FilterValues{"required"}; }},
              {"monitoring-state", [](M, I) { return FilterValues{"disabled"}; }},
              {"owner-id", [](M m, I) { return FilterValues{m.options().account}; }},
              {"private-dns-name",
               [](M m, I i) {
                 return of_primary(m, i, [&](const PrivateAddress& a) {
                   return FilterValues{private_dns_name(m.options(), a.ip)};
                 });
               }},
              {"private-ip-address",
               [](M m, I i) {
                 return of_primary(m, i,
                                   [](const PrivateAddress& a) { return FilterValues{a.ip.to_string()}; });
               }},
              {"reason", [](M, I i) { return if_any(i.reason); }},
              {"reservation-id", [](M, I i) { return FilterValues{i.reservation_id}; }},
              {"root-device-name", [](M, I) { return FilterValues{"/dev/xvda"}; }},
              {"root-device-type", [](M, I) { return FilterValues{"ebs"}; }},
              {"source-dest-check", [](M, I i) { return in_network(i, "true"); }},
              {"subnet-id", [](M m, I i) { return in_network(i, m.options().subnet_id); }},
              {"tenancy", [](M, I) { return FilterValues{"default"}; }},
              {"virtualization-type", [](M, I) { return FilterValues{"hvm"}; }},
              {"vpc-id", [](M m, I i) { return in_network(i, m.options().vpc_id); }},
          },
      .without_values = instance_filters_without_values()};
  static const std::map<std::string, InterfaceFilter> nested = [] {
    std::map<std::string, InterfaceFilter> names;
    for (const auto& [name, filter] : interface_filters()) {
      names.emplace(fmt::format("network-interface.{}", name), filter);
    }
    return names;
  }();
  for (const auto& [name, filter] : nested) {
    table.values.emplace(name, [filter](M m, I i) { return of_interfaces(filter, m, i); });
  }
  return table;
}

FilterTable<Interface> make_interface_filters() {
  FilterTable<Interface> table;
  for (const auto& [name, filter] : interface_filters()) {
    table.values.emplace(name, filter);
  }
  table.values.emplace("addresses.association.owner-id",
                       interface_filters().at("addresses.association.ip-owner-id"));
  table.values.emplace("interface-type", [](const Moment&, const Interface& interface) {
    return FilterValues{interface.type};
  });
  table.without_values = {"availability-zone-id", "ipv6-addresses.ipv6-address", "operator.managed",
                          "operator.principal", "requester-id"};
  return table;
}

/// A resource id of EC2: its prefix, and 8 or 17 hexadecimal digits.
bool is_id(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  const std::string_view digits = text.substr(prefix.size());
  return (digits.size() == 8 || digits.size() == 17) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Outcome<std::vector<const Instance*>> named_instances(const Call& call, const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return call.moment.instances();
  }
  std::map<InstanceId, const Instance*> named;
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    if (!is_id(id, "i-")) {
      return refuse("InvalidInstanceID.Malformed", fmt::format("Invalid id: \"{}\"", id));
    }
    const Instance* instance = call.moment.instance(InstanceId(id));
    if (instance == nullptr) {
      missing.push_back(id);
    }
    named.emplace(id, instance);
  }
  if (!missing.empty()) {
    return refuse("InvalidInstanceID.NotFound",
                  missing.size() == 1
                      ? fmt::format("The instance ID '{}' does not exist", missing.front())
                      : fmt::format("The instance IDs '{}' do not exist", fmt::join(missing, ", ")));
  }
  std::vector<const Instance*> found;
  for (const auto& [id, instance] : named) {
    found.push_back(instance);
  }
  return found;
}

Outcome<std::vector<const Interface*>> named_interfaces(const Call& call,
                                                        const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return call.moment.interfaces();
  }
  std::map<InterfaceId, const Interface*> named;
  for (const std::string& id : ids) {
    if (!is_id(id, "eni-")) {
      return refuse("InvalidNetworkInterfaceId.Malformed",
                    fmt::format("Invalid id: \"{}\" (expecting \"eni-...\")", id));
    }
    const Interface* interface = call.moment.interface(InterfaceId(id));
    if (interface == nullptr) {
      return refuse("InvalidNetworkInterfaceID.NotFound",
                    fmt::format("The networkInterface ID '{}' does not exist", id));
    }
    named.emplace(id, interface);
  }
  std::vector<const Interface*> found;
  for (const auto& [id, interface] : named) {
    found.push_back(interface);
  }
  return found;
}

struct Describe {
  std::vector<std::string> ids;
  std::vector<Filter> filters;
  Paging paging;
};

template <class T>
Outcome<Describe> read_describe(const Query& query, const FilterTable<T>& table, std::string_view ids_name,
                                std::string_view ids_parameter) {
  Describe describe{query.list(ids_name), {}, {}};
  auto filters = parse_filters(query);
  if (!filters) {
    return tl::unexpected(filters.error());
  }
  if (const auto checked = check_filters(table, *filters); !checked) {
    return tl::unexpected(checked.error());
  }
  auto paging = parse_paging(query, !describe.ids.empty(), ids_parameter);
  if (!paging) {
    return tl::unexpected(paging.error());
  }
  describe.filters = std::move(*filters);
  describe.paging = std::move(*paging);
  return describe;
}

void write_reservations(Call& call, const std::vector<const Instance*>& instances) {
  std::map<std::string, std::vector<const Instance*>> reservations;
  for (const Instance* instance : instances) {
    reservations[instance->reservation_id].push_back(instance);
  }
  call.out.list("reservationSet", reservations, [&](const auto& reservation) {
    call.out.text("reservationId", reservation.first);
    call.out.text("ownerId", call.world.options().account);
    call.out.text("groupSet", "");
    call.out.list("instancesSet", reservation.second,
                  [&](const Instance* instance) { write_instance(call.out, call.moment, *instance); });
  });
}

}  // namespace

Outcome<> describe_instances(Call& call) {
  static const FilterTable<Instance> table = make_instance_filters();
  const auto describe = read_describe(call.query, table, "InstanceId", "instancesSet");
  if (!describe) {
    return tl::unexpected(describe.error());
  }
  auto instances = named_instances(call, describe->ids);
  if (!instances) {
    return tl::unexpected(instances.error());
  }
  std::erase_if(*instances, [&](const Instance* instance) {
    return !matches_filters(table, describe->filters, call.moment, *instance);
  });
  const std::string next =
      cut_page(*instances, describe->paging, [](const Instance& instance) { return instance.id.str(); });
  write_reservations(call, *instances);
  call.out.text_if_any("nextToken", next);
  return {};
}

Outcome<> describe_network_interfaces(Call& call) {
  static const FilterTable<Interface> table = make_interface_filters();
  const auto describe = read_describe(call.query, table, "NetworkInterfaceId", "networkInterfaceIdSet");
  if (!describe) {
    return tl::unexpected(describe.error());
  }
  auto interfaces = named_interfaces(call, describe->ids);
  if (!interfaces) {
    return tl::unexpected(interfaces.error());
  }
  std::erase_if(*interfaces, [&](const Interface* interface) {
    return !matches_filters(table, describe->filters, call.moment, *interface);
  });
  const std::string next =
      cut_page(*interfaces, describe->paging, [](const Interface& interface) { return interface.id.str(); });
  call.out.list("networkInterfaceSet", *interfaces,
                [&](const Interface* interface) { write_interface(call.out, call.moment, *interface); });
  call.out.text_if_any("nextToken", next);
  return {};
}

}  // namespace berth::sandbox
