#include "kube/cilium_node_codec.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/json.h"

namespace berth::kube {
namespace {

using testing::HasSubstr;

constexpr const char* kScenario = R"({
  "apiVersion": "cilium.io/v2", "kind": "CiliumNode",
  "metadata": {"name": "ip-10-0-0-1", "uid": "u-1", "creationTimestamp": "2026-01-02T03:04:05Z",
               "resourceVersion": "7", "labels": {"a": "b"}, "managedFields": [{"manager": "x"}]},
  "spec": {
    "instance-id": "i-0123456789abcdef0",
    "addresses": [{"ip": "10.0.0.1", "type": "InternalIP"}],
    "eni": {"first-interface-index": 1, "use-primary-address": false, "something-new": {"x": [1, 2.5, null]}},
    "ipam": {"min-allocate": 3, "pre-allocate": 1, "pools": {},
             "pool": {"100.64.0.10": {"resource": "eni-0aaa"}, "100.64.0.11": {"resource": "eni-0aaa"}},
             "static-ip-tags": {"anton": "test", "kubernetes_cluster": "cluster-1"}}},
  "status": {
    "eni": {"enis": {"eni-0aaa": {"id": "eni-0aaa", "number": 1}}},
    "ipam": {"assigned-static-ip": "18.213.0.7", "operator-status": {},
             "used": {"100.64.0.10": {"owner": "router"}}}}})";

boost::json::object scenario() { return *parse_object(kScenario); }

model::NodeView decoded(const boost::json::object& object) {
  auto view = decode_cilium_node(object);
  EXPECT_TRUE(view.has_value());
  return view.value_or(model::NodeView());
}

TEST(CiliumNodeCodec, reads_the_scenarios_object) {
  const model::NodeView view = decoded(scenario());
  EXPECT_EQ(view.name.str(), "ip-10-0-0-1");
  EXPECT_EQ(view.uid, "u-1");
  EXPECT_EQ(format_rfc3339(view.created, 0), "2026-01-02T03:04:05Z");
  EXPECT_EQ(view.instance.str(), "i-0123456789abcdef0");
  EXPECT_EQ(view.static_ip_tags, (model::TagMap{{"anton", "test"}, {"kubernetes_cluster", "cluster-1"}}));
  EXPECT_EQ(view.assigned_static_ip, IpAddress::parse("18.213.0.7"));
  EXPECT_FALSE(view.assigned_is_garbage);
  EXPECT_EQ(view.operator_error, "");
  EXPECT_EQ(view.undecodable, "");
}

TEST(CiliumNodeCodec, an_object_that_was_just_born_is_no_request) {
  const model::NodeView view = decoded(*parse_object(R"({"metadata":{"name":"n"},"spec":null})"));
  EXPECT_FALSE(view.has_request());
  EXPECT_TRUE(view.instance.empty());
  EXPECT_FALSE(view.assigned_static_ip);
  EXPECT_EQ(view.undecodable, "");
}

TEST(CiliumNodeCodec, an_object_without_a_name_is_nobody) {
  EXPECT_FALSE(decode_cilium_node({}));
  EXPECT_FALSE(decode_cilium_node(*parse_object(R"({"metadata":{"name":7}})")));
  EXPECT_FALSE(decode_cilium_node(*parse_object(R"({"metadata":[]})")));
}

TEST(CiliumNodeCodec, a_status_that_is_no_address_is_garbage_and_the_rest_is_read) {
  for (const char* text : {"18.213.0.x", "18.213.0.7/32", " ", "eipalloc-1", "18.213.0.7 "}) {
    auto object = scenario();
    object["status"].as_object()["ipam"].as_object()["assigned-static-ip"] = text;
    const model::NodeView view = decoded(object);
    EXPECT_TRUE(view.assigned_is_garbage) << text;
    EXPECT_FALSE(view.assigned_static_ip);
    EXPECT_TRUE(view.has_request());
    EXPECT_EQ(view.undecodable, "");
  }
}

TEST(CiliumNodeCodec, an_empty_assigned_address_is_none) {
  auto object = scenario();
  object["status"].as_object()["ipam"].as_object()["assigned-static-ip"] = "";
  EXPECT_FALSE(decoded(object).assigned_is_garbage);
  EXPECT_FALSE(decoded(object).assigned_static_ip);
}

struct Field {
  std::string path;
  std::vector<std::string> keys;
  std::string expected;  // its type, as a sentence names it
};

const std::vector<Field> kFields{
    {"metadata.uid", {"metadata", "uid"}, "a string"},
    {"metadata.creationTimestamp", {"metadata", "creationTimestamp"}, "a string"},
    {"spec", {"spec"}, "an object"},
    {"spec.instance-id", {"spec", "instance-id"}, "a string"},
    {"spec.ipam", {"spec", "ipam"}, "an object"},
    {"spec.ipam.static-ip-tags", {"spec", "ipam", "static-ip-tags"}, "an object"},
    {"spec.ipam.static-ip-tags[\"anton\"]", {"spec", "ipam", "static-ip-tags", "anton"}, "a string"},
    {"status", {"status"}, "an object"},
    {"status.ipam", {"status", "ipam"}, "an object"},
    {"status.ipam.assigned-static-ip", {"status", "ipam", "assigned-static-ip"}, "a string"},
    {"status.ipam.operator-status", {"status", "ipam", "operator-status"}, "an object"},
    {"status.ipam.operator-status.error", {"status", "ipam", "operator-status", "error"}, "a string"},
};

