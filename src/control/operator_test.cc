#include "control/operator.h"

#include <chrono>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "control/fake_world.h"

namespace berth::control {
namespace {

using namespace std::chrono_literals;
using model::InstanceId;
using model::InterfaceId;
using model::NodeName;
using model::NodeView;
using model::TagMap;
using model::Target;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const TagMap kTags = {{"pool", "egress"}};

class OperatorTest : public testing::Test {
 public:
  ~OperatorTest() override { stop(); }

 protected:
  /// A node that asks, with a running instance.
  NodeView node(const std::string& name, int number) {
    const InstanceId id("i-" + name);
    cloud.instances[id] = {id, model::InstanceState::kRunning, target(name, number)};
    return {.name = NodeName(name),
            .uid = "uid-" + name,
            .created = WallTime(std::chrono::seconds(number)),
            .instance = id,
            .static_ip_tags = kTags};
  }
  static Target target(const std::string& name, int number) {
    return {InterfaceId("eni-" + name), *IpAddress::parse("10.0." + std::to_string(number / 250) + "." +
                                                          std::to_string(number % 250 + 1))};
  }

  void start() {
    stop_source = std::stop_source();
    running = std::make_unique<Operator>(clock, cloud, source, prng, options());
    scope.spawn(running->run(stop_source.get_token()));
    clock.settle();
  }
  void stop() {
    if (running) {
      stop_source.request_stop();
      clock.advance(20s);
      EXPECT_EQ(scope.running(), 0U);
      running.reset();
    }
  }
  static OperatorOptions options() {
    OperatorOptions options;
    options.policy.is_instance_id = [](std::string_view text) { return text.starts_with("i-"); };
    return options;
  }

  std::string status(const std::string& name) {
    const NodeView& view = source.nodes.at(NodeName(name));
    return view.assigned_static_ip ? view.assigned_static_ip->to_string() : "";
  }
  std::string error(const std::string& name) {
    const std::string& text = source.nodes.at(NodeName(name)).operator_error;
    return text.substr(0, text.find(':'));
  }
  std::string holder(const std::string& ip) {
    const auto& association = cloud.addresses.at(model::AllocationId("eipalloc-" + ip)).association;
    return association ? association->target.interface.str() : "";
  }

  LogCapture log;
  ports::FakeClock clock;
  FakeCloud cloud{clock};
  FakeSource source{clock};
  Prng prng{7};
  std::stop_source stop_source;
  ports::TaskScope scope;
  std::unique_ptr<Operator> running;
};

TEST_F(OperatorTest, a_node_gets_its_address_its_status_its_event_and_its_log_lines) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_EQ(holder("1.0.0.1"), "eni-a");
  EXPECT_THAT(source.events, ElementsAre("a StaticIPAssigned"));
  EXPECT_EQ(log.count("Found 1 EIPs corresponding to tags pool=egress"), 1U);
  EXPECT_EQ(log.count("Associated EIP 1.0.0.1 with Instance i-a (association ID: eipassoc-1)"), 1U);
  EXPECT_TRUE(running->ready());
}

TEST_F(OperatorTest, R4_R13_five_hundred_nodes_at_once_cost_one_association_each_and_a_handful_of_describes) {
  cloud.latency = 20ms;
  for (int i = 0; i < 500; ++i) {
    source.put(node("n" + std::to_string(i), i));
    cloud.address("1.0." + std::to_string(i / 250) + "." + std::to_string(i % 250), kTags);
  }
  start();
  clock.advance(5s);
  std::set<std::string> given;
  for (const auto& [name, view] : source.nodes) {
    given.insert(status(name.str()));
  }
  EXPECT_EQ(given.size(), 500U);
  EXPECT_FALSE(given.contains(""));
  EXPECT_THAT(cloud.changes, SizeIs(500));
  EXPECT_LE(static_cast<std::size_t>(cloud.address_reads) + cloud.instance_reads.size(), 5U);
}

TEST_F(OperatorTest, R4_a_lost_reply_ends_with_one_association_and_a_true_status) {
  cloud.address("1.0.0.1", kTags);
  cloud.address("1.0.0.2", kTags);
  cloud.lost_replies = 1;
  source.put(node("a", 1));
  start();
  EXPECT_EQ(status("a"), "") << "nobody has said so yet";
  clock.advance(2s);
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_THAT(cloud.changes, SizeIs(testing::Le(2U)));
  EXPECT_EQ(holder("1.0.0.2"), "");
}

TEST_F(OperatorTest, R4_after_a_lost_request_the_same_pair_is_asked_for_again) {
  cloud.address("1.0.0.1", kTags);
  cloud.address("1.0.0.2", kTags);
  cloud.lost_requests = 2;
  source.put(node("a", 1));
  start();
  clock.advance(60s);
  EXPECT_THAT(cloud.changes,
              ElementsAre("associate eipalloc-1.0.0.1 eni-a", "associate eipalloc-1.0.0.1 eni-a",
                          "associate eipalloc-1.0.0.1 eni-a"));
  EXPECT_EQ(status("a"), "1.0.0.1");
}

TEST_F(OperatorTest, R5_a_refused_address_is_left_and_the_next_one_taken_at_once) {
  cloud.address("1.0.0.1", kTags);
  cloud.address("1.0.0.2", kTags);
  cloud.refusals.push_back(
      {ports::RefusalCause::kAddressTaken, {ErrorKind::kAlreadyTaken, "AssociateAddress", "taken"}});
  source.put(node("a", 1));
  start();
  EXPECT_EQ(status("a"), "1.0.0.2");
}

TEST_F(OperatorTest, R5_nothing_is_disassociated_on_a_stop) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  stop();
  EXPECT_THAT(cloud.changes, SizeIs(1));
  EXPECT_EQ(holder("1.0.0.1"), "eni-a");
}

