#include "agent/node_spec.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/conflist.h"
#include "agent/fake_node_world.h"

namespace berth::agent {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::IsEmpty;

json::value parsed(std::string_view text) { return json::parse({text.data(), text.size()}); }
json::object object(std::string_view text) { return parsed(text).as_object(); }

CniSettings cni_of(const std::string& plugin_members) {
  const Result<CniSettings> cni =
      parse_conflist("f", R"({"plugins":[{"type":"cilium-cni",)" + plugin_members + "}]}");
  EXPECT_TRUE(cni.ok()) << (cni ? "" : cni.error().message());
  return cni ? *cni : CniSettings{};
}

json::object desired_of(const CniSettings& cni, const AgentFlags& flags = {}) {
  return desired_spec(cni, FakeInstanceMetadata().facts, flags);
}

/// The spec of a new object: what a user sees.
json::value spec_of(const CniSettings& cni, const AgentFlags& flags = {}) {
  return new_cilium_node("node-1", owner_reference("node-1", "uid-1"), desired_of(cni, flags)).at("spec");
}

TEST(NodeSpec, the_scenario_gives_the_spec_of_the_scenario) {
  const CniSettings cni = cni_of(R"(
      "eni": {"delete-on-termination": true, "first-interface-index": 1, "use-primary-address": false,
              "pre-allocate": 1, "min-allocate": 3},
      "ipam": {"pre-allocate": 1, "min-allocate": 3,
               "static-ip-tags": {"anton": "test", "kubernetes_cluster": "cluster-1"}})");
  EXPECT_EQ(new_cilium_node("node-1", owner_reference("node-1", "uid-1"), desired_of(cni)), object(R"({
    "apiVersion": "cilium.io/v2",
    "kind": "CiliumNode",
    "metadata": {"name": "node-1",
                 "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "node-1", "uid": "uid-1"}]},
    "spec": {
      "instance-id": "i-0123456789abcdef0",
      "ipam": {"min-allocate": 3, "pool": {}, "pools": {}, "pre-allocate": 1,
               "static-ip-tags": {"anton": "test", "kubernetes_cluster": "cluster-1"}},
      "eni": {"delete-on-termination": true, "first-interface-index": 1, "use-primary-address": false,
              "instance-type": "m5.large", "vpc-id": "vpc-1", "availability-zone": "us-east-1a",
              "node-subnet-id": "subnet-1"}}})"));
}

AgentFlags all_flags() {
  return {.ipam = {.min_allocate = 11,
                   .pre_allocate = 12,
                   .max_allocate = 13,
                   .max_above_watermark = 14,
                   .static_ip_tags = {{"flag", "ip"}}},
          .eni = {.first_interface_index = 2,
                  .use_primary_address = true,
                  .disable_prefix_delegation = true,
                  .delete_on_termination = true,
                  .subnet_ids = {"subnet-flag"},
                  .security_groups = {"sg-flag"},
                  .subnet_tags = {{"flag", "subnet"}},
                  .security_group_tags = {{"flag", "sg"}},
                  .exclude_interface_tags = {{"flag", "exclude"}}}};
}

struct PrecedenceRow {
  const char* what;
  const char* section;
  const char* key;
  const char* cni;   // as JSON
  const char* flag;  // what all_flags() gives, as JSON
};
void PrintTo(const PrecedenceRow& row, std::ostream* out) { *out << row.what; }

class Precedence : public testing::TestWithParam<PrecedenceRow> {};

TEST_P(Precedence, the_cni_configuration_beats_the_flag_and_the_flag_beats_nothing) {
  const PrecedenceRow& row = GetParam();
  const std::string members = std::string("\"") + row.section + "\":{\"" + row.key + "\":" + row.cni + "}";
  const auto value = [&row](const json::value& spec) {
    const json::value* found = spec.at(row.section).as_object().if_contains(row.key);
    return found == nullptr ? json::value("absent") : *found;
  };
  EXPECT_EQ(value(spec_of(cni_of(members), all_flags())), parsed(row.cni))
      << "the CNI configuration beats the flag";
  EXPECT_EQ(value(spec_of(cni_of(members))), parsed(row.cni)) << "without a flag";
  EXPECT_EQ(value(spec_of(CniSettings{}, all_flags())), parsed(row.flag)) << "the flag alone";
  EXPECT_EQ(value(spec_of(CniSettings{})), json::value("absent")) << "neither";
}

INSTANTIATE_TEST_SUITE_P(
    NodeSpec, Precedence,
    testing::Values(
        PrecedenceRow{"min_allocate", "ipam", "min-allocate", "1", "11"},
        PrecedenceRow{"pre_allocate", "ipam", "pre-allocate", "1", "12"},
        PrecedenceRow{"max_allocate", "ipam", "max-allocate", "1", "13"},
        PrecedenceRow{"max_above_watermark", "ipam", "max-above-watermark", "1", "14"},
        PrecedenceRow{"static_ip_tags", "ipam", "static-ip-tags", R"({"a":"b"})", R"({"flag":"ip"})"},
        PrecedenceRow{"first_interface_index", "eni", "first-interface-index", "0", "2"},
        PrecedenceRow{"use_primary_address", "eni", "use-primary-address", "false", "true"},
        PrecedenceRow{"disable_prefix", "eni", "disable-prefix-delegation", "false", "true"},
        PrecedenceRow{"delete_on_termination", "eni", "delete-on-termination", "false", "true"},
        PrecedenceRow{"subnet_ids", "eni", "subnet-ids", R"(["s"])", R"(["subnet-flag"])"},
        PrecedenceRow{"subnet_tags", "eni", "subnet-tags", R"({"a":"b"})", R"({"flag":"subnet"})"},
        PrecedenceRow{"security_groups", "eni", "security-groups", R"(["s"])", R"(["sg-flag"])"},
        PrecedenceRow{"security_group_tags", "eni", "security-group-tags", R"({"a":"b"})",
                      R"({"flag":"sg"})"},
        PrecedenceRow{"exclude_tags", "eni", "exclude-interface-tags", R"({"a":"b"})",
                      R"({"flag":"exclude"})"}),
    [](const auto& instance) { return std::string(instance.param.what); });

TEST(NodeSpec, a_count_of_zero_and_an_empty_map_leave_the_flag_in_force_and_zero_says_so) {
  const CniSettings cni = cni_of(R"("ipam":{"min-allocate":0,"max-allocate":0,"static-ip-tags":{}})");
  AgentFlags flags;
  flags.ipam.min_allocate = 3;
  flags.ipam.static_ip_tags = {{"a", "b"}};
  EXPECT_EQ(spec_of(cni, flags).at("ipam"),
            parsed(R"({"min-allocate":3,"static-ip-tags":{"a":"b"},"pool":{},"pools":{}})"));
  EXPECT_THAT(
      overruled(cni, FakeInstanceMetadata().facts, flags),
      ElementsAre("plugins[0].ipam.min-allocate is 0, which means that it is not set: --ipam-min-allocate=3 "
                  "stays in force"));
  EXPECT_EQ(spec_of(cni).at("ipam"), parsed(R"({"pool":{},"pools":{}})"));
}

TEST(NodeSpec, the_instance_beats_what_is_written_about_it_and_a_difference_is_told) {
  const CniSettings cni = cni_of(R"("eni":{"instance-id":"i-9","instance-type":"m5.large","vpc-id":"vpc-9",
      "availability-zone":"us-east-1b","node-subnet-id":"subnet-9"})");
  EXPECT_EQ(spec_of(cni), spec_of(CniSettings{}));
  EXPECT_THAT(
      overruled(cni, FakeInstanceMetadata().facts, {}),
      ElementsAre(
          R"(plugins[0].eni.instance-id says "i-9", but the instance says "i-0123456789abcdef0", which counts)",
          R"(plugins[0].eni.vpc-id says "vpc-9", but the instance says "vpc-1", which counts)",
          R"(plugins[0].eni.availability-zone says "us-east-1b", but the instance says "us-east-1a", which counts)",
          R"(plugins[0].eni.node-subnet-id says "subnet-9", but the instance says "subnet-1", which counts)"));
}

/// What the object says after the patch; the patch is nothing where nothing differs.
json::value patched(const json::object& current, const json::object& desired) {
  json::value after = current;
  if (const auto patch = spec_patch(current, desired)) {
    apply_merge_patch(after, *patch);
  }
  return after;
}

TEST(NodeSpec, R17_nothing_is_written_that_is_already_so) {
  const json::object desired = desired_of(cni_of(R"("ipam":{"min-allocate":3,"static-ip-tags":{"a":"b"}})"));
  const json::object current = new_cilium_node("node-1", owner_reference("node-1", "uid-1"), desired);
  EXPECT_EQ(spec_patch(current, desired), std::nullopt);
  EXPECT_EQ(owner_patch(current, owner_reference("node-1", "uid-1")), std::nullopt);
}

TEST(NodeSpec, R17_a_patch_holds_exactly_the_keys_that_differ) {
  const json::object before = desired_of(cni_of(R"("ipam":{"min-allocate":3,"max-allocate":9,
      "static-ip-tags":{"kept":"1","changed":"1","gone":"1"}},"eni":{"subnet-ids":["s-1"]})"));
  const json::object current = new_cilium_node("node-1", owner_reference("node-1", "uid-1"), before);
  const json::object after = desired_of(cni_of(R"("ipam":{"min-allocate":3,
      "static-ip-tags":{"kept":"1","changed":"2","new":"1"}},"eni":{"subnet-ids":["s-1","s-2"]})"));
  EXPECT_EQ(spec_patch(current, after), object(R"({"spec":{
      "ipam":{"max-allocate":null,"static-ip-tags":{"changed":"2","gone":null,"new":"1"}},
      "eni":{"subnet-ids":["s-1","s-2"]}}})"));
  EXPECT_EQ(patched(current, after).at("spec"), new_cilium_node("n", {}, after).at("spec"));
}

