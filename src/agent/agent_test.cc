#include "agent/agent.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/fake_node_world.h"
#include "agent/scenario_for_test.h"
#include "base/log.h"
#include "ports/fake_clock.h"

namespace berth::agent {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using testing::HasSubstr;

constexpr const char* kFile = "/etc/cni/net.d/10-generic-veth.conflist";
constexpr const char* kObject = "ciliumnodes/node-1";

std::string conflist(const std::string& ipam) {
  return R"({"plugins":[{"type":"cilium-cni","ipam":{)" + ipam + "}}]}";
}
const std::string kTagsA = conflist(R"("static-ip-tags":{"a":"1"})");
const std::string kTagsB = conflist(R"("static-ip-tags":{"b":"2"})");

Error unavailable(const std::string& detail) {
  return Error{.kind = ErrorKind::kUnavailable, .operation = "GET nodes/node-1", .detail = detail};
}

class AgentTest : public testing::Test {
 protected:
  AgentTest() {
    files_.files[kFile] = kScenario;
    kube_.put("nodes/node-1", R"({"metadata":{"name":"node-1","uid":"uid-1"}})");
  }
  void TearDown() override {
    stop_.request_stop();
    clock_.settle();
  }

  void start(AgentFlags flags = {}) {
    agent_.emplace(
        AgentOptions{.node_name = "node-1", .cni_conf = "/etc/cni/net.d", .flags = std::move(flags)}, clock_,
        files_, metadata_, kube_, Logger("agent"));
    scope_.spawn(agent_->run(stop_.get_token()));
  }

  Result<void> run_once() {
    agent_.emplace(AgentOptions{.node_name = "node-1", .cni_conf = "/etc/cni/net.d"}, clock_, files_,
                   metadata_, kube_, Logger("agent"));
    std::optional<Result<void>> result;
    ports::TaskScope scope;
    scope.spawn(store(agent_->run_once({clock_.mono_now() + 10s}), result));
    CHECK(result.has_value());
    return *result;
  }

  json::object& cilium_node() { return kube_.objects[kObject]; }
  json::value ipam() { return json::value(cilium_node()).at("spec").at("ipam"); }
  json::value tags() {
    const json::value now = ipam();
    const json::value* found = now.as_object().if_contains("static-ip-tags");
    return found == nullptr ? json::value() : *found;
  }

  LogCapture log_;
  ports::FakeClock clock_;
  FakeFiles files_;
  FakeInstanceMetadata metadata_;
  FakeKubeApi kube_;
  std::stop_source stop_;
  std::optional<Agent> agent_;
  ports::TaskScope scope_;

 private:
  static ports::Task<void> store(ports::Task<Result<void>> task, std::optional<Result<void>>& into) {
    into.emplace(co_await std::move(task));
  }
};

TEST_F(AgentTest, the_scenario_is_published_byte_for_byte) {
  start();
  EXPECT_TRUE(agent_->ready());
  EXPECT_EQ(
      json::serialize(ipam()),
      R"({"min-allocate":3,"pre-allocate":1,"static-ip-tags":{"anton":"test","kubernetes_cluster":"cluster-1"},)"
      R"("pool":{},"pools":{}})");
  const json::value object = cilium_node();
  EXPECT_EQ(object.at("spec").at("instance-id"), "i-0123456789abcdef0");
  EXPECT_EQ(object.at("metadata").at("ownerReferences"),
            json::parse(R"([{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-1"}])"));
  EXPECT_EQ(log_.count("Created CiliumNode node-1: instance i-0123456789abcdef0, static IP tags "
                       "anton=test,kubernetes_cluster=cluster-1"),
            1U);
}

TEST_F(AgentTest, R17_a_second_look_at_a_right_object_writes_nothing) {
  start();
  kube_.calls.clear();
  clock_.advance(10min);
  EXPECT_EQ(kube_.writes(), 0U);
  EXPECT_GE(kube_.calls.size(), 16U) << "it does look";
  EXPECT_EQ(log_.count("CiliumNode"), 1U) << "said once";
}