void put(boost::json::object& object, const std::vector<std::string>& keys, const boost::json::value& value) {
  boost::json::object* at = &object;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    at = &(*at)[keys[i]].as_object();
  }
  (*at)[keys.back()] = value;
}

TEST(CiliumNodeCodec, a_wrong_type_makes_it_undecodable_and_the_sentence_names_path_found_and_expected) {
  const std::vector<std::pair<boost::json::value, std::string>> values{
      {7, "a number"},
      {2.5, "a number"},
      {true, "a boolean"},
      {"text", "a string"},
      {boost::json::array{1}, "a list"},
      {boost::json::object{{"a", "b"}}, "an object"}};
  for (const Field& field : kFields) {
    for (const auto& [value, found] : values) {
      if (found == field.expected) {
        continue;
      }
      auto object = scenario();
      put(object, field.keys, value);
      const model::NodeView view = decoded(object);
      EXPECT_EQ(view.undecodable,
                field.path + " of the CiliumNode is " + found + ", expected " + field.expected);
      EXPECT_EQ(view.name.str(), "ip-10-0-0-1");
      EXPECT_FALSE(view.has_request()) << "half of a request is no request";

      auto trimmed = object;
      trim_cilium_node(trimmed);
      EXPECT_EQ(decoded(trimmed), view) << "trimming keeps what is wrong: " << field.path;
    }
  }
}

TEST(CiliumNodeCodec, R17_of_an_undecodable_object_the_status_is_read_so_that_nothing_is_written_twice) {
  auto object = scenario();
  put(object, {"spec", "instance-id"}, 7);
  put(object, {"status"}, boost::json::parse(R"({"ipam":{"assigned-static-ip":"18.213.0.7",
                                                 "operator-status":{"error":"Undecodable: …"}}})"));
  const model::NodeView view = decoded(object);
  EXPECT_NE(view.undecodable, "");
  EXPECT_EQ(view.assigned_static_ip, IpAddress::parse("18.213.0.7"));
  EXPECT_EQ(view.operator_error, "Undecodable: …");
}

TEST(CiliumNodeCodec, null_is_absence_but_not_as_the_value_of_a_tag) {
  for (const Field& field : kFields) {
    auto object = scenario();
    put(object, field.keys, nullptr);
    const bool is_tag = field.keys.back() == "anton";
    EXPECT_EQ(decoded(object).undecodable,
              is_tag ? field.path + " of the CiliumNode is null, expected a string" : "");
  }
}

TEST(CiliumNodeCodec, a_time_that_is_none_is_named) {
  auto object = scenario();
  object["metadata"].as_object()["creationTimestamp"] = "yesterday";
  EXPECT_THAT(decoded(object).undecodable,
              HasSubstr("metadata.creationTimestamp of the CiliumNode is \"yesterday\""));
}

TEST(CiliumNodeCodec, what_it_does_not_read_may_hold_anything_and_changes_nothing) {
  const model::NodeView plain = decoded(scenario());
  auto object = scenario();
  object["spec"].as_object()["eni"] = 7;
  object["spec"].as_object()["ipam"].as_object()["pool"] = boost::json::array{nullptr};
  object["metadata"].as_object()["labels"] = "none";
  object["status"].as_object()["ipam"].as_object()["used"] = nullptr;
  object["more"] = true;
  EXPECT_EQ(decoded(object), plain);
}

TEST(CiliumNodeCodec, a_huge_status_is_read_and_trimmed_away) {
  auto object = scenario();
  boost::json::object used;
  for (int i = 0; i < 50'000; ++i) {
    used["100.64." + std::to_string(i / 250) + "." + std::to_string(i % 250)] = {{"owner", "ns/pod"}};
  }
  object["status"].as_object()["ipam"].as_object()["used"] = std::move(used);
  EXPECT_EQ(decoded(object), decoded(scenario()));
  trim_cilium_node(object);
  EXPECT_EQ(decoded(object), decoded(scenario()));
  EXPECT_EQ(string_at(object, {"metadata", "resourceVersion"}), "7");
  EXPECT_LT(boost::json::serialize(object).size(), 500U);
}

TEST(CiliumNodeCodec, reads_what_a_node_adds) {
  auto object = *parse_object(
      R"({"metadata":{"name":"n","uid":"u","annotations":{"x":"y"}},"spec":{"providerID":"aws:///z/i-1"},"status":{"images":[]}})");
  EXPECT_EQ(decode_node(object), (NodeFacts{model::NodeName("n"), "aws:///z/i-1", ""}));
  trim_node(object);
  EXPECT_EQ(boost::json::serialize(object),
            R"({"metadata":{"name":"n"},"spec":{"providerID":"aws:///z/i-1"}})");
  EXPECT_EQ(decode_node(*parse_object(R"({"metadata":{"name":"n"}})")),
            (NodeFacts{model::NodeName("n"), "", ""}));
  EXPECT_EQ(decode_node(*parse_object(R"({"metadata":{"name":"n"},"spec":{"providerID":7}})"))->undecodable,
            "spec.providerID of the Node is a number, expected a string");
  EXPECT_FALSE(decode_node({}));
}

}  // namespace
}  // namespace berth::kube
