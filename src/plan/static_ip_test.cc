#include "plan/static_ip.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::plan {
namespace {

using model::Address;
using model::AllocationId;
using model::Association;
using model::AssociationId;
using model::Instance;
using model::InstanceId;
using model::InstanceState;
using model::InterfaceId;
using model::NodeName;
using model::NodeView;
using model::ReasonCode;
using model::TagMap;
using model::Target;
using testing::HasSubstr;
using testing::IsEmpty;

IpAddress ip(const std::string& text) { return *IpAddress::parse(text); }

const TagMap kTags = {{"anton", "test"}, {"kubernetes_cluster", "cluster-1"}};

/// What the status must say: nothing at all, or this address.
const std::optional<std::optional<IpAddress>> kAbsent(std::in_place, std::nullopt);
std::optional<std::optional<IpAddress>> names(const std::string& text) {
  return std::optional<IpAddress>(ip(text));
}

/// A world of which a test says only what matters to it.
struct World {
  std::map<NodeName, NodeView> nodes;
  std::map<InstanceId, std::optional<Instance>> instances;
  std::vector<Address> addresses;
  std::vector<model::Reservation> reservations;
  std::set<NodeName> retry_due;
  std::set<NodeName> busy;
  std::map<NodeName, model::Reason> held;
  std::map<NodeName, AllocationId> remembered;
  std::map<NodeName, AllocationId> given;
  std::map<NodeName, std::uint64_t> tickets;
  std::optional<model::Reason> cloud_problem;
  bool has_snapshot = true;
  StaticIpPolicy policy{.is_instance_id = [](std::string_view text) { return text.starts_with("i-"); }};

  static InstanceId instance_of(const std::string& node) { return InstanceId("i-" + node); }
  static Target target_of(const std::string& node) {
    // One private address per node, made from its name.
    const auto number = std::hash<std::string>()(node);
    return {InterfaceId("eni-" + node),
            ip("10.0." + std::to_string(number % 250) + "." + std::to_string(number / 250 % 250))};
  }

  /// A node that asks for kTags, with a running instance.
  NodeView& node(const std::string& name, int created_second = 0) {
    const NodeView view{.name = NodeName(name),
                        .uid = "uid-" + name,
                        .created = WallTime(std::chrono::seconds(created_second)),
                        .instance = instance_of(name),
                        .static_ip_tags = kTags};
    instances[view.instance] = Instance{view.instance, InstanceState::kRunning, target_of(name)};
    return nodes[view.name] = view;
  }

  Address& address(const std::string& text, const TagMap& tags = kTags) {
    addresses.push_back({.id = AllocationId("eipalloc-" + text), .ip = ip(text), .tags = tags});
    std::ranges::sort(addresses, {}, &Address::ip);
    return *std::ranges::find(addresses, ip(text), &Address::ip);
  }

  void associate(const std::string& text, const std::string& node) {
    std::ranges::find(addresses, ip(text), &Address::ip)->association =
        Association{AssociationId("eipassoc-" + text), target_of(node), instance_of(node)};
  }

  StaticIpPlan plan() const {
    return plan_static_ips({.nodes = nodes,
                            .instances = instances,
                            .addresses = has_snapshot ? &addresses : nullptr,
                            .reservations = reservations,
                            .retry_due = retry_due,
                            .busy = busy,
                            .held = held,
                            .remembered = remembered,
                            .given = given,
                            .tickets = tickets,
                            .cloud_problem = cloud_problem},
                           policy);
  }
};

NodePlan plan_of(const StaticIpPlan& plan, const std::string& node) {
  return *std::ranges::find(plan.nodes, NodeName(node), &NodePlan::node);
}

/// "node>address node>address", in order of the actions; a disassociation as "node<address".
std::string actions(const StaticIpPlan& plan) {
  std::string text;
  for (const Action& action : plan.actions) {
    text += text.empty() ? "" : " ";
    if (const auto* associate = std::get_if<Associate>(&action)) {
      text += associate->node.str() + ">" + associate->ip.to_string();
    } else {
      const auto& disassociate = std::get<Disassociate>(action);
      text += disassociate.node.str() + "<" + disassociate.ip.to_string();
    }
  }
  return text;
}

ReasonCode reason(const StaticIpPlan& plan, const std::string& node) {
  return plan_of(plan, node).reason.value().code;
}

// --- R1
// ----------------------------------------------------------------------------------------------------------

TEST(R1_matching, is_exact_in_key_value_and_case_and_knows_no_wildcards) {
  World world;
  world.node("a").static_ip_tags = {{"pool", "a*"}, {"empty", ""}};
  world.address("1.0.0.1", {{"pool", "abc"}, {"empty", ""}});
  world.address("1.0.0.2", {{"pool", "A*"}, {"empty", ""}});
  world.address("1.0.0.3", {{"pool", "a*"}, {"empty", "x"}});
  world.address("1.0.0.4", {{"pool", "a*"}});
  world.address("1.0.0.5", {{"Pool", "a*"}, {"empty", ""}});
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kPoolEmpty);
  world.address("1.0.0.6", {{"pool", "a*"}, {"empty", ""}, {"more", "is fine"}});
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.6");
}

