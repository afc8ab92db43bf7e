#include "sandbox/ec2/world.h"

#include <gtest/gtest.h>

#include "ports/fake_clock.h"
#include "sandbox/ec2/shapes.h"

namespace berth::sandbox {
namespace {

template <class T>
std::string code(const Outcome<T>& outcome) {
  return outcome ? "ok" : outcome.error().code;
}

IpAddress ip(std::string_view text) { return *IpAddress::parse(text); }

class World : public testing::Test {
 protected:
  /// The public IP of a private address of an instance's interface; "" for none.
  std::string public_ip(const InstanceId& id, std::size_t interface = 0, std::size_t address = 0) {
    const Moment now = world.now();
    const Interface& at = *now.interface(now.instance(id)->interfaces.at(interface));
    const auto side = public_side(now, at.private_addresses.at(address));
    return side ? side->ip.to_string() : "";
  }
  InterfaceId interface_of(const InstanceId& id, std::size_t index = 0) {
    return world.now().instance(id)->interfaces.at(index);
  }
  std::string state(const InstanceId& id) { return std::string(to_string(world.now().instance(id)->state)); }
  bool is_free(const AllocationId& id) { return !world.now().address(id)->association.has_value(); }

  Outcome<AssociationId> associate(const AllocationId& id, const InterfaceId& to, bool allow = true) {
    return world.associate_address({.allocation_id = id, .interface_id = to, .allow_reassociation = allow});
  }
  Outcome<AssociationId> associate_instance(const AllocationId& id, const InstanceId& to) {
    return world.associate_address({.allocation_id = id, .instance_id = to});
  }