TEST_F(AgentTest, a_change_of_the_file_is_followed_within_two_seconds_and_a_removed_tag_goes) {
  files_.files[kFile] = conflist(R"("static-ip-tags":{"a":"1","b":"2"})");
  start();
  clock_.advance(30s);
  files_.files[kFile] = kTagsB;
  clock_.advance(2s);
  EXPECT_EQ(tags(), json::parse(R"({"b":"2"})"));
  EXPECT_EQ(kube_.calls.back(),
            R"(patch ciliumnodes/node-1 {"spec":{"ipam":{"static-ip-tags":{"a":null}}}})");
  EXPECT_EQ(log_.count("Updated CiliumNode node-1: instance i-0123456789abcdef0, static IP tags b=2"), 1U);

  files_.files[kFile] = conflist("");
  clock_.advance(2s);
  EXPECT_EQ(tags(), json::value());
  EXPECT_EQ(log_.count("Updated CiliumNode node-1: instance i-0123456789abcdef0, no static IP asked for"),
            1U);
}

TEST_F(AgentTest, a_file_that_comes_first_takes_over_and_gives_back) {
  files_.files[kFile] = kTagsB;
  start();
  files_.files["/etc/cni/net.d/05.conf"] = kTagsA;
  clock_.advance(2s);
  EXPECT_EQ(tags(), json::parse(R"({"a":"1"})"));
  files_.files.erase("/etc/cni/net.d/05.conf");
  clock_.advance(2s);
  EXPECT_EQ(tags(), json::parse(R"({"b":"2"})"));
}

TEST_F(AgentTest, a_half_written_file_keeps_the_last_good_settings_until_it_is_whole) {
  files_.files[kFile] = kTagsA;
  start();
  const std::size_t calls = kube_.calls.size();
  files_.files[kFile] = kTagsB.substr(0, 40);
  clock_.advance(10s);
  EXPECT_TRUE(agent_->ready());
  EXPECT_EQ(kube_.calls.size(), calls);
  EXPECT_EQ(
      log_.count(
          "ends in the middle of its JSON, at line 1, column 41: it is half-written or cut off; complete "
          "it. The last good settings, of /etc/cni/net.d/10-generic-veth.conflist, stay in force."),
      1U)
      << "once, not every second";
  files_.files[kFile] = kTagsB;
  clock_.advance(2s);
  EXPECT_EQ(tags(), json::parse(R"({"b":"2"})"));
  EXPECT_EQ(log_.count("is good again"), 1U);
}

TEST_F(AgentTest, another_mistake_is_told_again_and_the_last_good_settings_still_heal_the_object) {
  files_.files[kFile] = kTagsA;
  start();
  files_.files[kFile] = "";
  clock_.advance(5s);
  files_.files[kFile] = "{";
  clock_.advance(5s);
  EXPECT_EQ(log_.count("stay in force"), 2U);
  kube_.objects.erase(kObject);
  clock_.advance(80s);
  EXPECT_EQ(tags(), json::parse(R"({"a":"1"})"));
  EXPECT_EQ(log_.count("CiliumNode node-1 was gone; created it again"), 1U);
}

TEST_F(AgentTest, without_any_good_settings_it_stays_up_and_is_not_ready_and_says_why) {
  files_.files[kFile] = conflist(R"("min-allocate":"3")");
  start();
  clock_.advance(60s);
  EXPECT_FALSE(agent_->ready());
  EXPECT_EQ(agent_->not_ready_why(),
            "read /etc/cni/net.d/10-generic-veth.conflist: plugins[0].ipam.min-allocate: found the string "
            "\"3\", expected "
            "a whole number from 0 to 2147483647, for example \"min-allocate\": 3");
  EXPECT_TRUE(kube_.calls.empty());
  EXPECT_EQ(log_.count("There are no settings until this is mended."), 1U);
  files_.files[kFile] = conflist(R"("min-allocate":3)");
  clock_.advance(2s);
  EXPECT_TRUE(agent_->ready()) << agent_->not_ready_why();
}

