// RunInstances, StartInstances, StopInstances, TerminateInstances.

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

Outcome<> check_network(const WorldOptions& options, const std::string& subnet,
                        const std::vector<std::string>& groups) {
  if (!subnet.empty() && subnet != options.subnet_id) {
    return refuse("InvalidSubnetID.NotFound", fmt::format("The subnet ID '{}' does not exist", subnet));
  }
  for (const std::string& group : groups) {
    if (group != options.group_id) {
      return refuse("InvalidGroup.NotFound",
                    fmt::format("The security group '{}' does not exist in VPC '{}'", group, options.vpc_id));
    }
  }
  return {};
}

/// The private addresses of one NetworkInterface.N, by either of the two ways to name them.
Outcome<> read_private_ips(const Query& query, InterfaceSpec& spec) {
  const auto primary = get_ip(query, "PrivateIpAddress");
  if (!primary) {
    return tl::unexpected(primary.error());
  }
  spec.private_ip = *primary;
  for (const Query& one : query.structures("PrivateIpAddresses")) {
    const auto ip = get_ip(one, "PrivateIpAddress");
    const auto is_primary = one.get_bool("Primary", false);
    if (!ip || !is_primary) {
      return tl::unexpected(!ip ? ip.error() : is_primary.error());
    }
    if (*is_primary) {
      spec.private_ip = *ip;
    } else if (*ip) {
      spec.secondary_ips.push_back(**ip);
    }
  }
  const auto count = query.get_int("SecondaryPrivateIpAddressCount");
  if (!count) {
    return tl::unexpected(count.error());
  }
  spec.secondary_count = count->value_or(0);
  return {};
}

Outcome<InterfaceSpec> read_interface(const Query& query, const WorldOptions& options) {
  InterfaceSpec spec;
  if (const auto checked = check_network(options, query.get("SubnetId"), query.list("SecurityGroupId"));
      !checked) {
    return tl::unexpected(checked.error());
  }
  const auto device_index = query.get_int("DeviceIndex");
  const auto network_card = query.get_int("NetworkCardIndex");
  const auto delete_on_termination = query.get_bool("DeleteOnTermination", true);
  // The subnet gives public addresses, as a default subnet does, unless the launch says otherwise.
  const auto auto_public_ip = query.get_bool("AssociatePublicIpAddress", true);
  for (const auto* checked : {&device_index, &network_card}) {
    if (!*checked) {
      return tl::unexpected(checked->error());
    }
  }
  for (const auto* checked : {&delete_on_termination, &auto_public_ip}) {
    if (!*checked) {
      return tl::unexpected(checked->error());
    }
  }
  if (!*device_index) {
    return refuse("MissingParameter", "Each network interface requires a device index.");
  }
  if (const auto read = read_private_ips(query, spec); !read) {
    return tl::unexpected(read.error());
  }
  spec.device_index = **device_index;
  spec.network_card = network_card->value_or(0);
  spec.delete_on_termination = *delete_on_termination;
  spec.auto_public_ip = *auto_public_ip && spec.device_index == 0 && spec.network_card == 0;
  spec.description = query.get("Description");
  spec.type = query.find("InterfaceType").value_or("interface");
  return spec;
}

Outcome<std::vector<InterfaceSpec>> read_interfaces(const Query& query, const WorldOptions& options) {
  const auto structures = query.structures("NetworkInterface");
  if (structures.empty()) {
    InterfaceSpec only{.auto_public_ip = true};
    if (const auto read = read_private_ips(query, only); !read) {
      return tl::unexpected(read.error());
    }
    return std::vector{only};
  }
  if (query.find("SubnetId") || query.find("PrivateIpAddress") || !query.list("SecurityGroupId").empty()) {
    return refuse(
        "InvalidParameterCombination",
        "Network interfaces and an instance-level subnet ID, private IP address or security groups may not "
        "be specified on the same request");
  }
  std::vector<InterfaceSpec> specs;
  for (const Query& structure : structures) {
    if (structures.size() > 1 && structure.find("AssociatePublicIpAddress") == "true") {
      return refuse(
          "InvalidParameterCombination",
          "The associatePublicIPAddress parameter cannot be specified when launching with multiple network "
          "interfaces.");
    }
    auto spec = read_interface(structure, options);
    if (!spec) {
      return tl::unexpected(spec.error());
    }
    specs.push_back(std::move(*spec));
  }
  return specs;
}