TEST(R1_matching, leaves_out_other_border_groups_other_domains_and_service_managed_addresses) {
  World world;
  world.node("a");
  world.address("1.0.0.1").network_border_group = "us-west-2-lax-1";
  world.address("1.0.0.2").in_vpc = false;
  world.address("1.0.0.3").service_managed = "nlb";
  const StaticIpPlan plan = world.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kPoolExhausted);
  const std::string text = plan_of(plan, "a").reason->text();
  EXPECT_THAT(text, HasSubstr("1.0.0.1 (border group us-west-2-lax-1, the node's is the region's)"));
  EXPECT_THAT(text, HasSubstr("1.0.0.3 (managed by nlb)"));
  world.instances[World::instance_of("a")]->network_border_group = "us-west-2-lax-1";
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.1");
}

// --- R2
// ----------------------------------------------------------------------------------------------------------

TEST(R2_served, means_an_address_of_the_pool_on_the_target) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(plan_of(plan, "a").standing, Standing::kServed);
  EXPECT_EQ(plan_of(plan, "a").assigned, names("1.0.0.1"));
  EXPECT_THAT(plan.actions, IsEmpty());
}

TEST(R2_served, an_address_on_another_private_address_of_the_interface_does_not_serve) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.associate("1.0.0.1", "a");
  world.addresses[0].association->target.private_ip = ip("10.9.9.9");
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.2");
}

TEST(R2_served, a_node_without_a_request_gets_nothing_and_its_status_is_cleared) {
  World world;
  world.node("a").static_ip_tags.clear();
  world.address("1.0.0.1");
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(plan_of(plan, "a").standing, Standing::kNoRequest);
  EXPECT_EQ(plan_of(plan, "a").assigned, kAbsent);
  EXPECT_THAT(plan.actions, IsEmpty());
}

// --- R3
// ----------------------------------------------------------------------------------------------------------

TEST(R3_choice, is_the_lowest_free_address_in_numeric_order) {
  World world;
  world.node("a");
  world.address("18.213.0.10");
  world.address("18.213.0.9");
  world.address("100.0.0.1");
  EXPECT_EQ(actions(world.plan()), "a>18.213.0.9");
}

TEST(R3_choice, a_node_keeps_what_it_has_although_a_lower_one_is_free) {
  World world;
  world.node("a").assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.associate("1.0.0.2", "a");
  const StaticIpPlan plan = world.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(plan_of(plan, "a").assigned, names("1.0.0.2"));
}

TEST(R3_choice, the_address_that_the_status_names_comes_before_the_line) {
  World world;
  world.node("a", 1);
  world.node("b", 2).assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  EXPECT_EQ(actions(world.plan()), "b>1.0.0.1 a>1.0.0.2");
}

TEST(R3_choice, the_address_that_is_remembered_comes_before_the_line_unless_it_left_the_pool) {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.remembered[NodeName("b")] = AllocationId("eipalloc-1.0.0.1");
  EXPECT_EQ(actions(world.plan()), "b>1.0.0.1 a>1.0.0.2");
  world.addresses[0].tags.clear();
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.2");
}

// --- R4
// ----------------------------------------------------------------------------------------------------------

TEST(R7_drift, a_former_holder_does_not_take_the_address_from_the_one_whose_status_names_it) {
  World world;
  world.node("former", 1);
  world.node("present", 2).assigned_static_ip = ip("1.0.0.1");
  world.remembered[NodeName("former")] = AllocationId("eipalloc-1.0.0.1");
  world.tickets = {{NodeName("former"), 1}};
  world.address("1.0.0.1");
  EXPECT_EQ(actions(world.plan()), "present>1.0.0.1");
}

