#include "sandbox/ec2/instance_filters.h"

#include <fmt/format.h>

#include "sandbox/ec2/interface_filters.h"
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

// What of the service model's list nothing in this world can have.
constexpr std::string_view kWithoutValues =
    "affinity availability-zone-id block-device-mapping.attach-time "
    "block-device-mapping.delete-on-termination block-device-mapping.device-name block-device-mapping.status "
    "block-device-mapping.volume-id boot-mode capacity-reservation-id "
    "capacity-reservation-specification.capacity-reservation-preference "
    "capacity-reservation-specification.capacity-reservation-target.capacity-reservation-id "
    "capacity-reservation-specification.capacity-reservation-target."
    "capacity-reservation-resource-group-arn "
    "current-instance-boot-mode enclave-options.enabled hibernation-options.configured host-id "
    "iam-instance-profile.arn iam-instance-profile.id instance-lifecycle ipv6-address kernel-id "
    "maintenance-options.auto-recovery metadata-options.http-protocol-ipv4 "
    "metadata-options.http-protocol-ipv6 metadata-options.instance-metadata-tags "
    "network-interface.addresses.association.carrier-ip "
    "network-interface.addresses.association.customer-owned-ip network-interface.association.carrier-ip "
    "network-interface.association.customer-owned-ip network-interface.deny-all-igw-traffic "
    "network-interface.ipv4-prefixes.ipv4-prefix network-interface.ipv6-address "
    "network-interface.ipv6-addresses.ipv6-address network-interface.ipv6-addresses.is-primary-ipv6 "
    "network-interface.ipv6-native network-interface.ipv6-prefixes.ipv6-prefix "
    "network-interface.operator.managed network-interface.operator.principal network-interface.outpost-arn "
    "network-interface.requester-id network-performance-options.bandwidth-weighting operator.managed "
    "operator.principal outpost-arn placement-group-name placement-partition-number platform "
    "private-dns-name-options.enable-resource-name-dns-a-record "
    "private-dns-name-options.enable-resource-name-dns-aaaa-record private-dns-name-options.hostname-type "
    "product-code product-code.type ramdisk-id requester-id spot-instance-request-id tpm-support "
    "usage-operation usage-operation-update-time";

/// What DescribeInstances alone has of each interface.
FilterValues tag_values_of(const Moment& /*moment*/, const Interface& interface) {
  FilterValues values;
  for (const auto& [key, value] : interface.tags) {
    values.push_back(value);
  }
  return values;
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
              {"ebs-optimized", [](M, I) { return FilterValues{"false"}; }},
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
              {"metadata-options.http-endpoint", [](M, I) { return FilterValues{"enabled"}; }},
              {"metadata-options.http-put-response-hop-limit", [](M, I) { return FilterValues{"2"}; }},
              {"metadata-options.state", [](M, I) { return FilterValues{"applied"}; }},
              {"metadata-options.http-tokens", [](M, I) { return FilterValues{"required"}; }},
              {"platform-details", [](M, I) { return FilterValues{"Linux/UNIX"}; }},
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
              {"state-reason-code", [](M, I i) { return if_any(state_reason_code(i)); }},
              {"state-reason-message", [](M, I i) { return if_any(state_reason_message(i)); }},
              {"subnet-id", [](M m, I i) { return in_network(i, m.options().subnet_id); }},
              {"tenancy", [](M, I) { return FilterValues{"default"}; }},
              {"virtualization-type", [](M, I) { return FilterValues{"hvm"}; }},
              {"vpc-id", [](M m, I i) { return in_network(i, m.options().vpc_id); }},
          },
      .without_values = [] {
        const auto names = words(kWithoutValues);
        return std::set<std::string_view>(names.begin(), names.end());
      }()};
  static const std::map<std::string, InterfaceFilter> nested = [] {
    std::map<std::string, InterfaceFilter> names;
    for (const auto& [name, filter] : interface_filters()) {
      names.emplace(fmt::format("network-interface.{}", name), filter);
    }
    names.emplace("network-interface.addresses.private-dns-name",
                  names.at("network-interface.private-dns-name"));
    names.emplace("network-interface.public-dns-name",
                  names.at("network-interface.association.public-dns-name"));
    names.emplace("network-interface.group-name", [](const Moment& moment, const Interface&) {
      return FilterValues{moment.options().group_name};
    });
    names.emplace("network-interface.tag-value", tag_values_of);
    return names;
  }();
  for (const auto& [name, filter] : nested) {
    table.values.emplace(name, [filter](M m, I i) { return of_interfaces(filter, m, i); });
  }
  return table;
}

}  // namespace

const FilterTable<Instance>& instance_filters() {
  static const FilterTable<Instance> table = make_instance_filters();
  return table;
}

}  // namespace berth::sandbox
