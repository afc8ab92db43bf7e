#pragma once
// Which node gets which address, and why another gets none. One pure function over the whole picture: the
// order of a waiting line and "one address, one claim" are properties of all nodes together, so it never
// plans for one alone. Same input, same output, whatever the order of the input. It reads no clock and calls
// nobody.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "model/address.h"
#include "model/instance.h"
#include "model/node_view.h"
#include "model/reason.h"
#include "model/reservation.h"
#include "plan/action.h"

namespace berth::plan {

/// The picture. Everything is borrowed for the time of the call.
struct StaticIpWorld {
  const std::map<model::NodeName, model::NodeView>& nodes;
  /// What the cloud said of each instance; nothing in it: it does not know it; no entry: not asked yet, or in
  /// doubt.
  const std::map<model::InstanceId, std::optional<model::Instance>>& instances;
  /// In numeric order, our own replies applied; null: the cloud has not been read yet.
  const std::vector<model::Address>* addresses = nullptr;
  const std::vector<model::Reservation>& reservations;
  /// Nodes whose unknown outcome may be asked for again now, with the same pair.
  const std::set<model::NodeName>& retry_due;
  /// Nodes with a mutating call under way.
  const std::set<model::NodeName>& busy;
  /// Nodes that failed and wait for their next try, and why. They are not in line meanwhile (R11).
  const std::map<model::NodeName, model::Reason>& held;
  /// The address that a node had last, as far as this process knows.
  const std::map<model::NodeName, model::AllocationId>& remembered;
  /// Addresses that our own calls put on a node and that its status does not name yet: ours all the same.
  const std::map<model::NodeName, model::AllocationId>& given;
  /// Tickets of those who asked before, in their order; who has none comes after them, by creation time, then
  /// name.
  const std::map<model::NodeName, std::uint64_t>& tickets;
  /// Why the cloud cannot be read, where it cannot.
  const std::optional<model::Reason>& cloud_problem;
};

enum class ReclaimPolicy : std::uint8_t { kRelease, kRetain };

struct StaticIpPolicy {
  ReclaimPolicy reclaim = ReclaimPolicy::kRelease;
  /// Whether a text has the form of the cloud's instance ids.
  bool (*is_instance_id)(std::string_view) = nullptr;
};

enum class Standing : std::uint8_t {
  kNoRequest,
  kServed,
  kUnderWay,  // reserved, being associated, or being released
  kUnknown,   // what decides is not known yet: nothing is written about the node
  kNotServed,
};

struct NodePlan {
  model::NodeName node;
  Standing standing = Standing::kUnknown;
  /// What status.ipam.assigned-static-ip must say (inner nothing: be absent); nothing: leave it as it is.
  std::optional<std::optional<IpAddress>> assigned;
  std::optional<model::Reason> reason;
  std::optional<model::AllocationId> holds;  // ours, on the node's target
  bool in_line = false;                      // asks, could be served, and has nothing of its pool

  friend bool operator==(const NodePlan&, const NodePlan&) = default;
};

struct StaticIpPlan {
  std::vector<NodePlan> nodes;  // in order of names, every node once
  std::vector<Action> actions;
  std::map<model::TagMap, std::size_t> matching;  // per tag map that is asked for: the addresses that have it
};

StaticIpPlan plan_static_ips(const StaticIpWorld& world, const StaticIpPolicy& policy);

}  // namespace berth::plan
