// DescribeInstances and DescribeNetworkInterfaces.

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/filters.h"
#include "sandbox/ec2/instance_filters.h"
#include "sandbox/ec2/interface_filters.h"
#include "sandbox/ec2/paging.h"
#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

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

/// In the order of their ids, each once, whatever order they were named in.
template <class T>
std::vector<const T*> sorted(std::vector<const T*> resources) {
  std::ranges::sort(resources, {}, [](const T* resource) { return resource->id; });
  const auto repeated = std::ranges::unique(resources);
  resources.erase(repeated.begin(), repeated.end());
  return resources;
}

Outcome<std::vector<const Instance*>> named_instances(const Call& call, const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return call.moment.instances();
  }
  std::vector<const Instance*> named;
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    if (!is_id(id, "i-")) {
      return refuse("InvalidInstanceID.Malformed", fmt::format("Invalid id: \"{}\"", id));
    }
    if (const Instance* instance = call.moment.instance(InstanceId(id))) {
      named.push_back(instance);
    } else {
      missing.push_back(id);
    }
  }
  if (missing.empty()) {
    return sorted(std::move(named));
  }
  return refuse("InvalidInstanceID.NotFound", no_such_instances(missing));
}

Outcome<std::vector<const Interface*>> named_interfaces(const Call& call,
                                                        const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return call.moment.interfaces();
  }
  std::vector<const Interface*> named;
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
    named.push_back(interface);
  }
  return sorted(std::move(named));
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
  const FilterTable<Instance>& table = instance_filters();
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
