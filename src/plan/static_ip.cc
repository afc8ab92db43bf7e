#include "plan/static_ip.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "plan/pool.h"
#include "plan/reasons.h"

namespace berth::plan {
namespace {

using model::Address;
using model::Instance;
using model::NodeName;
using model::NodeView;
using model::Reason;
using model::Reservation;

/// A node that asks, could be served now, and has no address of its pool.
struct Asker {
  const NodeView* view = nullptr;
  const Instance* instance = nullptr;
  const Address* keeps = nullptr;  // ours, but not of the pool (R9); null: the target holds nothing
  PoolKey pool;
  std::uint64_t ticket = 0;
};

constexpr auto kNoTicket = std::numeric_limits<std::uint64_t>::max();

/// "aws:///us-east-1a/i-0abc" names i-0abc; on every cloud the id is the last part.
std::string_view instance_of_provider_id(std::string_view provider_id) {
  return provider_id.substr(provider_id.rfind('/') + 1);
}

bool provider_id_names(const NodeView& node) {
  return !node.provider_id.empty() && instance_of_provider_id(node.provider_id) == node.instance.str();
}

/// Such a node is not the machine that it names, and has no claim to it.
bool provider_id_contradicts(const NodeView& node) {
  return !node.provider_id.empty() && !provider_id_names(node);
}

std::set<model::AllocationId> reserved_addresses(const std::vector<Reservation>& reservations) {
  std::set<model::AllocationId> ids;
  for (const Reservation& reservation : reservations) {
    ids.insert(reservation.address);
  }
  return ids;
}

const std::vector<Address>& addresses_or_none(const StaticIpWorld& world) {
  static const std::vector<Address> none;
  return world.addresses != nullptr ? *world.addresses : none;
}

/// One plan's working state.
class Planner {
 public:
  Planner(const StaticIpWorld& world, const StaticIpPolicy& policy)
      : world_(world),
        policy_(policy),
        pools_(addresses_or_none(world), reserved_addresses(world.reservations)) {}

  StaticIpPlan plan() {
    index();
    for (const auto& [name, view] : world_.nodes) {
      plan_.nodes.push_back({.node = name});
      if (view.has_request() && world_.addresses != nullptr) {
        plan_.matching.try_emplace(view.static_ip_tags, pools_.count_matching(view.static_ip_tags));
      }
      judge(view, plan_.nodes.back());
    }
    choose();
    return std::move(plan_);
  }

 private:
  void index();
  void judge(const NodeView& view, NodePlan& out);
  void judge_without_request(const NodeView& view, NodePlan& out);
  bool judge_identity(const NodeView& view, NodePlan& out);
  void judge_target(const NodeView& view, const Instance& instance, NodePlan& out);
  void judge_need(const NodeView& view, const Instance& instance, const Address* keeps, NodePlan& out);
  void judge_reservation(const NodeView& view, const Instance& instance, const Reservation& reservation,
                         NodePlan& out);
  void choose();
  const Address* named_by_status(const Asker& asker);
  const Address* remembered(const Asker& asker);
  void give(const Asker& asker, const Address& address);
  void explain_askers(const std::vector<const Asker*>& left);

  bool is_ours(const NodeView& view, const Address& address) const;
  const Address* find_by_ip(const IpAddress& ip) const;
  const std::vector<const Address*>& held_by(const model::Target& target) const;
  NodePlan& plan_of(const NodeName& name);

  static void not_served(NodePlan& out, Reason reason) {
    out.standing = Standing::kNotServed;
    out.assigned.emplace(std::nullopt);
    out.reason = std::move(reason);
  }

