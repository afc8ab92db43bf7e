#pragma once
// What this node's CiliumNode should say, and what has to be written so that it does. Pure.
//
// Precedence, field by field: the CNI configuration beats a flag; what the instance says about itself beats
// both.
//
// The agent owns, and nobody else keeps a different value in:
//   metadata.ownerReferences  the one entry that names the Node of the same name
//   spec.instance-id
//   spec.ipam                 min-allocate, max-allocate, max-above-watermark, and static-ip-tags as a whole
//   spec.eni                  first-interface-index, use-primary-address, disable-prefix-delegation,
//                             delete-on-termination, subnet-ids, subnet-tags, security-groups,
//                             security-group-tags, exclude-interface-tags, instance-type, vpc-id,
//                             availability-zone, node-subnet-id
// An owned field that nothing configures is removed. spec.ipam.pre-allocate is owned only while it is
// configured: where the node says nothing an operator puts its own default there, and the two must not fight.
// Every other field (spec.ipam.pool, spec.addresses, what a later Cilium adds) is never touched.

#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "agent/settings.h"
#include "ports/instance_metadata.h"

namespace berth::agent {

/// The agent's whole say about `spec`, in the form of a merge patch: an owned field with its value, or null
/// where it must be absent.
boost::json::object desired_spec(const CniSettings& cni, const ports::InstanceFacts& facts,
                                 const AgentFlags& flags);

/// What is written in the CNI configuration and yet not in force, and why: one sentence each.
std::vector<std::string> overruled(const CniSettings& cni, const ports::InstanceFacts& facts,
                                   const AgentFlags& flags);

/// The reference that lets Kubernetes delete a CiliumNode with its Node.
boost::json::object owner_reference(const std::string& node_name, const std::string& node_uid);

/// A CiliumNode that is not there yet.
boost::json::object new_cilium_node(const std::string& node_name, const boost::json::object& owner,
                                    const boost::json::object& desired);

/// The merge patch that brings `current` (the whole CiliumNode) to `desired`, with exactly the keys that
/// differ; nothing where it is so already.
std::optional<boost::json::object> spec_patch(const boost::json::object& current,
                                              const boost::json::object& desired);

/// The merge patch that makes `owner` the only reference to a Node of its name and keeps all others; nothing
/// where it is so already. A merge patch replaces a list as a whole, so this one, unlike all others, carries
/// the resourceVersion that it was made from: the entry that somebody else adds meanwhile is not lost.
std::optional<boost::json::object> owner_patch(const boost::json::object& current,
                                               const boost::json::object& owner);

/// The paths that a merge patch writes: "spec.ipam.static-ip-tags.anton".
std::vector<std::string> patched_paths(const boost::json::object& patch);

/// A string at a path of object keys; empty where there is none.
std::string string_at(const boost::json::object& object, std::initializer_list<std::string_view> path);

}  // namespace berth::agent