  ports::FakeClock clock;
  Ec2World world{clock};
  AllocationId first = world.allocate_seed_address(Tags{});
  AllocationId second = world.allocate_seed_address(Tags{});
  InstanceId node = world.run_seed_instance();
  InstanceId other = world.run_seed_instance();
};

TEST_F(World, hands_addresses_out_in_order_and_makes_ids_that_look_like_EC2s) {
  EXPECT_EQ(world.now().address(first)->public_ip, ip("18.213.0.1"));
  EXPECT_EQ(world.now().address(second)->public_ip, ip("18.213.0.2"));
  EXPECT_EQ(first.str().size(), std::string("eipalloc-0123456789abcdef0").size());
  EXPECT_EQ(public_ip(node), "3.80.0.1");
  EXPECT_EQ(world.now().interface(interface_of(node))->private_addresses.front().ip, ip("10.0.0.4"));

  Ec2World again(clock);
  EXPECT_EQ(again.allocate_seed_address(Tags{}), first) << "the same seed makes the same ids";
}

TEST_F(World, gives_an_address_that_is_asked_for_unless_somebody_has_it) {
  const auto asked = world.allocate_address({.public_ip = ip("18.213.0.3")});
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(code(world.allocate_address({.public_ip = ip("18.213.0.3")})), "InvalidAddress.NotFound");
  const auto next = world.allocate_address({});
  EXPECT_EQ(world.now().address(*next)->public_ip, ip("18.213.0.4")) << "the one in use is passed over";
}

TEST_F(World, keeps_border_groups_apart) {
  EXPECT_EQ(code(world.allocate_address({.border_group = "eu-west-1"})), "InvalidParameterValue");
  const auto local = world.allocate_address({.border_group = "us-east-1-bos-1"});
  ASSERT_TRUE(local.has_value());
  EXPECT_EQ(code(associate(*local, interface_of(node))), "InvalidParameterCombination");
}

TEST_F(World, associates_with_the_primary_private_address_and_takes_the_auto_assigned_ip_away) {
  const auto association = associate(first, interface_of(node), false);
  ASSERT_TRUE(association.has_value());
  EXPECT_EQ(public_ip(node), "18.213.0.1");
  const Address address = *world.now().address(first);
  EXPECT_EQ(address.association->id, *association);
  EXPECT_EQ(address.association->private_ip, ip("10.0.0.4"));
  EXPECT_EQ(world.now().instance_of(address)->id, node);
}

TEST_F(World, gives_a_new_auto_assigned_ip_after_disassociation) {
  const auto association = associate(first, interface_of(node));
  ASSERT_TRUE(world.disassociate_address(*association).has_value());
  EXPECT_EQ(public_ip(node), "3.80.0.3") << "3.80.0.2 is the other instance's";
  EXPECT_EQ(code(world.disassociate_address(*association)), "InvalidAssociationID.NotFound");
}

TEST_F(World, repeats_the_same_pair_without_a_change) {
  const auto association = associate(first, interface_of(node), false);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(associate(first, interface_of(node), false), association);
  EXPECT_EQ(associate(first, interface_of(node), true), association);
}

TEST_F(World, moves_an_associated_address_only_where_reassociation_is_allowed) {
  const auto before = associate(first, interface_of(node));
  const auto refused = associate(first, interface_of(other), false);
  EXPECT_EQ(code(refused), "Resource.AlreadyAssociated");
  EXPECT_NE(refused.error().message.find(before->str()), std::string::npos);
  EXPECT_EQ(public_ip(node), "18.213.0.1");

  const auto moved = associate(first, interface_of(other));
  ASSERT_TRUE(moved.has_value());
  EXPECT_NE(*moved, *before) << "every association has an id of its own";
  EXPECT_EQ(public_ip(other), "18.213.0.1");
  EXPECT_EQ(public_ip(node), "3.80.0.3");
  EXPECT_EQ(code(world.disassociate_address(*before)), "InvalidAssociationID.NotFound");
}

TEST_F(World, moves_an_address_between_the_private_addresses_of_one_interface) {
  const InstanceId two =
      world.run_seed_instance({.interfaces = {{.secondary_count = 1, .auto_public_ip = true}}});
  const IpAddress secondary = world.now().interface(interface_of(two))->private_addresses[1].ip;
  ASSERT_TRUE(associate(first, interface_of(two)).has_value());
  ASSERT_TRUE(world
                  .associate_address(
                      {.allocation_id = first, .interface_id = interface_of(two), .private_ip = secondary})
                  .has_value());
  EXPECT_EQ(public_ip(two, 0, 1), "18.213.0.1");
  EXPECT_EQ(public_ip(two, 0, 0), "") << "none is given while a secondary address has an Elastic IP";
}

TEST_F(World, drops_the_address_that_a_target_has_without_a_word) {
  ASSERT_TRUE(associate(first, interface_of(node)).has_value());
  ASSERT_TRUE(associate(second, interface_of(node), false).has_value());
  EXPECT_TRUE(is_free(first));
  EXPECT_EQ(public_ip(node), "18.213.0.2");
}

TEST_F(World, has_one_address_per_private_address) {
  const InterfaceId more = world.attach_seed_interface(node, {.device_index = 1, .secondary_count = 1});
  const auto ips = world.now().interface(more)->private_addresses;
  const auto associate_ip = [&](const AllocationId& id, const IpAddress& to) {
    return world.associate_address({.allocation_id = id, .interface_id = more, .private_ip = to});
  };
  ASSERT_TRUE(associate_ip(first, ips[0].ip).has_value());
  ASSERT_TRUE(associate_ip(second, ips[1].ip).has_value());
  EXPECT_EQ(public_ip(node, 1, 0), "18.213.0.1");
  EXPECT_EQ(public_ip(node, 1, 1), "18.213.0.2");
  EXPECT_EQ(public_ip(node), "3.80.0.1") << "the primary interface keeps its own";
  EXPECT_EQ(code(associate_ip(first, ip("10.0.0.4"))), "InvalidParameterValue")
      << "that is another interface's";

  ASSERT_TRUE(associate_ip(first, ips[1].ip).has_value());
  EXPECT_EQ(public_ip(node, 1, 0), "");
  EXPECT_TRUE(is_free(second));
}

TEST_F(World, takes_an_instance_only_where_it_has_one_interface) {
  ASSERT_TRUE(associate_instance(first, other).has_value());
  world.attach_seed_interface(node, {.device_index = 1});
  EXPECT_EQ(code(associate_instance(second, node)), "InvalidInstanceID");
  EXPECT_EQ(code(associate_instance(second, InstanceId("i-00000000000000000"))),
            "InvalidInstanceID.NotFound");
}

TEST_F(World, gives_no_auto_assigned_ip_back_to_an_instance_with_two_interfaces) {
  world.attach_seed_interface(node, {.device_index = 1});
  EXPECT_EQ(public_ip(node), "3.80.0.1");
  const auto association = associate(first, interface_of(node));
  ASSERT_TRUE(world.disassociate_address(*association).has_value());
  EXPECT_EQ(public_ip(node), "");
}

TEST_F(World, orders_interfaces_by_network_card_and_device_index) {
  const InterfaceId card1 = world.attach_seed_interface(node, {.device_index = 0, .network_card = 1});
  const InterfaceId device1 = world.attach_seed_interface(node, {.device_index = 1});
  EXPECT_EQ(world.now().instance(node)->interfaces[1], device1);
  EXPECT_EQ(world.now().instance(node)->interfaces[2], card1);
}

TEST_F(World, does_not_know_what_does_not_exist) {
  EXPECT_EQ(code(associate(AllocationId("eipalloc-1"), interface_of(node))), "InvalidAllocationID.NotFound");
  EXPECT_EQ(code(associate(first, InterfaceId("eni-1"))), "InvalidNetworkInterfaceID.NotFound");
  EXPECT_EQ(code(world.associate_address({.public_ip = ip("9.9.9.9"), .interface_id = interface_of(node)})),
            "AuthFailure");
  EXPECT_EQ(code(world.release_address(AllocationId("eipalloc-1"))), "InvalidAllocationID.NotFound");
}

TEST_F(World, releases_only_what_is_free) {
  const auto association = associate(first, interface_of(node));
  EXPECT_EQ(code(world.release_address(first)), "InvalidIPAddress.InUse");
  ASSERT_TRUE(world.disassociate_address(*association).has_value());
  ASSERT_TRUE(world.release_address(first).has_value());
  EXPECT_EQ(world.now().address(first), nullptr);
  EXPECT_EQ(code(world.release_address(first)), "InvalidAllocationID.NotFound");
}

TEST_F(World, leaves_what_a_service_manages_to_that_service) {
  const AllocationId managed = world.allocate_seed_address({.service_managed = "rnat"});
  EXPECT_EQ(code(associate(managed, interface_of(node))), "AuthFailure");
  EXPECT_EQ(code(world.release_address(managed)), "AuthFailure");
}

TEST_F(World, needs_an_internet_gateway) {
  world.set_internet_gateway(false);
  EXPECT_EQ(code(associate(first, interface_of(node))), "Gateway.NotAttached");
}

TEST_F(World, has_a_limit_of_addresses_where_one_is_set) {
  Ec2World small(clock, {.address_limit = 1});
  EXPECT_EQ(code(small.allocate_address({})), "ok");
  EXPECT_EQ(code(small.allocate_address({})), "AddressLimitExceeded");
}

TEST_F(World, runs_instances_after_a_while_and_refuses_addresses_before) {
  const InstanceId id = world.run_instances({.count = 1})->front();
  EXPECT_EQ(state(id), "pending");
  EXPECT_EQ(public_ip(id), "3.80.0.3");
  EXPECT_EQ(code(associate_instance(first, id)), "InvalidInstanceID");
  EXPECT_EQ(code(associate(first, interface_of(id))), "IncorrectInstanceState");
  clock.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(state(id), "pending");
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(state(id), "running");
  EXPECT_EQ(code(associate(first, interface_of(id))), "ok");
}

TEST_F(World, runs_the_same_client_token_once) {
  const Launch launch{.client_token = "token", .count = 2};
  const auto ids = world.run_instances(launch);
  EXPECT_EQ(world.run_instances(launch), ids);
  EXPECT_EQ(code(world.run_instances({.client_token = "token", .count = 3})), "IdempotentParameterMismatch");
  EXPECT_EQ(world.now().instances().size(), 4U);
}

TEST_F(World, stops_with_the_elastic_ip_and_without_the_auto_assigned_one) {
  ASSERT_TRUE(associate(first, interface_of(node)).has_value());
  ASSERT_TRUE(world.stop_instances({node, other}).has_value());
  EXPECT_EQ(state(node), "stopping");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(state(node), "stopped");
  EXPECT_EQ(public_ip(node), "18.213.0.1");
  EXPECT_EQ(public_ip(other), "");
  EXPECT_EQ(code(associate(second, interface_of(other))), "ok") << "a stopped instance may get one";

  ASSERT_TRUE(world.start_instances({node}).has_value());
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(state(node), "running");
  EXPECT_EQ(public_ip(node), "18.213.0.1");
}

TEST_F(World, starts_with_a_new_auto_assigned_ip) {
  ASSERT_TRUE(world.stop_instances({node}).has_value());
  clock.advance(std::chrono::seconds(1));
  ASSERT_TRUE(world.start_instances({node}).has_value());
  EXPECT_EQ(public_ip(node), "3.80.0.3");
}

TEST_F(World, terminates_and_frees_the_address) {
  ASSERT_TRUE(associate(first, interface_of(node)).has_value());
  const InterfaceId gone = interface_of(node);
  ASSERT_TRUE(world.terminate_instances({node}).has_value());
  EXPECT_EQ(state(node), "shutting-down");
  EXPECT_EQ(code(associate(second, gone)), "IncorrectInstanceState");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(state(node), "terminated");
  EXPECT_TRUE(is_free(first));
  EXPECT_EQ(world.now().interface(gone), nullptr);
  EXPECT_EQ(code(associate_instance(first, node)), "InvalidInstanceID");
  EXPECT_EQ(code(associate(first, gone)), "InvalidNetworkInterfaceID.NotFound");
  EXPECT_EQ(code(world.start_instances({node})), "IncorrectInstanceState");
  EXPECT_EQ(code(world.terminate_instances({node})), "ok") << "once more does no harm";
  clock.advance(std::chrono::hours(1));
  EXPECT_EQ(world.now().instance(node), nullptr);
}

TEST_F(World, leaves_an_interface_that_is_not_deleted_on_termination_with_its_address) {
  const InterfaceId kept =
      world.attach_seed_interface(node, {.device_index = 1, .delete_on_termination = false});
  ASSERT_TRUE(associate(first, kept).has_value());
  ASSERT_TRUE(world.terminate_instances({node}).has_value());
  clock.advance(std::chrono::seconds(1));
  EXPECT_FALSE(world.now().interface(kept)->attachment.has_value());
  EXPECT_FALSE(is_free(first));
  EXPECT_EQ(world.now().instance_of(*world.now().address(first)), nullptr);
}

TEST_F(World, associates_with_an_interface_of_no_instance) {
  const InterfaceId gateway = world.create_seed_interface({.description = "Interface for NAT Gateway"});
  ASSERT_TRUE(associate(first, gateway).has_value());
  EXPECT_EQ(world.now().address(first)->association->interface_id, gateway);
  EXPECT_EQ(world.now().instance_of(*world.now().address(first)), nullptr);
  EXPECT_EQ(code(associate(first, interface_of(node), false)), "Resource.AlreadyAssociated");
}

TEST_F(World, changes_no_instance_where_one_of_the_ids_is_wrong) {
  EXPECT_EQ(code(world.stop_instances({node, InstanceId("i-1")})), "InvalidInstanceID.NotFound");
  EXPECT_EQ(state(node), "running");
  const InstanceId pending = world.run_instances({})->front();
  EXPECT_EQ(code(world.stop_instances({node, pending})), "IncorrectInstanceState");
  EXPECT_EQ(state(node), "running");
}

TEST_F(World, remembers_what_it_was) {
  clock.advance(std::chrono::seconds(10));
  ASSERT_TRUE(associate(first, interface_of(node)).has_value());
  ASSERT_TRUE(world.stop_instances({other}).has_value());
  clock.advance(std::chrono::seconds(10));
  ASSERT_TRUE(world.release_address(second).has_value());
  const AllocationId late = world.allocate_seed_address(Tags{});

  const Moment before = world.at(clock.mono_now() - std::chrono::seconds(11));
  EXPECT_FALSE(before.address(first)->association.has_value());
  EXPECT_NE(before.address(second), nullptr);
  EXPECT_EQ(before.address(late), nullptr);
  const Interface& interface = *before.interface(interface_of(node));
  EXPECT_EQ(public_side(before, interface.private_addresses.front())->ip, ip("3.80.0.1"));
  EXPECT_EQ(before.instance(other)->state, InstanceState::kRunning);

  EXPECT_EQ(world.at(clock.mono_now() - std::chrono::milliseconds(9500)).instance(other)->state,
            InstanceState::kStopping)
      << "a state that ended by itself ended at its time, not when somebody looked";
  EXPECT_EQ(world.now().instance(other)->state, InstanceState::kStopped);
}

TEST_F(World, forgets_what_is_older_than_its_memory) {
  clock.advance(std::chrono::seconds(10));
  ASSERT_TRUE(world.create_tags({first.str()}, {{"v", "1"}}).has_value());
  clock.advance(kLedgerMemory + std::chrono::seconds(1));
  ASSERT_TRUE(world.create_tags({first.str()}, {{"v", "2"}}).has_value());
  const Moment longest = world.at(clock.mono_now() - std::chrono::hours(1));
  EXPECT_EQ(longest.address(first)->tags.at("v"), "1") << "answered with the oldest that is known";
}

TEST_F(World, tags_whatever_it_holds) {
  const std::string interface = interface_of(node).str();
  ASSERT_TRUE(world.create_tags({first.str(), node.str(), interface}, {{"a", "1"}, {"b", ""}}).has_value());
  EXPECT_EQ(world.now().address(first)->tags, (Tags{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(world.now().instance(node)->tags, (Tags{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(world.now().interface(interface_of(node))->tags, (Tags{{"a", "1"}, {"b", ""}}));
}

TEST_F(World, deletes_tags_by_key_by_value_or_all) {
  ASSERT_TRUE(world.create_tags({first.str()}, {{"a", "1"}, {"b", "2"}, {"c", "3"}}).has_value());
  const auto tags = [&] { return world.now().address(first)->tags; };
  ASSERT_TRUE(
      world.delete_tags({first.str()}, {{"a", "other"}, {"b", std::nullopt}, {"nope", "x"}}).has_value());
  EXPECT_EQ(tags(), (Tags{{"a", "1"}, {"c", "3"}}));
  ASSERT_TRUE(world.delete_tags({first.str()}, {{"a", ""}}).has_value());
  EXPECT_EQ(tags(), (Tags{{"a", "1"}, {"c", "3"}})) << "an empty value deletes only an empty value";
  ASSERT_TRUE(world.delete_tags({first.str()}, {{"a", "1"}}).has_value());
  EXPECT_EQ(tags(), (Tags{{"c", "3"}}));
  ASSERT_TRUE(world.delete_tags({first.str()}, {}).has_value());
  EXPECT_EQ(tags(), Tags{});
}

TEST_F(World, keeps_the_tags_of_AWS) {
  const AllocationId id =
      world.allocate_seed_address(Tags{{"aws:cloudformation:stack-name", "s"}, {"mine", "1"}});
  EXPECT_EQ(code(world.create_tags({id.str()}, {{"aws:x", "1"}})), "InvalidParameterValue");
  EXPECT_EQ(code(world.delete_tags({id.str()}, {{"aws:cloudformation:stack-name", std::nullopt}})),
            "InvalidParameterValue");
  ASSERT_TRUE(world.delete_tags({id.str()}, {}).has_value());
  EXPECT_EQ(world.now().address(id)->tags.size(), 1U);
}

TEST_F(World, has_EC2s_limits_of_tags) {
  const auto tag = [&](const std::string& key, const std::string& value) {
    return code(world.create_tags({second.str()}, {{key, value}}));
  };
  EXPECT_EQ(tag(std::string(128, 'k'), std::string(256, 'v')), "ok");
  EXPECT_EQ(tag(std::string(129, 'k'), ""), "InvalidParameterValue");
  EXPECT_EQ(tag("", ""), "InvalidParameterValue");
  EXPECT_EQ(tag("k", std::string(257, 'v')), "InvalidParameterValue");
  std::string umlauts;
  for (int i = 0; i < 128; ++i) {
    umlauts += "ü";
  }
  EXPECT_EQ(tag(umlauts, ""), "ok") << "characters count, not bytes";

  Tags fifty;
  for (int i = 0; i < 50; ++i) {
    fifty.emplace(std::to_string(i), "");
  }
  EXPECT_EQ(code(world.create_tags({first.str()}, fifty)), "ok");
  EXPECT_EQ(code(world.create_tags({first.str()}, {{"49", "changed"}})), "ok");
  EXPECT_EQ(code(world.create_tags({first.str()}, {{"one more", ""}})), "TagLimitExceeded");
}

TEST_F(World, tags_all_or_nothing) {
  EXPECT_EQ(code(world.create_tags({first.str(), "eni-1"}, {{"a", "1"}})),
            "InvalidNetworkInterfaceID.NotFound");
  EXPECT_EQ(code(world.create_tags({first.str(), "what-1"}, {{"a", "1"}})), "InvalidID");
  EXPECT_EQ(world.now().address(first)->tags, Tags{});
}

}  // namespace
}  // namespace berth::sandbox