TEST_F(AgentTest, an_api_server_that_is_down_is_tried_for_ever_later_and_later) {
  kube_.down = unavailable("connection refused");
  start();
  clock_.advance(1h);
  EXPECT_FALSE(agent_->ready());
  EXPECT_EQ(agent_->not_ready_why(), "GET nodes/node-1: connection refused");
  EXPECT_EQ(log_.count("connection refused"), 1U);
  EXPECT_GT(kube_.calls.size(), 100U);
  EXPECT_LT(kube_.calls.size(), 160U) << "every 24 to 36 seconds";
  kube_.down.reset();
  clock_.advance(40s);
  EXPECT_TRUE(agent_->ready());
  EXPECT_EQ(log_.count("CiliumNode node-1 is published again"), 1U);
}

TEST_F(AgentTest, new_settings_do_not_wait_for_the_retry_of_the_old_ones) {
  kube_.down = Error{.kind = ErrorKind::kInvalid, .operation = "create", .detail = "denied by a webhook"};
  start();
  clock_.advance(10min);
  kube_.down.reset();
  files_.files[kFile] = kTagsA;
  clock_.advance(2s);
  EXPECT_TRUE(agent_->ready());
}

TEST_F(AgentTest, a_server_that_says_when_to_come_back_is_obeyed) {
  kube_.next_errors.push_back(
      Error{.kind = ErrorKind::kThrottled, .operation = "get", .detail = "slow down", .retry_after = 45s});
  start();
  clock_.advance(44s);
  EXPECT_EQ(kube_.calls.size(), 1U);
  clock_.advance(2s);
  EXPECT_TRUE(agent_->ready());
}

TEST_F(AgentTest, published_settings_stay_ready_through_an_outage_and_new_ones_that_wait_do_not) {
  files_.files[kFile] = kTagsA;
  start();
  kube_.down = unavailable("connection refused");
  clock_.advance(3min);
  EXPECT_TRUE(agent_->ready());
  files_.files[kFile] = kTagsB;
  clock_.advance(2s);
  EXPECT_FALSE(agent_->ready());
  EXPECT_EQ(agent_->not_ready_why(), "GET nodes/node-1: connection refused");
}

TEST_F(AgentTest, an_object_that_appears_before_it_is_created_is_patched) {
  kube_.before = [this](const std::string& call) {
    if (call == std::string("create ") + kObject) {
      kube_.put(kObject,
                R"({"metadata":{"name":"node-1"},"spec":{"bootid":"x","ipam":{"pool":{"100.64.0.10":{}}}}})");
    }
  };
  start();
  EXPECT_TRUE(agent_->ready());
  const json::value object = cilium_node();
  EXPECT_EQ(object.at("spec").at("bootid"), "x");
  EXPECT_EQ(object.at("spec").at("ipam").at("pool"), json::parse(R"({"100.64.0.10":{}})"));
  EXPECT_EQ(object.at("spec").at("ipam").at("min-allocate"), 3);
  EXPECT_EQ(object.at("metadata").at("ownerReferences").at(0).at("uid"), "uid-1");
}

TEST_F(AgentTest, R17_an_owner_added_between_read_and_write_is_not_lost) {
  kube_.put(kObject, R"({"metadata":{"name":"node-1"},"spec":{}})");
  bool once = true;
  kube_.before = [this, &once](const std::string& call) {
    if (call.find("ownerReferences") != std::string::npos && once) {
      once = false;
      kube_.put(
          kObject,
          R"({"metadata":{"name":"node-1","ownerReferences":[{"kind":"Other","uid":"uid-9"}]},"spec":{}})");
    }
  };
  start();
  EXPECT_TRUE(agent_->ready());
  EXPECT_EQ(json::value(cilium_node()).at("metadata").at("ownerReferences"),
            json::parse(R"([{"kind":"Other","uid":"uid-9"},
                            {"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-1"}])"));
}

TEST_F(AgentTest, conflicts_in_a_row_are_read_again_and_then_tried_later) {
  kube_.put(kObject, R"({"metadata":{"name":"node-1"},"spec":{}})");
  int conflicts = 12;
  kube_.before = [this, &conflicts](const std::string& call) {
    if (call.starts_with("patch ") && conflicts > 0) {
      --conflicts;
      kube_.next_errors.push_back(
          Error{.kind = ErrorKind::kConflict, .operation = "patch", .detail = "modified"});
    }
  };
  start();
  EXPECT_FALSE(agent_->ready());
  clock_.advance(10s);
  EXPECT_TRUE(agent_->ready()) << agent_->not_ready_why();
}

