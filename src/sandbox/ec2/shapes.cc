#include "sandbox/ec2/shapes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace berth::sandbox {
namespace {

std::string dashed(const IpAddress& ip) {
  std::string text = ip.to_string();
  std::ranges::replace(text, '.', '-');
  return text;
}

void write_tags(Xml& out, const Tags& tags) {
  if (tags.empty()) {
    return;
  }
  out.list("tagSet", tags, [&](const auto& tag) {
    out.text("key", tag.first);
    out.text("value", tag.second);
  });
}

void write_groups(Xml& out, const WorldOptions& options) {
  out.list("groupSet", std::array{&options}, [&](const WorldOptions* one) {
    out.text("groupId", one->group_id);
    out.text("groupName", one->group_name);
  });
}

/// DescribeNetworkInterfaces shows the ids of an association, DescribeInstances does not.
void write_association(Xml& out, const Moment& moment, const PrivateAddress& address, bool with_ids) {
  const auto side = public_side(moment, address);
  if (!side) {
    return;
  }
  out.element("association", [&] {
    if (with_ids) {
      out.text_if_any("allocationId", side->allocation_id.str());
      out.text_if_any("associationId", side->association_id.str());
    }
    out.text("ipOwnerId", side->owner);
    out.text("publicDnsName", public_dns_name(moment.options(), side->ip));
    out.text("publicIp", side->ip.to_string());
  });
}

void write_attachment(Xml& out, const Moment& moment, const Interface& interface, bool with_instance) {
  if (!interface.attachment) {
    return;
  }
  const Attachment& attachment = *interface.attachment;
  const Instance* instance = moment.instance(attachment.instance_id);
  const bool is_attaching = instance != nullptr && instance->state == InstanceState::kPending;
  out.element("attachment", [&] {
    out.text("attachTime", ec2_time(attachment.since));
    out.text("attachmentId", attachment.id);
    out.text("deleteOnTermination", attachment.delete_on_termination);
    out.text("deviceIndex", attachment.device_index);
    out.text("networkCardIndex", attachment.network_card);
    if (with_instance) {
      out.text("instanceId", attachment.instance_id.str());
      out.text("instanceOwnerId", moment.options().account);
    }
    out.text("status", is_attaching ? "attaching" : "attached");
  });
}

/// What an interface is, as both DescribeInstances and DescribeNetworkInterfaces tell it.
void write_interface_body(Xml& out, const Moment& moment, const Interface& interface, bool as_resource) {
  const WorldOptions& options = moment.options();
  const PrivateAddress& primary = interface.private_addresses.front();
  out.text("networkInterfaceId", interface.id.str());
  out.text("subnetId", options.subnet_id);
  out.text("vpcId", options.vpc_id);
  out.text("description", interface.description);
  out.text("ownerId", options.account);
  out.text("status", interface.attachment ? "in-use" : "available");
  out.text("macAddress", interface.mac);
  out.text("privateIpAddress", primary.ip.to_string());
  out.text("privateDnsName", private_dns_name(options, primary.ip));
  out.text("sourceDestCheck", true);
  out.text("interfaceType", interface.type);
  write_groups(out, options);
  write_attachment(out, moment, interface, as_resource);
  write_association(out, moment, primary, as_resource);
  out.list("privateIpAddressesSet", interface.private_addresses, [&](const PrivateAddress& address) {
    out.text("privateIpAddress", address.ip.to_string());
    out.text("privateDnsName", private_dns_name(options, address.ip));
    out.text("primary", address.ip == primary.ip);
    write_association(out, moment, address, as_resource);
  });
}

void write_instance_network(Xml& out, const Moment& moment, const Instance& instance) {
  const WorldOptions& options = moment.options();
  std::vector<const Interface*> interfaces;
  for (const InterfaceId& id : instance.interfaces) {
    if (const Interface* interface = moment.interface(id)) {
      interfaces.push_back(interface);
    }
  }
  if (interfaces.empty()) {
    for (const char* empty : {"privateDnsName", "dnsName", "groupSet", "networkInterfaceSet"}) {
      out.text(empty, "");
    }
    return;
  }
  const PrivateAddress& primary = interfaces.front()->private_addresses.front();
  const auto side = public_side(moment, primary);
  out.text("privateDnsName", private_dns_name(options, primary.ip));
  out.text("dnsName", side ? public_dns_name(options, side->ip) : "");
  out.text("subnetId", options.subnet_id);
  out.text("vpcId", options.vpc_id);
  out.text("privateIpAddress", primary.ip.to_string());
  if (side) {
    out.text("ipAddress", side->ip.to_string());
  }
  out.text("sourceDestCheck", true);
  write_groups(out, options);
  out.list("networkInterfaceSet", interfaces,
           [&](const Interface* interface) { write_interface_body(out, moment, *interface, false); });
}

}  // namespace

