#include "plan/reasons.h"

#include <algorithm>
#include <iterator>

namespace berth::plan {
namespace {

using model::Address;
using model::NodeView;
using model::Reason;
using model::ReasonCode;

constexpr std::size_t kAddressesNamed = 5;  // in one sentence; more would hide the point

std::string holder(const Address& address, const Holders& holders) {
  if (const model::NodeName* node = holders.find(address)) {
    return (address.association ? "node " : "on its way to node ") + node->str();
  }
  if (!address.association) {
    return "free";
  }
  const model::Association& association = *address.association;
  if (!association.instance.empty()) {
    return "instance " + association.instance.str();
  }
  if (!association.target.interface.empty()) {
    return "interface " + association.target.interface.str();
  }
  return "in use elsewhere";
}

std::string why_unusable(const Address& address, const PoolKey& key, const Holders& holders) {
  if (!address.service_managed.empty()) {
    return "managed by " + address.service_managed;
  }
  if (!address.in_vpc) {
    return "not of domain vpc";
  }
  if (address.network_border_group != key.network_border_group) {
    const auto name = [](const std::string& group) {
      return group.empty() ? std::string("the region's") : group;
    };
    return "border group " + name(address.network_border_group) + ", the node's is " +
           name(key.network_border_group);
  }
  return holder(address, holders);
}

/// "18.213.0.1 (node a), 18.213.0.2 (instance i-1) and 3 more".
template <class Say>
std::string list_addresses(const std::vector<const Address*>& addresses, Say say) {
  std::string text;
  const std::size_t named = std::min(addresses.size(), kAddressesNamed);
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : ", ") + addresses[i]->ip.to_string() + " (" + say(*addresses[i]) + ")";
  }
  if (addresses.size() > named) {
    text += " and " + std::to_string(addresses.size() - named) + " more";
  }
  return text;
}

std::string tags(const NodeView& node) { return model::to_string(node.static_ip_tags); }

template <class Key>
const model::NodeName* find_in(const std::map<Key, model::NodeName>& map, const Key& key) {
  const auto found = map.find(key);
  return found != map.end() ? &found->second : nullptr;
}

}  // namespace

const model::NodeName* Holders::find(const Address& address) const {
  if (!address.association) {
    return find_in(being_given, address.id);
  }
  const model::NodeName* node = find_in(by_target, address.association->target);
  return node != nullptr ? node : find_in(by_instance, address.association->instance);
}

Reason undecodable(const NodeView& node) {
  return {ReasonCode::kUndecodable, "The CiliumNode cannot be read: " + node.undecodable + ".",
          "Correct the object; nothing is done for this node until then."};
}

Reason no_instance(const NodeView& node) {
  const std::string what =
      node.instance.empty() ? "spec.instance-id is empty."
                            : "spec.instance-id is \"" + node.instance.str() + "\", which is no instance id.";
  return {ReasonCode::kNoInstance, what,
          "The agent on the node writes it from the instance's metadata: see its log there."};
}

Reason instance_mismatch(const NodeView& node) {
  return {ReasonCode::kInstanceMismatch,
          "spec.instance-id is " + node.instance.str() + ", but the Node's providerID is " +
              node.provider_id + ".",
          "If the machine was replaced under this name, its agent will correct the CiliumNode: see the "
          "agent's log."};
}

Reason duplicate_instance(const NodeView& node, const NodeView& served) {
  return {ReasonCode::kDuplicateInstance,
          "Node " + served.name.str() + " names instance " + node.instance.str() +
              " too, and has the better claim.",
          "Delete the CiliumNode that is out of date."};
}

Reason instance_unknown_to_cloud(const NodeView& node) {
  return {
      ReasonCode::kInstanceNotRunning,
      "The cloud does not know instance " + node.instance.str() + " in this account and region.",
      "A new instance shows up by itself; otherwise check the operator's region and account, or delete the "
      "CiliumNode."};
}

Reason instance_not_running(const model::Instance& instance) {
  return {ReasonCode::kInstanceNotRunning,
          "Instance " + instance.id.str() + " is " + std::string(to_string(instance.state)) + ".",
          "It is served once it runs."};
}

Reason no_primary_interface(const model::Instance& instance) {
  return {ReasonCode::kNoPrimaryInterface,
          "Instance " + instance.id.str() +
              " has no interface with a private address at network card 0, device index 0.",
          "Attach the primary interface."};
}

Reason pool_empty(const NodeView& node) {
  return {ReasonCode::kPoolEmpty, "No address of this account and region has the tags " + tags(node) + ".",
          "Allocate an address with these tags, or tag one; keys and values are compared exactly."};
}

Reason foreign_address(const NodeView& node, const Address& foreign) {
  return {ReasonCode::kForeignAddress,
          "The primary interface of instance " + node.instance.str() + " holds " + foreign.ip.to_string() +
              " (" + foreign.id.str() + "), which does not have the tags " + tags(node) +
              " and was not given by this operator.",
          "Disassociate that address, or tag it, and the node is served."};
}

Reason not_of_pool(const NodeView& node, const Address& kept) {
  return {ReasonCode::kNotOfPool,
          "The node keeps " + kept.ip.to_string() + ", which does not have the tags " + tags(node) +
              "; no address that has them is free.",
          "Add an address with these tags, and it takes the old one's place."};
}

Reason pool_exhausted(const NodeView& node, const PoolKey& key, const Pool& pool, const Holders& holders) {
  const std::string list = list_addresses(
      pool.matching, [&](const Address& address) { return why_unusable(address, key, holders); });
  return {ReasonCode::kPoolExhausted,
          std::to_string(pool.matching.size()) + " addresses have the tags " + tags(node) +
              ", none is usable: " + list + ".",
          "Add an address with these tags; it is associated within one refresh."};
}

Reason waiting(const NodeView& node, const Pool& pool, const Holders& holders, std::size_t place,
               std::size_t length) {
  const std::string list =
      list_addresses(pool.candidates, [&](const Address& address) { return holder(address, holders); });
  return {ReasonCode::kWaiting,
          "Place " + std::to_string(place) + " of " + std::to_string(length) +
              " in line; every address with the tags " + tags(node) + " is in use: " + list + ".",
          "Add an address with these tags, or free one; it is associated within one refresh."};
}

}  // namespace berth::plan