TEST_F(AgentTest, a_hand_edit_of_our_fields_is_healed_within_the_next_check_and_those_of_others_stay) {
  start();
  kube_.put(kObject, R"({"metadata":{"name":"node-1","labels":{"x":"y"}},"spec":{"instance-id":"i-0",
      "addresses":[{"ip":"10.0.0.1"}],"ipam":{"pre-allocate":1,"min-allocate":3,"pool":{"100.64.0.10":{"resource":"e"}},
      "static-ip-tags":{"anton":"edited","kubernetes_cluster":"cluster-1","more":"x"}}},
      "status":{"ipam":{"assigned-static-ip":"18.213.0.7"}}})");
  clock_.advance(75s);
  const json::value object = cilium_node();
  EXPECT_EQ(object.at("spec").at("instance-id"), "i-0123456789abcdef0");
  EXPECT_EQ(tags(), json::parse(R"({"anton":"test","kubernetes_cluster":"cluster-1"})"));
  EXPECT_EQ(object.at("spec").at("addresses"), json::parse(R"([{"ip":"10.0.0.1"}])"));
  EXPECT_EQ(object.at("spec").at("ipam").at("pool"), json::parse(R"({"100.64.0.10":{"resource":"e"}})"));
  EXPECT_EQ(object.at("metadata").at("labels"), json::parse(R"({"x":"y"})"));
  EXPECT_EQ(object.at("status").at("ipam").at("assigned-static-ip"), "18.213.0.7");
  EXPECT_EQ(
      log_.count("put back spec.instance-id, spec.ipam.static-ip-tags.anton, spec.ipam.static-ip-tags.more"),
      1U);
}

TEST_F(AgentTest, a_node_made_anew_under_the_same_name_becomes_the_owner) {
  start();
  kube_.put("nodes/node-1", R"({"metadata":{"name":"node-1","uid":"uid-new"}})");
  clock_.advance(75s);
  EXPECT_EQ(json::value(cilium_node()).at("metadata").at("ownerReferences"),
            json::parse(R"([{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-new"}])"));
}

TEST_F(AgentTest, a_node_that_is_not_there_yet_is_waited_for) {
  kube_.objects.clear();
  start();
  clock_.advance(5s);
  EXPECT_EQ(agent_->not_ready_why(),
            "get Node node-1: there is no Node of this name yet, and a CiliumNode needs its uid; waiting for "
            "the kubelet "
            "to register it (is --node-name right?)");
  EXPECT_EQ(kube_.writes(), 0U);
  kube_.put("nodes/node-1", R"({"metadata":{"name":"node-1","uid":"uid-1"}})");
  clock_.advance(10s);
  EXPECT_TRUE(agent_->ready());
}

TEST_F(AgentTest, a_metadata_service_that_is_down_is_tried_again_and_asked_once_when_it_answers) {
  metadata_.error =
      Error{.kind = ErrorKind::kTimeout, .operation = "GET instance-id", .detail = "no reply in 5s"};
  start();
  EXPECT_EQ(agent_->not_ready_why(), "GET instance-id: no reply in 5s");
  metadata_.error.reset();
  clock_.advance(5min);
  EXPECT_TRUE(agent_->ready());
  EXPECT_EQ(metadata_.calls, 2);
}

TEST_F(AgentTest, an_empty_instance_id_is_never_published) {
  metadata_.facts.instance = model::InstanceId();
  start();
  clock_.advance(1min);
  EXPECT_FALSE(agent_->ready());
  EXPECT_EQ(kube_.writes(), 0U);
}