TEST_F(OperatorTest, R6_our_own_association_that_lagging_reads_do_not_show_is_believed_for_a_grace) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  cloud.stale = 25s;
  clock.advance(120s);
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_THAT(cloud.changes, SizeIs(1)) << "no second association because of lag";
}

TEST_F(OperatorTest, R6_an_address_that_was_moved_by_hand_is_not_named_any_more) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  cloud.attach("1.0.0.1", target("other", 99), InstanceId("i-other"));
  clock.advance(16s);
  EXPECT_EQ(status("a"), "");
  EXPECT_EQ(error("a"), "PoolExhausted");
  EXPECT_EQ(holder("1.0.0.1"), "eni-other") << "R5";
}

TEST_F(OperatorTest, R6_a_status_that_somebody_else_wrote_wrong_is_corrected) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  NodeView edited = source.nodes.at(NodeName("a"));
  edited.assigned_static_ip = IpAddress::parse("9.9.9.9");
  source.put(edited);
  clock.advance(1s);
  EXPECT_EQ(status("a"), "1.0.0.1");
}

TEST_F(OperatorTest, R6_a_node_whose_instance_is_replaced_asks_anew) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  ASSERT_EQ(status("a"), "1.0.0.1");
  cloud.address("1.0.0.2", kTags);
  NodeView replaced = source.nodes.at(NodeName("a"));
  replaced.instance = InstanceId("i-new");
  cloud.instances[replaced.instance] = {replaced.instance, model::InstanceState::kRunning, target("new", 7)};
  source.put(replaced);
  clock.advance(16s);
  EXPECT_EQ(status("a"), "1.0.0.2");
  EXPECT_EQ(holder("1.0.0.1"), "eni-a") << "R9: not taken from the old instance while it lives";
}

TEST_F(OperatorTest, R7_an_address_that_was_detached_by_hand_comes_back_within_a_refresh) {
  cloud.address("1.0.0.1", kTags);
  cloud.address("1.0.0.2", kTags);
  source.put(node("b", 0));
  start();
  source.put(node("a", 1));
  clock.advance(16s);
  ASSERT_EQ(status("a"), "1.0.0.2");
  cloud.detach("1.0.0.2");
  cloud.address("1.0.0.0", kTags);
  clock.advance(31s);
  EXPECT_EQ(holder("1.0.0.2"), "eni-a") << "the same one first";
  EXPECT_EQ(status("a"), "1.0.0.2");
}

