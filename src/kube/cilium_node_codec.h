#pragma once
// CiliumNode and Node objects to what the planner sees. Decodes only: there is no way back from a NodeView to
// an object, so a field that we do not know cannot be lost by writing.
//
// Fields that we do not read may hold anything. A field that we do read and that has another type than it
// should makes the view undecodable, with a sentence that names it; null and absence are the same.

#include <optional>
#include <string>

#include <boost/json.hpp>

#include "model/node_view.h"

namespace berth::kube {

/// Nothing where the object has no name: then there is nobody to say it about.
std::optional<model::NodeView> decode_cilium_node(const boost::json::object& object);

/// What a core/v1 Node adds.
struct NodeFacts {
  model::NodeName name;
  std::string provider_id;
  std::string undecodable;

  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

std::optional<NodeFacts> decode_node(const boost::json::object& object);

/// Leaves what decode_cilium_node and decode_node read, and the resource version.
void trim_cilium_node(boost::json::object& object);
void trim_node(boost::json::object& object);

}  // namespace berth::kube
