#pragma once
// EC2's XML replies as small plain structs: what this product reads, and nothing more. An element that is
// missing and one that is empty are the same; an unknown one is passed over. Element names are those of AWS's
// service model (botocore, data/ec2/2016-11-15/service-2.json).
//
// Decoders take the body by value, since they read it in place. Each gives kInternal, with a sentence that
// says what was found, for a body that is no XML, is cut off, is of another kind, or is larger than
// kLargestReplyBytes.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::aws {

/// An address takes some 700 bytes, an instance up to 10 kB, a page has at most 1,000 of these.
inline constexpr std::size_t kLargestReplyBytes = std::size_t{32} << 20U;

/// `addressesSet/item` of DescribeAddresses.
struct AddressItem {
  std::string allocation_id;
  std::string public_ip;
  std::string carrier_ip;
  std::string customer_owned_ip;
  std::string domain;  // "vpc", "standard"
  std::string network_border_group;
  std::string service_managed;
  std::string association_id;
  std::string network_interface_id;
  std::string network_interface_owner_id;
  std::string private_ip_address;
  std::string instance_id;
  std::vector<std::pair<std::string, std::string>> tags;
};

/// `networkInterfaceSet/item` of an instance.
struct InstanceInterfaceItem {
  std::string network_interface_id;
  std::string private_ip_address;         // the primary one
  std::optional<int> device_index;        // of its attachment
  std::optional<int> network_card_index;  // of its attachment; instances with one card need not have it
};

/// `reservationSet/item/instancesSet/item` of DescribeInstances.
struct InstanceItem {
  std::string instance_id;
  std::string state;
  std::string availability_zone;
  std::vector<InstanceInterfaceItem> interfaces;
};

struct InstancesPage {
  std::vector<InstanceItem> instances;
  std::string next_token;  // empty: this was the last page
};

struct ErrorReply {
  std::string code;
  std::string message;
  std::string request_id;
};

Result<std::vector<AddressItem>> decode_describe_addresses(std::string xml);
Result<InstancesPage> decode_describe_instances(std::string xml);

/// The association's id.
Result<std::string> decode_associate_address(std::string xml);
Result<void> decode_disassociate_address(std::string xml);

/// Nothing where the body is no error of AWS's: a proxy's page, an empty body.
std::optional<ErrorReply> decode_error(std::string xml);

}  // namespace berth::aws