TEST(NodeSpec, R17_fields_of_others_survive) {
  const json::object current = object(R"({"metadata":{"labels":{"a":"b"}},
      "spec":{"addresses":[{"ip":"10.0.0.1"}],"bootid":"x","instance-id":"i-old",
              "ipam":{"pool":{"100.64.0.10":{"resource":"eni-1"}},"pools":{"requested":[]},"podCIDRs":["c"],"later":1,
                      "pre-allocate":8,"max-above-watermark":5,"static-ip-tags":{"old":"x"}},
              "eni":{"min-allocate":2,"later":true,"use-primary-address":true}},
      "status":{"ipam":{"assigned-static-ip":"18.213.0.7"}}})");
  const json::object desired = desired_of(cni_of(R"("ipam":{"static-ip-tags":{"a":"b"}})"));
  EXPECT_EQ(patched(current, desired), parsed(R"({"metadata":{"labels":{"a":"b"}},
      "spec":{"addresses":[{"ip":"10.0.0.1"}],"bootid":"x","instance-id":"i-0123456789abcdef0",
              "ipam":{"pool":{"100.64.0.10":{"resource":"eni-1"}},"pools":{"requested":[]},"podCIDRs":["c"],"later":1,
                      "pre-allocate":8,"static-ip-tags":{"a":"b"}},
              "eni":{"min-allocate":2,"later":true,"instance-type":"m5.large","vpc-id":"vpc-1",
                     "availability-zone":"us-east-1a","node-subnet-id":"subnet-1"}},
      "status":{"ipam":{"assigned-static-ip":"18.213.0.7"}}})"));
}

