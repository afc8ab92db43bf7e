// What instance metadata says, by path.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-metadata.html#instancedata-data-categories

#include <array>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "sandbox/ec2/shapes.h"
#include "sandbox/imds_server.h"

namespace berth::sandbox {
namespace {

namespace json = boost::json;
using Documents = std::map<std::string, std::string>;

constexpr std::string_view kMetaData = "latest/meta-data/";

std::string lines(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, "\n"));
}

void add_public_side(Documents& documents, const std::string& folder, const Moment& moment,
                     const Interface& interface) {
  std::vector<std::string> public_ips;
  for (const PrivateAddress& address : interface.private_addresses) {
    if (const auto side = public_side(moment, address)) {
      public_ips.push_back(side->ip.to_string());
      documents[fmt::format("{}ipv4-associations/{}", folder, side->ip.to_string())] = address.ip.to_string();
    }
  }
  if (!public_ips.empty()) {
    documents[folder + "public-ipv4s"] = lines(public_ips);
  }
  if (const auto side = public_side(moment, interface.private_addresses.front())) {
    documents[folder + "public-hostname"] = public_dns_name(moment.options(), side->ip);
  }
}

void add_interface(Documents& documents, const Moment& moment, const Interface& interface) {
  const WorldOptions& options = moment.options();
  const std::string folder = fmt::format("{}network/interfaces/macs/{}/", kMetaData, interface.mac);
  const IpAddress& primary = interface.private_addresses.front().ip;
  std::vector<std::string> local_ips;
  local_ips.reserve(interface.private_addresses.size());
  for (const PrivateAddress& address : interface.private_addresses) {
    local_ips.push_back(address.ip.to_string());
  }
  documents[folder + "device-number"] = std::to_string(interface.attachment->device_index);
  documents[folder + "interface-id"] = interface.id.str();
  documents[folder + "local-hostname"] = private_dns_name(options, primary);
  documents[folder + "local-ipv4s"] = lines(local_ips);
  documents[folder + "mac"] = interface.mac;
  if (interface.attachment->network_card != 0) {
    documents[folder + "network-card"] = std::to_string(interface.attachment->network_card);
  }
  documents[folder + "owner-id"] = options.account;
  documents[folder + "security-group-ids"] = options.group_id;
  documents[folder + "security-groups"] = options.group_name;
  documents[folder + "subnet-id"] = options.subnet_id;
  documents[folder + "subnet-ipv4-cidr-block"] = kNetworkCidr;
  documents[folder + "vpc-id"] = options.vpc_id;
  documents[folder + "vpc-ipv4-cidr-block"] = kNetworkCidr;
  documents[folder + "vpc-ipv4-cidr-blocks"] = kNetworkCidr;
  add_public_side(documents, folder, moment, interface);
}

std::string identity_document(const Moment& moment, const Instance& instance, const IpAddress& private_ip) {
  const WorldOptions& options = moment.options();
  return json::serialize(json::object{{"accountId", options.account},
                                      {"architecture", "x86_64"},
                                      {"availabilityZone", options.zone()},
                                      {"imageId", instance.image_id},
                                      {"instanceId", instance.id.str()},
                                      {"instanceType", instance.type},
                                      {"pendingTime", format_rfc3339(instance.launched, 0)},
                                      {"privateIp", private_ip.to_string()},
                                      {"region", options.region},
                                      {"version", "2017-09-30"}});
}

}  // namespace

std::map<std::string, std::string> metadata_documents(const Moment& moment, const Instance& instance) {
  const WorldOptions& options = moment.options();
  Documents documents;
  const auto add = [&](std::string_view name, std::string text) {
    documents[fmt::format("{}{}", kMetaData, name)] = std::move(text);
  };
  add("ami-id", instance.image_id);
  add("ami-launch-index", std::to_string(instance.launch_index));
  add("instance-id", instance.id.str());
  add("instance-life-cycle", "on-demand");
  add("instance-type", instance.type);
  add("placement/availability-zone", options.zone());
  add("placement/region", options.region);
  add("reservation-id", instance.reservation_id);
  add("security-groups", options.group_name);
  add("services/domain", "amazonaws.com");
  add("services/partition", "aws");
  for (const InterfaceId& id : instance.interfaces) {
    if (const Interface* interface = moment.interface(id)) {
      add_interface(documents, moment, *interface);
    }
  }
  const Interface* primary =
      instance.interfaces.empty() ? nullptr : moment.interface(instance.interfaces.front());
  if (primary == nullptr) {
    return documents;
  }
  const PrivateAddress& address = primary->private_addresses.front();
  const std::string local_name = private_dns_name(options, address.ip);
  add("mac", primary->mac);
  add("local-ipv4", address.ip.to_string());
  for (const char* name : {"hostname", "local-hostname"}) {
    add(name, local_name);
  }
  if (const auto side = public_side(moment, address)) {
    add("public-ipv4", side->ip.to_string());
    add("public-hostname", public_dns_name(options, side->ip));
  }
  documents["latest/dynamic/instance-identity/document"] = identity_document(moment, instance, address.ip);
  return documents;
}

}  // namespace berth::sandbox
