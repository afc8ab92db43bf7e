#pragma once
// What the planner sees of a node: the request, who asks, and what its status says. Nothing else of the
// object is kept, so a change of anything else is no change here.

#include <optional>
#include <string>

#include "base/ip_address.h"
#include "base/time.h"
#include "model/ids.h"
#include "model/tag_map.h"

namespace berth::model {

struct NodeView {
  NodeName name;
  std::string uid;
  WallTime created;
  InstanceId instance;      // spec.instance-id, as it stands there
  std::string provider_id;  // of the Node of the same name; empty where there is none or it has none
  TagMap static_ip_tags;    // empty: no request
  std::optional<IpAddress> assigned_static_ip;
  bool assigned_is_garbage = false;  // the status holds a text there that is no address
  std::string operator_error;
  /// Why the object could not be read, where it could not; then there is no request, and the status is what
  /// of it could be read.
  std::string undecodable;

  bool has_request() const { return !static_ip_tags.empty(); }

  friend bool operator==(const NodeView&, const NodeView&) = default;
};

}  // namespace berth::model