TEST_F(OperatorTest, R8_the_first_in_line_gets_the_next_address_within_a_refresh) {
  for (int i = 0; i < 3; ++i) {
    source.put(node("n" + std::to_string(i), i));
  }
  cloud.address("1.0.0.1", kTags);
  start();
  clock.advance(1s);
  source.put(node("a-late-one", 0));
  clock.advance(1s);
  EXPECT_EQ(status("n0"), "1.0.0.1");
  EXPECT_EQ(error("n1"), "Waiting");
  cloud.address("1.0.0.2", kTags);
  clock.advance(16s);
  EXPECT_EQ(status("n1"), "1.0.0.2");
  cloud.address("1.0.0.3", kTags);
  clock.advance(16s);
  EXPECT_EQ(status("n2"), "1.0.0.3") << "who came later is behind, although its object is older";
  EXPECT_EQ(error("a-late-one"), "Waiting");
}

TEST_F(OperatorTest, R8_R9_an_address_that_we_free_goes_to_the_first_in_line_at_once) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  source.put(node("b", 2));
  start();
  ASSERT_EQ(error("b"), "Waiting");
  NodeView quiet = source.nodes.at(NodeName("a"));
  quiet.static_ip_tags.clear();
  source.put(quiet);
  clock.advance(100ms);
  EXPECT_EQ(status("a"), "");
  EXPECT_EQ(status("b"), "1.0.0.1");
  EXPECT_THAT(cloud.changes, ElementsAre("associate eipalloc-1.0.0.1 eni-a", "disassociate eipassoc-1",
                                         "associate eipalloc-1.0.0.1 eni-b"));
}

TEST_F(OperatorTest, R9_when_the_tags_change_the_old_address_gives_way_and_is_free_for_others) {
  const TagMap other = {{"pool", "other"}};
  cloud.address("1.0.0.1", kTags);
  cloud.address("2.0.0.1", other);
  source.put(node("a", 1));
  source.put(node("b", 2));
  start();
  NodeView changed = source.nodes.at(NodeName("a"));
  changed.static_ip_tags = other;
  source.put(changed);
  clock.advance(100ms);
  EXPECT_EQ(status("a"), "2.0.0.1");
  EXPECT_EQ(status("b"), "1.0.0.1");
}

TEST_F(OperatorTest, R9_a_request_that_goes_while_its_association_is_under_way_leaves_nothing_behind) {
  cloud.address("1.0.0.1", kTags);
  cloud.latency = 100ms;
  source.put(node("a", 1));
  start();
  clock.advance(150ms);
  ASSERT_THAT(cloud.changes, SizeIs(1)) << "it is under way";
  NodeView quiet = source.nodes.at(NodeName("a"));
  quiet.static_ip_tags.clear();
  source.put(quiet);
  clock.advance(5s);
  EXPECT_EQ(holder("1.0.0.1"), "");
  EXPECT_EQ(status("a"), "");
}

TEST_F(OperatorTest, R9_tags_that_change_while_a_lost_reply_is_unresolved_do_not_make_the_address_foreign) {
  const TagMap other = {{"pool", "other"}};
  cloud.address("1.0.0.1", kTags);
  cloud.address("2.0.0.1", other);
  cloud.lost_replies = 1;
  source.put(node("a", 1));
  start();
  NodeView changed = source.nodes.at(NodeName("a"));
  changed.static_ip_tags = other;
  source.put(changed);
  clock.advance(60s);
  EXPECT_EQ(status("a"), "2.0.0.1");
  EXPECT_EQ(holder("1.0.0.1"), "");
}

TEST_F(OperatorTest, R11_a_describe_that_hangs_leaves_other_nodes_reaction_time_as_it_was) {
  cloud.address("1.0.0.1", kTags);
  cloud.address("1.0.0.2", kTags);
  start();
  cloud.latency = 60s;
  source.put(node("hangs", 1));
  clock.advance(300ms);
  cloud.latency = 0s;
  source.put(node("a", 2));
  clock.advance(50ms);
  EXPECT_NE(status("a"), "");
}

TEST_F(OperatorTest, R12_a_reason_is_written_logged_and_recorded_once_per_change) {
  source.put(node("a", 1));
  start();
  clock.advance(60s);
  EXPECT_EQ(error("a"), "PoolEmpty");
  EXPECT_THAT(source.writes, ElementsAre("a: error=PoolEmpty"));
  EXPECT_THAT(source.events, ElementsAre("a PoolEmpty"));
  EXPECT_EQ(log.count("Node a has no static IP of its pool: PoolEmpty"), 1U);
  cloud.address("1.0.0.1", kTags);
  clock.advance(16s);
  EXPECT_EQ(error("a"), "");
  EXPECT_THAT(source.events, ElementsAre("a PoolEmpty", "a StaticIPAssigned"));
}