  const StaticIpWorld& world_;
  const StaticIpPolicy& policy_;
  Pools pools_;
  std::map<model::Target, std::vector<const Address*>> by_target_;
  std::map<IpAddress, const Address*> by_ip_;
  std::map<model::InstanceId, const NodeView*> claimants_;  // who has the claim to an instance id
  Holders holders_;
  std::map<NodeName, const Reservation*> reservation_of_;
  std::vector<Asker> askers_;
  StaticIpPlan plan_;
};

void Planner::index() {
  for (const Address& address : addresses_or_none(world_)) {
    by_ip_.emplace(address.ip, &address);
    if (address.association) {
      by_target_[address.association->target].push_back(&address);
    }
  }
  // Of several nodes that name one instance, the one that its Node's providerID confirms has the claim; else,
  // of those that ask, the oldest.
  const auto rank = [](const NodeView& node) {
    return std::tuple(provider_id_contradicts(node), !provider_id_names(node), !node.has_request(),
                      node.created, node.name);
  };
  for (const auto& [name, view] : world_.nodes) {
    if (view.instance.empty() || !view.undecodable.empty()) {
      continue;
    }
    const auto [place, is_new] = claimants_.try_emplace(view.instance, &view);
    if (!is_new && rank(view) < rank(*place->second)) {
      place->second = &view;
    }
  }
  for (const auto& [instance, view] : claimants_) {
    holders_.by_instance.emplace(instance, view->name);
    const auto known = world_.instances.find(instance);
    if (known != world_.instances.end() && known->second && known->second->target) {
      holders_.by_target.emplace(*known->second->target, view->name);
    }
  }
  for (const Reservation& reservation : world_.reservations) {
    reservation_of_.emplace(reservation.node, &reservation);
    holders_.being_given.emplace(reservation.address, reservation.node);
  }
}

void Planner::judge(const NodeView& view, NodePlan& out) {
  if (!view.undecodable.empty()) {
    out.standing = Standing::kNotServed;
    out.reason = undecodable(view);
    return;
  }
  if (!view.has_request()) {
    judge_without_request(view, out);
    return;
  }
  if (!judge_identity(view, out)) {
    return;
  }
  const auto known = world_.instances.find(view.instance);
  if (world_.addresses == nullptr || known == world_.instances.end()) {
    if (world_.cloud_problem) {
      out.standing = Standing::kNotServed;
      out.reason = world_.cloud_problem;  // and the status goes on saying what the cloud said last
    }
    return;
  }
  if (!known->second) {
    not_served(out, instance_unknown_to_cloud(view));
    return;
  }
  judge_target(view, *known->second, out);
}

/// R2, R9: nothing is published; what is ours is given back, where the policy says so.
void Planner::judge_without_request(const NodeView& view, NodePlan& out) {
  out.standing = Standing::kNoRequest;
  out.assigned.emplace(std::nullopt);
  const auto given = world_.given.find(view.name);
  if ((!view.assigned_static_ip && given == world_.given.end()) ||
      policy_.reclaim == ReclaimPolicy::kRetain) {
    return;
  }
  const auto known = world_.instances.find(view.instance);
  if (!view.instance.empty() && (world_.addresses == nullptr || known == world_.instances.end())) {
    out.assigned.reset();  // whether the address is still there is not known yet
    return;
  }
  if (known == world_.instances.end() || !known->second || !known->second->target) {
    return;
  }
  const auto& on_target = held_by(*known->second->target);
  const auto ours = std::ranges::find_if(on_target, [&](const Address* address) {
    return view.assigned_static_ip == address->ip ||
           (given != world_.given.end() && given->second == address->id);
  });
  if (ours == on_target.end() || claimants_.at(view.instance) != &view) {
    return;
  }
  const Address* address = *ours;
  // The status goes on naming it until it is detached: were it cleared first, a crash in between would leave
  // an address that nobody knows as ours.
  out.assigned.reset();
  if (address->association->id.empty()) {
    return;  // believed from the status alone; a snapshot will tell the id, or that there is nothing to
             // detach
  }
  if (const auto held = world_.held.find(view.name); held != world_.held.end()) {
    out.reason = held->second;
  } else if (!world_.busy.contains(view.name)) {
    plan_.actions.emplace_back(
        Disassociate{view.name, address->id, address->ip, address->association->id, view.instance});
  }
}

/// Whether it is certain which instance the node is.
bool Planner::judge_identity(const NodeView& view, NodePlan& out) {
  if (!policy_.is_instance_id(view.instance.str())) {
    not_served(out, no_instance(view));
  } else if (provider_id_contradicts(view)) {
    not_served(out, instance_mismatch(view));
  } else if (const NodeView* claimant = claimants_.at(view.instance); claimant != &view) {
    not_served(out, duplicate_instance(view, *claimant));
  } else {
    return true;
  }
  return false;
}

void Planner::judge_target(const NodeView& view, const Instance& instance, NodePlan& out) {
  const std::vector<const Address*> none;
  const auto& held = instance.target ? held_by(*instance.target) : none;
  const auto of_pool = std::ranges::find_if(
      held, [&view](const Address* address) { return model::includes(address->tags, view.static_ip_tags); });
  if (of_pool != held.end()) {
    // R2, R3: whoever associated it, and whatever else is going on, it is served.
    out.standing = Standing::kServed;
    out.assigned.emplace((*of_pool)->ip);
    out.holds = (*of_pool)->id;
    return;
  }
  if (held.empty()) {
    judge_need(view, instance, nullptr, out);
    return;
  }
  const auto ours =
      std::ranges::find_if(held, [&](const Address* address) { return is_ours(view, *address); });
  // EC2 drops whatever the target holds when it gets another address, so a single one that is not ours
  // forbids it (R5).
  if (ours == held.end() || held.size() > 1) {
    not_served(out, foreign_address(view, **(ours == held.begin() ? held.begin() + 1 : held.begin())));
    return;
  }
  out.holds = (*ours)->id;
  judge_need(view, instance, *ours, out);
  out.assigned.emplace((*ours)->ip);
}

/// The node needs an address of its pool. `keeps`: it has one of ours that is not of it.
void Planner::judge_need(const NodeView& view, const Instance& instance, const Address* keeps,
                         NodePlan& out) {
  if (const auto reserved = reservation_of_.find(view.name); reserved != reservation_of_.end()) {
    judge_reservation(view, instance, *reserved->second, out);
  } else if (world_.busy.contains(view.name)) {
    out.standing = Standing::kUnderWay;
  } else if (instance.state != model::InstanceState::kRunning) {
    not_served(out, instance_not_running(instance));
  } else if (!instance.target) {
    not_served(out, no_primary_interface(instance));
  } else if (const auto held = world_.held.find(view.name); held != world_.held.end()) {
    not_served(out, held->second);
  } else {
    const auto ticket = world_.tickets.find(view.name);
    out.in_line = true;
    askers_.push_back({&view,
                       &instance,
                       keeps,
                       {view.static_ip_tags, instance.network_border_group},
                       ticket != world_.tickets.end() ? ticket->second : kNoTicket});
  }
}

/// R4: until it is known what became of the call, the same pair may be asked for again, another may not.
void Planner::judge_reservation(const NodeView& view, const Instance& instance,
                                const Reservation& reservation, NodePlan& out) {
  out.standing = Standing::kUnderWay;
  if (!reservation.outcome_unknown || world_.busy.contains(view.name) ||
      !world_.retry_due.contains(view.name) || instance.target != reservation.target) {
    return;
  }
  const Pool& pool = pools_.find({view.static_ip_tags, instance.network_border_group});
  const auto address = std::ranges::find_if(
      pool.candidates, [&](const Address* candidate) { return candidate->id == reservation.address; });
  if (address != pool.candidates.end() && !(*address)->association) {
    plan_.actions.emplace_back(
        Associate{view.name, reservation.address, (*address)->ip, reservation.target, instance.id});
  }
}

void Planner::choose() {
  std::ranges::sort(askers_, {}, [](const Asker& asker) {
    return std::tuple(asker.ticket, asker.view->created, asker.view->name);
  });
  // R3: the address that a node had comes before the line, so that a node that comes back gets what its
  // partners know.
  // What a status names comes before what is only remembered: the node had it later.
  std::vector<const Asker*> line;
  line.reserve(askers_.size());
  for (const Asker& asker : askers_) {
    line.push_back(&asker);
  }
  for (const auto own_address : {&Planner::named_by_status, &Planner::remembered}) {
    std::erase_if(line, [&](const Asker* asker) {
      const Address* own = (this->*own_address)(*asker);
      if (own == nullptr || !pools_.take(*own)) {
        return false;
      }
      give(*asker, *own);
      return true;
    });
  }
  std::vector<const Asker*> left;
  for (const Asker* asker : line) {
    if (const Address* address = pools_.take_lowest(asker->pool)) {
      give(*asker, *address);
    } else {
      left.push_back(asker);
    }
  }
  explain_askers(left);
}

const Address* Planner::named_by_status(const Asker& asker) {
  const Address* named =
      asker.view->assigned_static_ip ? find_by_ip(*asker.view->assigned_static_ip) : nullptr;
  return named != nullptr && pools_.find(asker.pool).has_candidate(named->id) ? named : nullptr;
}

const Address* Planner::remembered(const Asker& asker) {
  const auto last = world_.remembered.find(asker.view->name);
  if (last == world_.remembered.end()) {
    return nullptr;
  }
  const Pool& pool = pools_.find(asker.pool);
  const auto found = std::ranges::find(pool.candidates, last->second, &Address::id);
  return found != pool.candidates.end() ? *found : nullptr;
}

void Planner::give(const Asker& asker, const Address& address) {
  plan_of(asker.view->name).standing = Standing::kUnderWay;
  holders_.being_given.emplace(address.id, asker.view->name);
  plan_.actions.emplace_back(Associate{asker.view->name, address.id, address.ip, *asker.instance->target,
                                       asker.instance->id,
                                       asker.keeps != nullptr ? asker.keeps->id : model::AllocationId()});
}

void Planner::explain_askers(const std::vector<const Asker*>& left) {
  std::map<PoolKey, std::size_t> lengths;
  for (const Asker* asker : left) {
    ++lengths[asker->pool];
  }
  std::map<PoolKey, std::size_t> places;
  for (const Asker* asker : left) {
    NodePlan& out = plan_of(asker->view->name);
    const std::size_t place = ++places[asker->pool];
    const Pool& pool = pools_.find(asker->pool);
    const bool ours_may_free_one = std::ranges::any_of(
        pool.candidates, [this](const Address* address) { return holders_.find(*address) != nullptr; });
    if (asker->keeps != nullptr) {
      out.standing = Standing::kNotServed;
      out.reason = not_of_pool(*asker->view, *asker->keeps);
    } else if (pool.matching.empty()) {
      not_served(out, pool_empty(*asker->view));
    } else if (!ours_may_free_one) {
      not_served(out, pool_exhausted(*asker->view, asker->pool, pool, holders_));
    } else {
      not_served(out, waiting(*asker->view, pool, holders_, place, lengths[asker->pool]));
    }
  }
}

bool Planner::is_ours(const NodeView& view, const Address& address) const {
  if (view.assigned_static_ip == address.ip) {
    return true;
  }
  const auto names = [&](const std::map<NodeName, model::AllocationId>& map) {
    const auto found = map.find(view.name);
    return found != map.end() && found->second == address.id;
  };
  return names(world_.remembered) || names(world_.given);
}

const Address* Planner::find_by_ip(const IpAddress& ip) const {
  const auto found = by_ip_.find(ip);
  return found != by_ip_.end() ? found->second : nullptr;
}

const std::vector<const Address*>& Planner::held_by(const model::Target& target) const {
  static const std::vector<const Address*> none;
  const auto found = by_target_.find(target);
  return found != by_target_.end() ? found->second : none;
}

NodePlan& Planner::plan_of(const NodeName& name) {
  return *std::ranges::lower_bound(plan_.nodes, name, {}, &NodePlan::node);
}

}  // namespace

StaticIpPlan plan_static_ips(const StaticIpWorld& world, const StaticIpPolicy& policy) {
  return Planner(world, policy).plan();
}

}  // namespace berth::plan