TEST(R4_one_address_one_claim, fifty_nodes_that_ask_at_once_get_fifty_different_addresses) {
  World world;
  std::set<AllocationId> given;
  for (int i = 0; i < 50; ++i) {
    world.node("n" + std::to_string(i));
    world.address("1.0.0." + std::to_string(i));
  }
  for (const Action& action : world.plan().actions) {
    given.insert(std::get<Associate>(action).address);
  }
  EXPECT_EQ(given.size(), 50U);
}

TEST(R4_one_address_one_claim, a_reserved_address_is_free_for_nobody_else) {
  World world;
  world.node("a");
  world.node("b");
  world.address("1.0.0.1");
  world.reservations = {{NodeName("a"), AllocationId("eipalloc-1.0.0.1"), World::target_of("a")}};
  world.busy = {NodeName("a")};
  const StaticIpPlan plan = world.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(plan_of(plan, "a").standing, Standing::kUnderWay);
  EXPECT_FALSE(plan_of(plan, "a").assigned) << "what the status says is left alone meanwhile";
  EXPECT_EQ(reason(plan, "b"), ReasonCode::kWaiting);
}

TEST(R4_one_address_one_claim, after_an_unknown_outcome_the_same_pair_may_be_asked_for_again_and_no_other) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.reservations = {{NodeName("a"), AllocationId("eipalloc-1.0.0.2"), World::target_of("a"), true}};
  EXPECT_EQ(actions(world.plan()), "") << "not before its next try is due";
  world.retry_due = {NodeName("a")};
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.2");
  world.addresses[1].tags.clear();
  EXPECT_EQ(actions(world.plan()), "") << "it left the pool: wait for what the snapshots say";
}

// --- R5
// ----------------------------------------------------------------------------------------------------------

TEST(R5_never_steal, an_address_that_is_associated_elsewhere_is_never_asked_for) {
  World world;
  world.node("a").assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1").association =
      Association{AssociationId("eipassoc-x"), {InterfaceId("eni-nat"), ip("10.1.1.1")}, {}};
  const StaticIpPlan plan = world.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kPoolExhausted);
  EXPECT_THAT(plan_of(plan, "a").reason->text(), HasSubstr("1.0.0.1 (interface eni-nat)"));
  EXPECT_EQ(plan_of(plan, "a").assigned, kAbsent) << "R6: and the status is corrected";
}

TEST(R5_never_steal, a_target_with_a_foreign_address_is_left_alone) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.address("9.9.9.9", {{"somebody", "else"}});
  world.associate("9.9.9.9", "a");
  const StaticIpPlan plan = world.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kForeignAddress);
  EXPECT_THAT(plan_of(plan, "a").reason->text(), HasSubstr("9.9.9.9 (eipalloc-9.9.9.9)"));
}

// --- R6
// ----------------------------------------------------------------------------------------------------------

TEST(R6_the_cloud_is_the_truth, a_status_that_names_another_address_is_corrected) {
  World world;
  world.node("a").assigned_static_ip = ip("8.8.8.8");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  EXPECT_EQ(plan_of(world.plan(), "a").assigned, names("1.0.0.1"));
}

TEST(R6_the_cloud_is_the_truth, while_the_cloud_cannot_be_read_the_status_is_left_alone_and_says_why) {
  World world;
  world.node("a").assigned_static_ip = ip("1.0.0.1");
  world.has_snapshot = false;
  EXPECT_EQ(plan_of(world.plan(), "a").standing, Standing::kUnknown);
  world.cloud_problem = model::Reason{ReasonCode::kCloudUnavailable, "No route.", ""};
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kCloudUnavailable);
  EXPECT_FALSE(plan_of(world.plan(), "a").assigned);
}

// --- R8
// ----------------------------------------------------------------------------------------------------------

TEST(R8_waiting_line, is_in_order_of_tickets_then_of_creation_then_of_name) {
  World world;
  world.node("d", 1);
  world.node("c", 2);
  world.node("b", 2);
  world.node("a", 9);
  world.tickets = {{NodeName("a"), 7}};
  for (const char* text : {"1.0.0.1", "1.0.0.2", "1.0.0.3"}) {
    world.address(text);
  }
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(actions(plan), "a>1.0.0.1 d>1.0.0.2 b>1.0.0.3");
  EXPECT_EQ(reason(plan, "c"), ReasonCode::kWaiting);
  EXPECT_TRUE(plan_of(plan, "c").in_line);
}