TEST_F(OperatorTest, R12_R13_a_denied_call_is_tried_again_slowly_and_says_why) {
  cloud.address("1.0.0.1", kTags);
  for (int i = 0; i < 100; ++i) {
    cloud.refusals.push_back(
        {ports::RefusalCause::kDenied,
         {ErrorKind::kUnauthorized, "AssociateAddress", "not allowed", "UnauthorizedOperation"}});
  }
  source.put(node("a", 1));
  start();
  clock.advance(10min);
  EXPECT_EQ(error("a"), "Denied");
  EXPECT_THAT(source.nodes.at(NodeName("a")).operator_error, HasSubstr("UnauthorizedOperation"));
  EXPECT_THAT(cloud.changes, SizeIs(testing::AllOf(testing::Ge(3U), testing::Le(6U))));
}

TEST_F(OperatorTest, R12_while_the_cloud_cannot_be_read_at_all_every_request_says_so_and_then_is_served) {
  cloud.address("1.0.0.1", kTags);
  cloud.read_error = Error{ErrorKind::kUnavailable, "DescribeAddresses", "connection refused"};
  source.put(node("a", 1));
  start();
  clock.advance(1s);
  EXPECT_EQ(error("a"), "CloudUnavailable");
  EXPECT_FALSE(running->ready());
  EXPECT_THAT(running->not_ready_why(), HasSubstr("connection refused"));
  cloud.read_error.reset();
  clock.advance(40s);
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_EQ(error("a"), "");
}

TEST_F(OperatorTest, R12_an_instance_that_is_pending_is_served_within_a_refresh_after_it_runs) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  cloud.instances.at(InstanceId("i-a")).state = model::InstanceState::kPending;
  start();
  EXPECT_EQ(error("a"), "InstanceNotRunning");
  cloud.instances.at(InstanceId("i-a")).state = model::InstanceState::kRunning;
  clock.advance(16s);
  EXPECT_EQ(status("a"), "1.0.0.1");
}

TEST_F(OperatorTest, R13_nodes_that_wait_do_not_raise_the_number_of_describes) {
  for (int i = 0; i < 50; ++i) {
    source.put(node("n" + std::to_string(i), i));
  }
  start();
  const int reads_before = cloud.address_reads;
  const std::size_t instance_reads_before = cloud.instance_reads.size();
  clock.advance(5min);
  EXPECT_LE(cloud.address_reads - reads_before, 20);
  EXPECT_EQ(cloud.instance_reads.size(), instance_reads_before);
}

TEST_F(OperatorTest, R14_a_restart_over_a_served_world_changes_and_writes_nothing) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  source.put(node("b", 2));
  start();
  stop();
  const auto writes = source.writes;
  const auto events = source.events;
  start();
  clock.advance(60s);
  EXPECT_THAT(cloud.changes, SizeIs(1));
  EXPECT_EQ(source.writes, writes);
  EXPECT_EQ(source.events, events);
}

TEST_F(OperatorTest, R6_R14_a_restart_while_reads_lag_believes_the_status_for_a_grace) {
  cloud.address("1.0.0.1", kTags);
  source.put(node("a", 1));
  start();
  stop();
  cloud.stale = clock.mono_now().time_since_epoch() + 1ms;  // as before the association
  start();
  clock.advance(5s);
  cloud.stale = 0s;
  clock.advance(60s);
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_THAT(cloud.changes, SizeIs(1));
}

TEST_F(OperatorTest, R17_an_api_that_fails_is_tried_again_until_the_status_is_written) {
  cloud.address("1.0.0.1", kTags);
  source.failing_writes = 3;
  source.put(node("a", 1));
  start();
  EXPECT_EQ(status("a"), "");
  clock.advance(30s);
  EXPECT_EQ(status("a"), "1.0.0.1");
  EXPECT_THAT(cloud.changes, SizeIs(1));
}

TEST_F(OperatorTest, a_node_that_goes_while_its_association_is_under_way_does_no_harm) {
  cloud.address("1.0.0.1", kTags);
  cloud.latency = 100ms;
  source.put(node("a", 1));
  start();
  clock.advance(150ms);
  source.remove(NodeName("a"));
  clock.advance(30s);
  EXPECT_THAT(source.writes, IsEmpty());
}

}  // namespace
}  // namespace berth::control
