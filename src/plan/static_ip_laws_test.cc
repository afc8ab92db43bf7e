// Laws of the planner over random worlds.

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/static_ip.h"

namespace berth::plan {
namespace {

using model::Address;
using model::AllocationId;
using model::Association;
using model::Instance;
using model::InstanceId;
using model::NodeName;
using model::NodeView;
using model::TagMap;
using model::Target;

// Few values, so that nodes meet: pools overlap, targets hold several kinds of address, statuses name each
// other's.
constexpr int kNodes = 6;
constexpr int kAddresses = 8;

IpAddress address_ip(int number) { return *IpAddress::parse("1.0.0." + std::to_string(number)); }
Target target_of(int node) {
  return {model::InterfaceId("eni-" + std::to_string(node)),
          *IpAddress::parse("10.0.0." + std::to_string(node + 1))};
}
InstanceId instance_of(int node) { return InstanceId("i-" + std::to_string(node)); }

TagMap random_tags(bool maybe_none) {
  const int kind = *rc::gen::inRange(maybe_none ? 0 : 1, 4);
  return kind == 0   ? TagMap{}
         : kind == 1 ? TagMap{{"a", "1"}}
         : kind == 2 ? TagMap{{"b", "2"}}
                     : TagMap{{"a", "1"}, {"b", "2"}};
}

struct World {
  std::map<NodeName, NodeView> nodes;
  std::map<InstanceId, std::optional<Instance>> instances;
  std::vector<Address> addresses;
  std::vector<model::Reservation> reservations;
  std::set<NodeName> busy;
  std::map<NodeName, model::Reason> held;
  std::map<NodeName, AllocationId> remembered;
  std::map<NodeName, AllocationId> given;
  std::map<NodeName, std::uint64_t> tickets;