TEST(R8_waiting_line, says_the_place_and_who_holds_the_addresses) {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.node("c", 3);
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(plan_of(plan, "b").reason->text(),
            "Waiting: Place 1 of 2 in line; every address with the tags "
            "anton=test,kubernetes_cluster=cluster-1 is in "
            "use: 1.0.0.1 (node a). Add an address with these tags, or free one; it is associated within one "
            "refresh.");
  EXPECT_THAT(plan_of(plan, "c").reason->text(), HasSubstr("Place 2 of 2"));
}

TEST(R8_waiting_line, knows_its_holders_by_their_targets_where_the_cloud_does_not_name_the_instance) {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.node("c", 3);
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.associate("1.0.0.1", "a");
  world.addresses[0].association->instance = InstanceId();
  EXPECT_THAT(plan_of(world.plan(), "c").reason->text(),
              HasSubstr("in use: 1.0.0.1 (node a), 1.0.0.2 (on its way to node b)."));
  EXPECT_EQ(reason(world.plan(), "c"), ReasonCode::kWaiting);
}

TEST(R8_waiting_line, a_node_that_cannot_be_served_now_is_not_in_it) {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.address("1.0.0.1");
  world.instances[World::instance_of("a")]->state = InstanceState::kPending;
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(actions(plan), "b>1.0.0.1");
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kInstanceNotRunning);
  EXPECT_FALSE(plan_of(plan, "a").in_line);
}

TEST(R11_isolation, a_node_that_is_held_back_does_not_hold_an_address_back) {
  World world;
  world.node("a", 1).assigned_static_ip = ip("1.0.0.1");
  world.node("b", 2);
  world.address("1.0.0.1");
  world.held.emplace(NodeName("a"), model::Reason{ReasonCode::kDenied, "No.", ""});
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(actions(plan), "b>1.0.0.1");
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kDenied);
}

// --- R9
// ----------------------------------------------------------------------------------------------------------

TEST(R9_change, when_the_tags_change_ours_gives_way_to_one_of_the_new_pool) {
  World world;
  world.node("a").assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1", {{"old", "pool"}});
  world.associate("1.0.0.1", "a");
  StaticIpPlan plan = world.plan();
  EXPECT_EQ(reason(plan, "a"), ReasonCode::kNotOfPool);
  EXPECT_EQ(plan_of(plan, "a").assigned, names("1.0.0.1")) << "published meanwhile";
  world.address("1.0.0.2");
  plan = world.plan();
  ASSERT_EQ(actions(plan), "a>1.0.0.2");
  EXPECT_EQ(std::get<Associate>(plan.actions[0]).replaces, AllocationId("eipalloc-1.0.0.1"));
}

TEST(R9_change, when_the_request_goes_ours_is_released_or_retained_as_the_policy_says) {
  World world;
  NodeView& view = world.node("a");
  view.static_ip_tags.clear();
  view.assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  StaticIpPlan plan = world.plan();
  EXPECT_EQ(actions(plan), "a<1.0.0.1");
  EXPECT_FALSE(plan_of(plan, "a").assigned) << "named until it is detached, else a crash would lose it";
  world.policy.reclaim = ReclaimPolicy::kRetain;
  plan = world.plan();
  EXPECT_EQ(actions(plan), "");
  EXPECT_EQ(plan_of(plan, "a").assigned, kAbsent);
}

TEST(R9_change, what_a_call_of_ours_gave_while_the_request_went_is_released_too) {
  World world;
  world.node("a").static_ip_tags.clear();
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  EXPECT_EQ(actions(world.plan()), "") << "not known as ours";
  world.given[NodeName("a")] = AllocationId("eipalloc-1.0.0.1");
  EXPECT_EQ(actions(world.plan()), "a<1.0.0.1");
}

TEST(R9_change, an_association_whose_id_is_not_known_yet_is_released_once_it_is) {
  World world;
  NodeView& view = world.node("a");
  view.static_ip_tags.clear();
  view.assigned_static_ip = ip("1.0.0.1");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  world.addresses[0].association->id = AssociationId();
  EXPECT_EQ(actions(world.plan()), "");
  EXPECT_FALSE(plan_of(world.plan(), "a").assigned);
}

