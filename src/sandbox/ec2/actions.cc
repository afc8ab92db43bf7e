#include "sandbox/ec2/actions.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

namespace berth::sandbox {
namespace {

constexpr std::string_view kVersion = "2016-11-15";

constexpr std::string_view kFilter = "Filter.#.Name Filter.#.Value.# ";
constexpr std::string_view kPages = "MaxResults NextToken ";
constexpr std::string_view kTags =
    "TagSpecification.#.ResourceType TagSpecification.#.Tag.#.Key TagSpecification.#.Tag.#.Value ";
constexpr std::string_view kInterface =
    "NetworkInterface.#.AssociatePublicIpAddress NetworkInterface.#.DeleteOnTermination "
    "NetworkInterface.#.Description NetworkInterface.#.DeviceIndex NetworkInterface.#.InterfaceType "
    "NetworkInterface.#.NetworkCardIndex NetworkInterface.#.PrivateIpAddress "
    "NetworkInterface.#.PrivateIpAddresses.#.Primary "
    "NetworkInterface.#.PrivateIpAddresses.#.PrivateIpAddress "
    "NetworkInterface.#.SecondaryPrivateIpAddressCount NetworkInterface.#.SecurityGroupId.# "
    "NetworkInterface.#.SubnetId ";
// Of RunInstances, accepted without an effect: this world has no disks, users or prices.
constexpr std::string_view kLaunchDetails =
    "AdditionalInfo BlockDeviceMapping.* CapacityReservationSpecification.* CpuOptions.* "
    "CreditSpecification.* DisableApiStop DisableApiTermination EbsOptimized EnclaveOptions.* "
    "HibernationOptions.* IamInstanceProfile.* InstanceInitiatedShutdownBehavior InstanceMarketOptions.* "
    "MaintenanceOptions.* MetadataOptions.* Monitoring.Enabled Placement.Tenancy PrivateDnsNameOptions.* "
    "UserData ";

std::string join(std::initializer_list<std::string_view> parts) {
  return fmt::format("{}", fmt::join(parts, ""));
}

const std::vector<Action>& actions() {
  static const std::vector<Action> all = {
      {"AllocateAddress", "", join({kTags, "Address Domain NetworkBorderGroup PublicIpv4Pool"}),
       allocate_address},
      {"ReleaseAddress", "", "AllocationId NetworkBorderGroup PublicIp", release_address},
      {"AssociateAddress", "",
       "AllocationId AllowReassociation InstanceId NetworkInterfaceId PrivateIpAddress PublicIp",
       associate_address},
      {"DisassociateAddress", "", "AssociationId PublicIp", disassociate_address},
      {"DescribeAddresses", "", join({kFilter, "AllocationId.# PublicIp.#"}), describe_addresses},

      {"RunInstances", "ImageId MinCount MaxCount",
       join({kTags, kInterface, kLaunchDetails, "ClientToken ImageId InstanceType KeyName MaxCount MinCount ",
             "Placement.AvailabilityZone PrivateIpAddress SecurityGroup.# SecurityGroupId.# SubnetId"}),
       run_instances},
      {"StartInstances", "InstanceId", "InstanceId.# AdditionalInfo", start_instances},
      {"StopInstances", "InstanceId", "InstanceId.# Force Hibernate SkipOsShutdown", stop_instances},
      {"TerminateInstances", "InstanceId", "InstanceId.# Force SkipOsShutdown", terminate_instances},
      {"DescribeInstances", "", join({kFilter, kPages, "InstanceId.# IncludeManagedResources"}),
       describe_instances},
      {"DescribeNetworkInterfaces", "",
       join({kFilter, kPages, "NetworkInterfaceId.# IncludeManagedResources"}), describe_network_interfaces},

      {"CreateTags", "ResourceId Tag", "ResourceId.# Tag.#.Key Tag.#.Value", create_tags},
      {"DeleteTags", "ResourceId", "ResourceId.# Tag.#.Key Tag.#.Value", delete_tags},
      {"DescribeTags", "", join({kFilter, kPages}), describe_tags},
      {"DescribeRegions", "", "AllRegions RegionName.#", describe_regions},
  };
  return all;
}

bool has_parameter(const Query& query, std::string_view name) {
  return std::ranges::any_of(query.all(), [&](const auto& parameter) {
    const std::string& key = parameter.first;
    return key.starts_with(name) && (key.size() == name.size() || key[name.size()] == '.');
  });
}

}  // namespace

const Action* find_action(std::string_view name) {
  const auto found = std::ranges::find(actions(), name, &Action::name);
  return found == actions().end() ? nullptr : &*found;
}

std::vector<std::string_view> ec2_action_names() {
  std::vector<std::string_view> names;
  for (const Action& action : actions()) {
    names.push_back(action.name);
  }
  return names;
}

Outcome<> check_parameters(const Action& action, const Query& query) {
  const auto version = query.find("Version");
  if (!version) {
    return refuse("MissingParameter", "The request must contain the parameter Version");
  }
  if (*version != kVersion) {
    return refuse("NoSuchVersion",
                  fmt::format("The requested version ({}) of service AmazonEC2 does not exist", *version));
  }
  if (const auto unknown = query.first_unknown(join({"Action Version DryRun ", action.parameters}))) {
    return refuse("UnknownParameter", fmt::format("The parameter {} is not recognized", *unknown));
  }
  for (const std::string_view name : words(action.required)) {
    if (!has_parameter(query, name)) {
      return refuse("MissingParameter", fmt::format("The request must contain the parameter {}", name));
    }
  }
  const auto dry_run = query.get_bool("DryRun", false);
  if (!dry_run) {
    return tl::unexpected(dry_run.error());
  }
  if (*dry_run) {
    return refuse("DryRunOperation", usual_message("DryRunOperation"));
  }
  return {};
}

Outcome<Tags> tag_specification(const Query& query, std::string_view resource_type,
                                const std::vector<std::string_view>& allowed_types) {
  Tags tags;
  for (const Query& specification : query.structures("TagSpecification")) {
    const std::string type = specification.get("ResourceType");
    if (std::ranges::find(allowed_types, type) == allowed_types.end()) {
      return refuse("InvalidParameterValue",
                    fmt::format("'{}' is not a valid taggable resource type for this operation.", type));
    }
    if (type != resource_type) {
      continue;
    }
    for (const Query& tag : specification.structures("Tag")) {
      if (!tags.emplace(tag.get("Key"), tag.get("Value")).second) {
        return refuse("InvalidParameterValue",
                      fmt::format("Duplicate tag key '{}' specified.", tag.get("Key")));
      }
    }
  }
  if (const auto checked = check_tags(tags); !checked) {
    return tl::unexpected(checked.error());
  }
  return tags;
}

Outcome<std::optional<IpAddress>> get_ip(const Query& query, std::string_view name) {
  const auto text = query.find(name);
  if (!text) {
    return std::nullopt;
  }
  const auto ip = IpAddress::parse(*text);
  if (!ip) {
    return refuse("InvalidParameterValue",
                  fmt::format("Value ({}) for parameter {} is invalid. Invalid IPv4 address.", *text, name));
  }
  return ip;
}

}  // namespace berth::sandbox