  StaticIpPlan plan() const {
    const std::set<NodeName> retry_due;
    const std::optional<model::Reason> problem;
    return plan_static_ips({.nodes = nodes,
                            .instances = instances,
                            .addresses = &addresses,
                            .reservations = reservations,
                            .retry_due = retry_due,
                            .busy = busy,
                            .held = held,
                            .remembered = remembered,
                            .given = given,
                            .tickets = tickets,
                            .cloud_problem = problem},
                           {.is_instance_id = [](std::string_view text) { return text.starts_with("i-"); }});
  }
};

World random_world() {
  World world;
  for (int i = 0; i < kNodes; ++i) {
    NodeView view{.name = NodeName("n" + std::to_string(i)),
                  .created = WallTime(std::chrono::seconds(*rc::gen::inRange(0, 3))),
                  .instance = instance_of(*rc::gen::weightedOneOf<int>(
                      {{9, rc::gen::just(i)}, {1, rc::gen::inRange(0, kNodes)}})),
                  .static_ip_tags = random_tags(true)};
    if (*rc::gen::arbitrary<bool>()) {
      view.assigned_static_ip = address_ip(*rc::gen::inRange(0, kAddresses));
    }
    if (*rc::gen::inRange(0, 4) == 0) {
      world.tickets[view.name] = static_cast<std::uint64_t>(i) * 7 % 5;
    }
    if (*rc::gen::inRange(0, 6) == 0) {
      world.held.emplace(view.name, model::Reason{model::ReasonCode::kDenied, "No.", ""});
    }
    const bool running = *rc::gen::inRange(0, 6) != 0;
    world.instances[instance_of(i)] =
        Instance{instance_of(i), running ? model::InstanceState::kRunning : model::InstanceState::kStopped,
                 target_of(i)};
    world.nodes[view.name] = view;
  }
  std::set<int> targets_taken;
  for (int i = 0; i < kAddresses; ++i) {
    Address address{
        .id = AllocationId("eipalloc-" + std::to_string(i)), .ip = address_ip(i), .tags = random_tags(true)};
    const int holder = *rc::gen::inRange(0, 2 * kNodes);
    if (holder < kNodes && targets_taken.insert(holder).second) {
      address.association = Association{model::AssociationId("eipassoc-" + std::to_string(i)),
                                        target_of(holder), instance_of(holder)};
    }
    world.addresses.push_back(address);
  }
  return world;
}

/// The world as the cloud and the API would show it after every action and every write of the plan.
void apply(World& world, const StaticIpPlan& plan) {
  for (const Action& action : plan.actions) {
    if (const auto* associate = std::get_if<Associate>(&action)) {
      for (Address& address : world.addresses) {
        if (address.association && address.association->target == associate->target) {
          address.association.reset();
        }
        if (address.id == associate->address) {
          address.association = Association{model::AssociationId("eipassoc-new-" + associate->address.str()),
                                            associate->target, associate->instance};
        }
      }
      world.remembered[associate->node] = associate->address;
    } else {
      const auto& disassociate = std::get<Disassociate>(action);
      std::ranges::find(world.addresses, disassociate.address, &Address::id)->association.reset();
    }
  }
  for (const NodePlan& node : plan.nodes) {
    if (node.assigned) {
      world.nodes.at(node.node).assigned_static_ip = *node.assigned;
    }
  }
}

RC_GTEST_PROP(PlanLaws, same_input_same_output, ()) {
  const World world = random_world();
  const StaticIpPlan first = world.plan();
  const StaticIpPlan second = world.plan();
  RC_ASSERT(first.nodes == second.nodes);
  RC_ASSERT(first.actions == second.actions);
}

RC_GTEST_PROP(PlanLaws, R4_no_address_and_no_target_twice, ()) {
  const World world = random_world();
  std::set<AllocationId> addresses;
  std::set<Target> targets;
  for (const Action& action : world.plan().actions) {
    if (const auto* associate = std::get_if<Associate>(&action)) {
      RC_ASSERT(addresses.insert(associate->address).second);
      RC_ASSERT(targets.insert(associate->target).second);
    }
  }
}

RC_GTEST_PROP(PlanLaws, R1_R5_only_free_addresses_of_the_pool_are_asked_for_and_no_foreign_one_is_dropped,
              ()) {
  const World world = random_world();
  for (const Action& action : world.plan().actions) {
    const auto* associate = std::get_if<Associate>(&action);
    if (associate == nullptr) {
      continue;
    }
    const NodeView& view = world.nodes.at(associate->node);
    for (const Address& address : world.addresses) {
      if (address.id == associate->address) {
        RC_ASSERT(model::includes(address.tags, view.static_ip_tags));
        RC_ASSERT(!address.association.has_value());
      }
      if (address.association && address.association->target == associate->target) {
        RC_ASSERT(address.id == associate->replaces);
        RC_ASSERT(view.assigned_static_ip == address.ip);
      }
    }
  }
}

RC_GTEST_PROP(PlanLaws, plan_apply_plan_settles, ()) {
  World world = random_world();
  // What is freed by the first plan may serve somebody in the second; each round serves or frees at least
  // one.
  for (int round = 0; round < kAddresses + 1 && !world.plan().actions.empty(); ++round) {
    apply(world, world.plan());
  }
  apply(world, world.plan());
  const StaticIpPlan last = world.plan();
  RC_ASSERT(last.actions.empty());
  for (const NodePlan& node : last.nodes) {
    RC_ASSERT(!node.assigned || world.nodes.at(node.node).assigned_static_ip == *node.assigned);
  }
}

RC_GTEST_PROP(PlanLaws, R8_no_node_in_line_waits_while_a_free_address_of_its_pool_exists, ()) {
  const World world = random_world();
  const StaticIpPlan plan = world.plan();
  std::set<AllocationId> used;
  std::set<NodeName> given;
  for (const Action& action : plan.actions) {
    if (const auto* associate = std::get_if<Associate>(&action)) {
      used.insert(associate->address);
      given.insert(associate->node);
    }
  }
  for (const NodePlan& node : plan.nodes) {
    if (!node.in_line || given.contains(node.node)) {
      continue;
    }
    for (const Address& address : world.addresses) {
      RC_ASSERT(address.association || used.contains(address.id) ||
                !model::includes(address.tags, world.nodes.at(node.node).static_ip_tags));
    }
  }
}

RC_GTEST_PROP(PlanLaws, R3_one_more_free_address_unserves_nobody, ()) {
  World world = random_world();
  const StaticIpPlan before = world.plan();
  world.addresses.insert(world.addresses.begin(), Address{.id = AllocationId("eipalloc-extra"),
                                                          .ip = *IpAddress::parse("0.0.0.1"),
                                                          .tags = random_tags(false)});
  const StaticIpPlan after = world.plan();
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    if (before.nodes[i].standing == Standing::kServed) {
      RC_ASSERT(after.nodes[i] == before.nodes[i]);
    }
    if (before.nodes[i].standing == Standing::kUnderWay) {
      RC_ASSERT(after.nodes[i].standing == Standing::kUnderWay);
    }
  }
}

RC_GTEST_PROP(PlanLaws, R12_every_request_that_is_not_served_says_why, ()) {
  const World world = random_world();
  for (const NodePlan& node : world.plan().nodes) {
    RC_ASSERT(node.reason.has_value() == (node.standing == Standing::kNotServed) ||
              node.standing == Standing::kNoRequest);
  }
}

}  // namespace
}  // namespace berth::plan