std::string state_reason_code(const Instance& instance) {
  const bool is_up = instance.state == InstanceState::kPending || instance.state == InstanceState::kRunning;
  return is_up ? "" : "Client.UserInitiatedShutdown";
}

std::string state_reason_message(const Instance& instance) {
  const std::string code = state_reason_code(instance);
  return code.empty() ? "" : code + ": User initiated shutdown";
}

std::string ec2_time(WallTime time) { return format_rfc3339(time, 3); }

std::string private_dns_name(const WorldOptions& options, const IpAddress& ip) {
  return options.region == "us-east-1" ? fmt::format("ip-{}.ec2.internal", dashed(ip))
                                       : fmt::format("ip-{}.{}.compute.internal", dashed(ip), options.region);
}

std::string public_dns_name(const WorldOptions& options, const IpAddress& ip) {
  return options.region == "us-east-1"
             ? fmt::format("ec2-{}.compute-1.amazonaws.com", dashed(ip))
             : fmt::format("ec2-{}.{}.compute.amazonaws.com", dashed(ip), options.region);
}

std::optional<PublicSide> public_side(const Moment& moment, const PrivateAddress& address) {
  if (const Address* elastic = moment.address(address.allocation_id);
      elastic != nullptr && elastic->association) {
    return PublicSide{elastic->public_ip, moment.options().account, elastic->id, elastic->association->id};
  }
  if (address.auto_ip) {
    return PublicSide{*address.auto_ip, "amazon", {}, {}};
  }
  return std::nullopt;
}

void write_address(Xml& out, const Moment& moment, const Address& address) {
  out.text("publicIp", address.public_ip.to_string());
  out.text("allocationId", address.id.str());
  out.text("domain", address.domain);
  if (address.association) {
    const Association& association = *address.association;
    if (const Instance* instance = moment.instance_of(address)) {
      out.text("instanceId", instance->id.str());
    }
    out.text("associationId", association.id.str());
    out.text("networkInterfaceId", association.interface_id.str());
    out.text("networkInterfaceOwnerId", moment.options().account);
    out.text("privateIpAddress", association.private_ip.to_string());
  }
  write_tags(out, address.tags);
  out.text("publicIpv4Pool", "amazon");
  out.text("networkBorderGroup", address.border_group);
  out.text_if_any("serviceManaged", address.service_managed);
}

void write_state(Xml& out, std::string_view element, InstanceState state) {
  out.element(element, [&] {
    out.text("code", state_code(state));
    out.text("name", to_string(state));
  });
}

void write_instance(Xml& out, const Moment& moment, const Instance& instance) {
  out.text("instanceId", instance.id.str());
  out.text("imageId", instance.image_id);
  write_state(out, "instanceState", instance.state);
  out.text("reason", instance.reason);
  out.text_if_any("keyName", instance.key_name);
  out.text("amiLaunchIndex", instance.launch_index);
  out.text("productCodes", "");
  out.text("instanceType", instance.type);
  out.text("launchTime", ec2_time(instance.launched));
  out.element("placement", [&] {
    out.text("availabilityZone", moment.options().zone());
    out.text("tenancy", "default");
  });
  out.element("monitoring", [&] { out.text("state", "disabled"); });
  write_instance_network(out, moment, instance);
  out.text("architecture", "x86_64");
  out.text("rootDeviceType", "ebs");
  out.text("rootDeviceName", "/dev/xvda");
  out.text("blockDeviceMapping", "");
  out.text("virtualizationType", "hvm");
  out.text("clientToken", instance.client_token);
  write_tags(out, instance.tags);
  out.text("hypervisor", "xen");
  out.text("ebsOptimized", false);
  out.text("enaSupport", true);
  out.text("platformDetails", "Linux/UNIX");
  out.element("metadataOptions", [&] {
    out.text("state", "applied");
    out.text("httpTokens", "required");
    out.text("httpPutResponseHopLimit", 2);
    out.text("httpEndpoint", "enabled");
  });
  if (const std::string code = state_reason_code(instance); !code.empty()) {
    out.element("stateReason", [&] {
      out.text("code", code);
      out.text("message", state_reason_message(instance));
    });
  }
}

void write_interface(Xml& out, const Moment& moment, const Interface& interface) {
  out.text("availabilityZone", moment.options().zone());
  out.text("requesterManaged", false);
  write_interface_body(out, moment, interface, true);
  write_tags(out, interface.tags);
}

}  // namespace berth::sandbox