TEST(NodeSpec, an_empty_object_and_one_with_odd_types_are_brought_into_shape) {
  const json::object desired = desired_of(cni_of(R"("ipam":{"static-ip-tags":{"a":"b"}})"));
  const json::value wanted =
      parsed(R"({"instance-id":"i-0123456789abcdef0","ipam":{"static-ip-tags":{"a":"b"}},
      "eni":{"instance-type":"m5.large","vpc-id":"vpc-1","availability-zone":"us-east-1a",
             "node-subnet-id":"subnet-1"}})");
  EXPECT_EQ(patched({}, desired).at("spec"), wanted);
  EXPECT_EQ(patched(object(R"({"spec":{"ipam":[],"eni":7,"instance-id":{}}})"), desired).at("spec"), wanted);
}

TEST(NodeSpec, owner_references_of_others_are_kept_and_an_old_uid_of_ours_is_replaced) {
  const json::object current = object(R"({"metadata":{"resourceVersion":"41","ownerReferences":[
      {"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-old"},
      {"apiVersion":"v1","kind":"Node","name":"node-2","uid":"uid-2"},
      {"apiVersion":"x/v1","kind":"Other","name":"node-1","uid":"uid-3"}]}})");
  EXPECT_EQ(owner_patch(current, owner_reference("node-1", "uid-1")),
            object(R"({"metadata":{"resourceVersion":"41","ownerReferences":[
      {"apiVersion":"v1","kind":"Node","name":"node-2","uid":"uid-2"},
      {"apiVersion":"x/v1","kind":"Other","name":"node-1","uid":"uid-3"},
      {"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-1"}]}})"));
}

TEST(NodeSpec, an_owner_reference_with_more_fields_than_ours_is_right_as_it_is) {
  const json::object current = object(R"({"metadata":{"resourceVersion":"41","ownerReferences":[
      {"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-1","blockOwnerDeletion":true}]}})");
  EXPECT_EQ(owner_patch(current, owner_reference("node-1", "uid-1")), std::nullopt);
}

TEST(NodeSpec, patched_paths_name_every_written_field) {
  EXPECT_THAT(
      patched_paths(object(R"({"spec":{"ipam":{"static-ip-tags":{"a.b":null,"c":"d"}},"eni":{"x":[1]}}})")),
      ElementsAre(R"(spec.ipam.static-ip-tags["a.b"])", "spec.ipam.static-ip-tags.c", "spec.eni.x"));
}

}  // namespace
}  // namespace berth::agent