TEST_F(AgentTest, pre_allocate_that_the_operator_fills_is_left_alone_and_our_own_goes_with_its_setting) {
  files_.files[kFile] = conflist("");
  start();
  cilium_node()["spec"].get_object()["ipam"].get_object()["pre-allocate"] = 8;
  clock_.advance(5min);
  EXPECT_EQ(ipam().at("pre-allocate"), 8);
  files_.files[kFile] = conflist(R"("pre-allocate":2)");
  clock_.advance(2s);
  EXPECT_EQ(ipam().at("pre-allocate"), 2);
  files_.files[kFile] = conflist("");
  clock_.advance(2s);
  EXPECT_FALSE(ipam().as_object().contains("pre-allocate"));
  cilium_node()["spec"].get_object()["ipam"].get_object()["pre-allocate"] = 8;
  clock_.advance(5min);
  EXPECT_EQ(ipam().at("pre-allocate"), 8);
}

TEST_F(AgentTest, a_field_that_the_api_server_leaves_out_is_an_error_and_not_a_success) {
  kube_.pruned_of_ipam = {"static-ip-tags"};
  start();
  EXPECT_EQ(agent_->not_ready_why(),
            "publish CiliumNode node-1: the API server took the object and did not keep "
            "spec.ipam.static-ip-tags.anton, "
            "spec.ipam.static-ip-tags.kubernetes_cluster; its CustomResourceDefinition ciliumnodes.cilium.io "
            "is older "
            "than that field: install the current one");
  kube_.pruned_of_ipam.clear();
  clock_.advance(10s);
  EXPECT_TRUE(agent_->ready());
}

TEST_F(AgentTest, a_cluster_without_the_type_says_what_to_install) {
  kube_.before = [this](const std::string& call) {
    if (call.starts_with("create ")) {
      kube_.next_errors.push_back(
          Error{.kind = ErrorKind::kNotFound, .operation = "create", .detail = "404"});
    }
  };
  start();
  EXPECT_THAT(agent_->not_ready_why(),
              HasSubstr("does not know the type ciliumnodes.cilium.io; install its"));
}

TEST_F(AgentTest, warnings_are_told_once_with_the_file_and_what_is_overruled_too) {
  files_.files[kFile] =
      R"({"plugins":[{"type":"cilium-cni","ipam":{"color":1},"eni":{"vpc-id":"vpc-9","pre-allocate":1}}]})";
  start();
  clock_.advance(5min);
  EXPECT_EQ(log_.count("/etc/cni/net.d/10-generic-veth.conflist: plugins[0].ipam.color is not a setting"),
            1U);
  EXPECT_EQ(log_.count("plugins[0].eni.pre-allocate is an obsolete place; its 1 counts"), 1U);
  EXPECT_EQ(log_.count("plugins[0].eni.vpc-id says \"vpc-9\", but the instance says \"vpc-1\""), 1U);
}

TEST_F(AgentTest, flags_alone_make_a_request_and_are_named_in_the_log) {
  files_.files[kFile] = conflist("");
  start({.ipam = {.static_ip_tags = {{"from", "flag"}}}});
  EXPECT_EQ(tags(), json::parse(R"({"from":"flag"})"));
  EXPECT_EQ(log_.count("static IP tags from=flag"), 1U);
}

TEST_F(AgentTest, once_publishes_and_ends) {
  EXPECT_TRUE(run_once().ok());
  EXPECT_EQ(ipam().at("min-allocate"), 3);
  EXPECT_EQ(clock_.timers(), 0U);
}

TEST_F(AgentTest, once_says_what_is_wrong_with_the_configuration_or_the_world) {
  files_.files[kFile] = "";
  EXPECT_EQ(run_once().error().message(),
            "read /etc/cni/net.d/10-generic-veth.conflist: the file is empty: it is half-written, or its "
            "content is "
            "missing");
  files_.files[kFile] = kScenario;
  kube_.down = unavailable("connection refused");
  EXPECT_EQ(run_once().error().message(), "GET nodes/node-1: connection refused");
}

TEST_F(AgentTest, R11_no_call_may_take_longer_than_ten_seconds) {
  start();
  EXPECT_EQ(kube_.latest_deadline, clock_.mono_now() + 10s);
}

TEST_F(AgentTest, a_stop_ends_it_and_leaves_no_timer) {
  start();
  clock_.advance(5s);
  stop_.request_stop();
  clock_.settle();
  EXPECT_EQ(scope_.running(), 0U);
  EXPECT_EQ(clock_.timers(), 0U);
}

}  // namespace
}  // namespace berth::agent