TEST(R9_change, without_a_request_an_address_that_sits_elsewhere_is_not_touched) {
  World world;
  NodeView& view = world.node("a");
  view.static_ip_tags.clear();
  view.assigned_static_ip = ip("1.0.0.1");
  world.node("b");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "b");
  const StaticIpPlan plan = world.plan();
  EXPECT_EQ(actions(plan), "");
  EXPECT_EQ(plan_of(plan, "a").assigned, kAbsent);
}

TEST(R9_change, a_stopped_instance_stays_served) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.associate("1.0.0.1", "a");
  world.instances[World::instance_of("a")]->state = InstanceState::kStopped;
  EXPECT_EQ(plan_of(world.plan(), "a").standing, Standing::kServed);
}

// --- R12
// ---------------------------------------------------------------------------------------------------------

TEST(R12_reasons, no_instance_for_an_empty_or_malformed_id) {
  World world;
  world.node("a").instance = InstanceId();
  world.node("b").instance = InstanceId("vm-7");
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kNoInstance);
  EXPECT_THAT(plan_of(world.plan(), "b").reason->text(), HasSubstr("\"vm-7\""));
}

TEST(R12_reasons, instance_mismatch_where_the_provider_id_names_another) {
  World world;
  world.address("1.0.0.1");
  world.node("a").provider_id = "aws:///us-east-1a/i-other";
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kInstanceMismatch);
  world.nodes[NodeName("a")].provider_id = "aws:///us-east-1a/i-a";
  EXPECT_EQ(actions(world.plan()), "a>1.0.0.1");
}

TEST(R12_reasons, of_two_nodes_with_one_instance_the_confirmed_one_is_served_else_the_older) {
  World world;
  world.address("1.0.0.1");
  world.node("old", 1).instance = World::instance_of("new");
  world.node("new", 2);
  EXPECT_EQ(actions(world.plan()), "old>1.0.0.1");
  EXPECT_EQ(reason(world.plan(), "new"), ReasonCode::kDuplicateInstance);
  world.nodes[NodeName("new")].provider_id = "aws:///us-east-1a/i-new";
  EXPECT_EQ(actions(world.plan()), "new>1.0.0.1");
  EXPECT_EQ(reason(world.plan(), "old"), ReasonCode::kDuplicateInstance);
}

TEST(R12_reasons, a_node_whose_provider_id_names_another_instance_has_no_claim_to_this_one) {
  World world;
  world.address("1.0.0.1");
  NodeView& wrong = world.node("wrong", 1);
  wrong.instance = World::instance_of("new");
  wrong.provider_id = "aws:///us-east-1a/i-wrong";
  world.node("new", 2);
  EXPECT_EQ(actions(world.plan()), "new>1.0.0.1");
  EXPECT_EQ(reason(world.plan(), "wrong"), ReasonCode::kInstanceMismatch);
}

TEST(R12_reasons, an_instance_that_the_cloud_does_not_know_or_that_has_no_primary_interface) {
  World world;
  world.address("1.0.0.1");
  world.node("a");
  world.node("b");
  world.instances[World::instance_of("a")] = std::nullopt;
  world.instances[World::instance_of("b")]->target.reset();
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kInstanceNotRunning);
  EXPECT_EQ(reason(world.plan(), "b"), ReasonCode::kNoPrimaryInterface);
}

TEST(R12_reasons, an_undecodable_object_says_so_and_poisons_only_itself) {
  World world;
  world.address("1.0.0.1");
  world.node("a").undecodable = "spec.ipam is a string, expected an object";
  world.node("b");
  EXPECT_EQ(reason(world.plan(), "a"), ReasonCode::kUndecodable);
  EXPECT_EQ(actions(world.plan()), "b>1.0.0.1");
}

TEST(R12_reasons, every_reason_names_a_remedy) {
  World world;
  world.node("a");
  EXPECT_EQ(plan_of(world.plan(), "a").reason->text(),
            "PoolEmpty: No address of this account and region has the tags "
            "anton=test,kubernetes_cluster=cluster-1. "
            "Allocate an address with these tags, or tag one; keys and values are compared exactly.");
}

// --- counts
// ------------------------------------------------------------------------------------------------------

TEST(Plan, counts_all_addresses_that_have_the_tags_used_or_not) {
  World world;
  world.node("a");
  world.address("1.0.0.1");
  world.address("1.0.0.2");
  world.address("1.0.0.3", {{"x", "y"}});
  world.associate("1.0.0.1", "a");
  EXPECT_EQ(world.plan().matching, (std::map<TagMap, std::size_t>{{kTags, 2}}));
}

}  // namespace
}  // namespace berth::plan
