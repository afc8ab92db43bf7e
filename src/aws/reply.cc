#include "aws/reply.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace berth::aws {
namespace {

constexpr std::string_view kDescribeAddresses = "DescribeAddresses";
constexpr std::string_view kDescribeInstances = "DescribeInstances";
constexpr std::string_view kAssociateAddress = "AssociateAddress";
constexpr std::string_view kDisassociateAddress = "DisassociateAddress";

/// Text of blanks alone is kept: it can be a tag's value. Entities of a DOCTYPE are never expanded by
/// pugixml.
constexpr unsigned kParseOptions = pugi::parse_default | pugi::parse_ws_pcdata_single;

Error broken(std::string_view action, std::string detail) {
  return Error{.kind = ErrorKind::kInternal, .operation = std::string(action), .detail = std::move(detail)};
}

/// A body and the tree that points into it.
struct Document {
  std::string body;
  pugi::xml_document tree;
};

/// The element `<ACTIONResponse>` of the body, which `document` keeps.
Result<pugi::xml_node> parse_response(Document& document, std::string_view action) {
  if (document.body.size() > kLargestReplyBytes) {
    return broken(action, fmt::format("the reply has {} bytes, more than the {} that are expected at most",
                                      document.body.size(), kLargestReplyBytes));
  }
  const pugi::xml_parse_result parsed = document.tree.load_buffer_inplace(
      document.body.data(), document.body.size(), kParseOptions, pugi::encoding_utf8);
  if (!parsed) {
    return broken(action, fmt::format("the reply is not XML, or is cut off: {} at byte {} of {}",
                                      parsed.description(), parsed.offset, document.body.size()));
  }
  const pugi::xml_node root = document.tree.document_element();
  const std::string expected = fmt::format("{}Response", action);
  if (root.name() != expected) {
    return broken(action,
                  fmt::format("the reply is <{}>, expected was <{}>; check that AWS_ENDPOINT_URL_EC2 or "
                              "AWS_ENDPOINT_URL is an EC2 endpoint",
                              root.name(), expected));
  }
  return root;
}

/// The list element of a response. EC2 sends it empty where there is nothing to list; its absence must not be
/// read as "there are none", for that would mean that every association is gone.
Result<pugi::xml_node> required_set(pugi::xml_node response, const char* name, std::string_view action) {
  const pugi::xml_node set = response.child(name);
  if (!set) {
    return broken(action, fmt::format("the reply has no <{}>", name));
  }
  return set;
}

std::string text_of(pugi::xml_node parent, const char* name) { return parent.child_value(name); }

std::optional<int> number_of(pugi::xml_node parent, const char* name) {
  const std::string_view text = parent.child_value(name);
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

AddressItem read_address(pugi::xml_node item) {
  AddressItem address{
      .allocation_id = text_of(item, "allocationId"),
      .public_ip = text_of(item, "publicIp"),
      .carrier_ip = text_of(item, "carrierIp"),
      .customer_owned_ip = text_of(item, "customerOwnedIp"),
      .domain = text_of(item, "domain"),
      .network_border_group = text_of(item, "networkBorderGroup"),
      .service_managed = text_of(item, "serviceManaged"),
      .association_id = text_of(item, "associationId"),
      .network_interface_id = text_of(item, "networkInterfaceId"),
      .network_interface_owner_id = text_of(item, "networkInterfaceOwnerId"),
      .private_ip_address = text_of(item, "privateIpAddress"),
      .instance_id = text_of(item, "instanceId"),
      .tags = {},
  };
  for (const pugi::xml_node tag : item.child("tagSet").children("item")) {
    address.tags.emplace_back(text_of(tag, "key"), text_of(tag, "value"));
  }
  return address;
}

InstanceInterfaceItem read_interface(pugi::xml_node item) {
  InstanceInterfaceItem interface{
      .network_interface_id = text_of(item, "networkInterfaceId"),
      .private_ip_address = text_of(item, "privateIpAddress"),
      .device_index = number_of(item.child("attachment"), "deviceIndex"),
      .network_card_index = number_of(item.child("attachment"), "networkCardIndex"),
  };
  for (const pugi::xml_node address : item.child("privateIpAddressesSet").children("item")) {
    if (text_of(address, "primary") == "true") {
      interface.private_ip_address = text_of(address, "privateIpAddress");
    }
  }
  return interface;
}

InstanceItem read_instance(pugi::xml_node item) {
  InstanceItem instance{
      .instance_id = text_of(item, "instanceId"),
      .state = text_of(item.child("instanceState"), "name"),
      .availability_zone = text_of(item.child("placement"), "availabilityZone"),
      .interfaces = {},
  };
  for (const pugi::xml_node interface : item.child("networkInterfaceSet").children("item")) {
    instance.interfaces.push_back(read_interface(interface));
  }
  return instance;
}

}  // namespace

Result<std::vector<AddressItem>> decode_describe_addresses(std::string xml) {
  Document document{std::move(xml), {}};
  const Result<pugi::xml_node> response = parse_response(document, kDescribeAddresses);
  if (!response) {
    return response.error();
  }
  const Result<pugi::xml_node> set = required_set(*response, "addressesSet", kDescribeAddresses);
  if (!set) {
    return set.error();
  }
  std::vector<AddressItem> addresses;
  for (const pugi::xml_node item : set->children("item")) {
    addresses.push_back(read_address(item));
  }
  return addresses;
}

Result<InstancesPage> decode_describe_instances(std::string xml) {
  Document document{std::move(xml), {}};
  const Result<pugi::xml_node> response = parse_response(document, kDescribeInstances);
  if (!response) {
    return response.error();
  }
  const Result<pugi::xml_node> set = required_set(*response, "reservationSet", kDescribeInstances);
  if (!set) {
    return set.error();
  }
  InstancesPage page;
  for (const pugi::xml_node reservation : set->children("item")) {
    for (const pugi::xml_node item : reservation.child("instancesSet").children("item")) {
      page.instances.push_back(read_instance(item));
    }
  }
  page.next_token = text_of(*response, "nextToken");
  return page;
}

Result<std::string> decode_associate_address(std::string xml) {
  Document document{std::move(xml), {}};
  const Result<pugi::xml_node> response = parse_response(document, kAssociateAddress);
  if (!response) {
    return response.error();
  }
  std::string association = text_of(*response, "associationId");
  if (association.empty()) {
    return broken(kAssociateAddress, "the reply has no <associationId>");
  }
  return association;
}

Result<void> decode_disassociate_address(std::string xml) {
  Document document{std::move(xml), {}};
  const Result<pugi::xml_node> response = parse_response(document, kDisassociateAddress);
  if (!response) {
    return response.error();
  }
  // EC2 sends <return>true</return>; some of its stand-ins send nothing there.
  if (text_of(*response, "return") == "false") {
    return broken(kDisassociateAddress,
                  "the reply says neither that it was done nor why not (<return> is false)");
  }
  return {};
}

std::optional<ErrorReply> decode_error(std::string xml) {
  if (xml.size() > kLargestReplyBytes) {
    return std::nullopt;
  }
  pugi::xml_document tree;
  if (!tree.load_buffer_inplace(xml.data(), xml.size(), kParseOptions, pugi::encoding_utf8)) {
    return std::nullopt;
  }
  // EC2: <Response><Errors><Error>; other services of AWS, and what stands before EC2:
  // <ErrorResponse><Error>.
  const pugi::xml_node root = tree.document_element();
  const pugi::xml_node errors = root.child("Errors");
  const pugi::xml_node error = errors ? errors.child("Error") : root.child("Error");
  ErrorReply reply{text_of(error, "Code"), text_of(error, "Message"), text_of(root, "RequestID")};
  if (reply.request_id.empty()) {
    reply.request_id = text_of(root, "RequestId");
  }
  return reply.code.empty() ? std::nullopt : std::optional(std::move(reply));
}

}  // namespace berth::aws