Outcome<int> read_count(const Query& query) {
  const auto least = query.get_int("MinCount");
  const auto most = query.get_int("MaxCount");
  if (!least || !most) {
    return tl::unexpected(!least ? least.error() : most.error());
  }
  if (least->value_or(0) < 1 || most->value_or(0) < least->value_or(0)) {
    return refuse(
        "InvalidParameterValue",
        fmt::format("Value ({}) for parameter minCount is invalid. It must be at least 1 and not greater "
                    "than maxCount ({}).",
                    query.get("MinCount"), query.get("MaxCount")));
  }
  return most->value();
}

Outcome<Launch> read_launch(const Query& query, const WorldOptions& options) {
  Launch launch{.image_id = query.get("ImageId"),
                .instance_type = query.find("InstanceType").value_or("m1.small"),
                .key_name = query.get("KeyName"),
                .client_token = query.get("ClientToken")};
  const auto count = read_count(query);
  if (!count) {
    return tl::unexpected(count.error());
  }
  launch.count = *count;
  if (!launch.image_id.starts_with("ami-")) {
    return refuse("InvalidAMIID.Malformed",
                  fmt::format("Invalid id: \"{}\" (expecting \"ami-...\")", launch.image_id));
  }
  if (const auto checked = check_network(options, query.get("SubnetId"), query.list("SecurityGroupId"));
      !checked) {
    return tl::unexpected(checked.error());
  }
  for (const std::string& name : query.list("SecurityGroup")) {
    if (name != options.group_name) {
      return refuse("InvalidGroup.NotFound", fmt::format("The security group '{}' does not exist", name));
    }
  }
  if (const auto zone = query.find("Placement.AvailabilityZone"); zone && *zone != options.zone()) {
    return refuse("InvalidParameterValue", fmt::format("Invalid availability zone: [{}]", *zone));
  }
  auto interfaces = read_interfaces(query, options);
  // EC2 can tag volumes too; this world has none.
  const std::vector<std::string_view> taggable = {"instance", "network-interface", "volume"};
  auto tags = tag_specification(query, "instance", taggable);
  const auto interface_tags = tag_specification(query, "network-interface", taggable);
  if (!interfaces) {
    return tl::unexpected(interfaces.error());
  }
  if (!tags || !interface_tags) {
    return tl::unexpected(!tags ? tags.error() : interface_tags.error());
  }
  launch.tags = std::move(*tags);
  launch.interfaces = std::move(*interfaces);
  for (InterfaceSpec& spec : launch.interfaces) {
    spec.tags = *interface_tags;
  }
  return launch;
}

std::vector<InstanceId> instance_ids(const Query& query) {
  std::vector<InstanceId> ids;
  for (std::string& id : query.list("InstanceId")) {
    ids.emplace_back(std::move(id));
  }
  return ids;
}

Outcome<> write_changes(Call& call, const Outcome<std::vector<StateChange>>& changes) {
  if (!changes) {
    return tl::unexpected(changes.error());
  }
  call.out.list("instancesSet", *changes, [&](const StateChange& change) {
    call.out.text("instanceId", change.instance_id.str());
    write_state(call.out, "currentState", change.current);
    write_state(call.out, "previousState", change.previous);
  });
  return {};
}

}  // namespace

Outcome<> run_instances(Call& call) {
  const auto launch = read_launch(call.query, call.world.options());
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  const auto ids = call.world.run_instances(*launch);
  if (!ids) {
    return tl::unexpected(ids.error());
  }
  const Moment now = call.world.now();
  call.out.text("reservationId", now.instance(ids->front())->reservation_id);
  call.out.text("ownerId", call.world.options().account);
  call.out.text("groupSet", "");
  call.out.list("instancesSet", *ids,
                [&](const InstanceId& id) { write_instance(call.out, now, *now.instance(id)); });
  return {};
}

Outcome<> start_instances(Call& call) {
  return write_changes(call, call.world.start_instances(instance_ids(call.query)));
}

Outcome<> stop_instances(Call& call) {
  return write_changes(call, call.world.stop_instances(instance_ids(call.query)));
}

Outcome<> terminate_instances(Call& call) {
  return write_changes(call, call.world.terminate_instances(instance_ids(call.query)));
}

}  // namespace berth::sandbox
