#include "sandbox/ec2/interface_filters.h"

#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

std::string text(bool value) { return value ? "true" : "false"; }

/// One value per private address that has a public side.
template <class Value>
FilterValues of_associations(const Moment& moment, const Interface& interface, Value value) {
  FilterValues values;
  for (const PrivateAddress& address : interface.private_addresses) {
    if (const auto side = public_side(moment, address)) {
      if (std::string one = value(*side); !one.empty()) {
        values.push_back(std::move(one));
      }
    }
  }
  return values;
}

template <class Value>
FilterValues of_attachment(const Interface& interface, Value value) {
  return interface.attachment ? FilterValues{value(*interface.attachment)} : FilterValues{};
}

template <class Value>
FilterValues of_private(const Interface& interface, Value value) {
  FilterValues values;
  for (const PrivateAddress& address : interface.private_addresses) {
    values.push_back(value(address));
  }
  return values;
}

std::string allocation(const PublicSide& side) { return side.allocation_id.str(); }
std::string association(const PublicSide& side) { return side.association_id.str(); }
std::string owner(const PublicSide& side) { return side.owner; }
std::string ip(const PublicSide& side) { return side.ip.to_string(); }

FilterValues dns_names(const Moment& moment, const Interface& interface) {
  return of_associations(moment, interface,
                         [&](const PublicSide& side) { return public_dns_name(moment.options(), side.ip); });
}

FilterValues attachment_status(const Moment& moment, const Interface& interface) {
  return of_attachment(interface, [&](const Attachment& attachment) {
    const Instance* instance = moment.instance(attachment.instance_id);
    return std::string(instance != nullptr && instance->state == InstanceState::kPending ? "attaching"
                                                                                         : "attached");
  });
}

}  // namespace

const std::map<std::string_view, InterfaceFilter>& interface_filters() {
  using M = const Moment&;
  using I = const Interface&;
  static const std::map<std::string_view, InterfaceFilter> filters = {
      {"addresses.association.allocation-id", [](M m, I i) { return of_associations(m, i, allocation); }},
      {"addresses.association.association-id", [](M m, I i) { return of_associations(m, i, association); }},
      {"addresses.association.ip-owner-id", [](M m, I i) { return of_associations(m, i, owner); }},
      {"addresses.association.public-dns-name", dns_names},
      {"addresses.association.public-ip", [](M m, I i) { return of_associations(m, i, ip); }},
      {"addresses.primary",
       [](M, I i) {
         return of_private(i, [&](const PrivateAddress& a) { return text(&a == &i.private_addresses[0]); });
       }},
      {"addresses.private-ip-address",
       [](M, I i) { return of_private(i, [](const PrivateAddress& a) { return a.ip.to_string(); }); }},
      {"association.allocation-id", [](M m, I i) { return of_associations(m, i, allocation); }},
      {"association.association-id", [](M m, I i) { return of_associations(m, i, association); }},
      {"association.ip-owner-id", [](M m, I i) { return of_associations(m, i, owner); }},
      {"association.public-dns-name", dns_names},
      {"association.public-ip", [](M m, I i) { return of_associations(m, i, ip); }},
      {"attachment.attach-time",
       [](M, I i) { return of_attachment(i, [](const Attachment& a) { return ec2_time(a.since); }); }},
      {"attachment.attachment-id",
       [](M, I i) { return of_attachment(i, [](const Attachment& a) { return a.id; }); }},
      {"attachment.delete-on-termination",
       [](M, I i) {
         return of_attachment(i, [](const Attachment& a) { return text(a.delete_on_termination); });
       }},
      {"attachment.device-index",
       [](M, I i) {
         return of_attachment(i, [](const Attachment& a) { return std::to_string(a.device_index); });
       }},
      {"attachment.instance-id",
       [](M, I i) { return of_attachment(i, [](const Attachment& a) { return a.instance_id.str(); }); }},
      {"attachment.instance-owner-id",
       [](M m, I i) { return of_attachment(i, [&](const Attachment&) { return m.options().account; }); }},
      {"attachment.network-card-index",
       [](M, I i) {
         return of_attachment(i, [](const Attachment& a) { return std::to_string(a.network_card); });
       }},
      {"attachment.status", attachment_status},
      {"availability-zone", [](M m, I) { return FilterValues{m.options().zone()}; }},
      {"description", [](M, I i) { return FilterValues{i.description}; }},
      {"group-id", [](M m, I) { return FilterValues{m.options().group_id}; }},
      {"mac-address", [](M, I i) { return FilterValues{i.mac}; }},
      {"network-interface-id", [](M, I i) { return FilterValues{i.id.str()}; }},
      {"owner-id", [](M m, I) { return FilterValues{m.options().account}; }},
      {"private-dns-name",
       [](M m, I i) { return FilterValues{private_dns_name(m.options(), i.private_addresses[0].ip)}; }},
      {"private-ip-address",
       [](M, I i) { return of_private(i, [](const PrivateAddress& a) { return a.ip.to_string(); }); }},
      {"requester-managed", [](M, I) { return FilterValues{"false"}; }},
      {"source-dest-check", [](M, I) { return FilterValues{"true"}; }},
      {"status", [](M, I i) { return FilterValues{i.attachment ? "in-use" : "available"}; }},
      {"subnet-id", [](M m, I) { return FilterValues{m.options().subnet_id}; }},
      {"tag-key", [](M, I i) { return tag_values(i.tags, "tag-key"); }},
      {"vpc-id", [](M m, I) { return FilterValues{m.options().vpc_id}; }},
  };
  return filters;
}

}  // namespace berth::sandbox
