#include "sandbox/kube/patch.h"

#include <gtest/gtest.h>

namespace berth::sandbox::kube {
namespace {

json::value parsed(std::string_view text) { return parse_json(text).value(); }

std::string merged(std::string_view target, std::string_view patch) {
  json::value value = parsed(target);
  merge_patch(value, parsed(patch));
  return json::serialize(value);
}

std::string strategic(std::string_view target, std::string_view patch) {
  json::value value = parsed(target);
  strategic_merge_patch(value, parsed(patch));
  return json::serialize(value);
}

/// The result, or the status.
std::string patched(std::string_view target, std::string_view patch) {
  const auto result = json_patch(parsed(target), parsed(patch));
  return result ? json::serialize(*result) : std::to_string(result.error().code);
}

// The cases of RFC 7386, appendix A.
TEST(MergePatch, follows_the_examples_of_its_rfc) {
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), R"({})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merged(R"({"a":"foo"})", "null"), "null");
  EXPECT_EQ(merged(R"({"e":null})", R"({"a":1})"), R"({"e":null,"a":1})");
  EXPECT_EQ(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(JsonPatch, knows_all_six_operations) {
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"add","path":"/a/1","value":9}])"), R"({"a":[1,9,2]})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-","value":9}])"), R"({"a":[1,2,9]})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])"), R"({"a":[2]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])"), R"({"a":2})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"a":1,"b":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])"), R"({"b":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])"), R"({"a":1})");
}

TEST(JsonPatch, unescapes_its_pointers) {
  EXPECT_EQ(
      patched(R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])"),
      "{}");
}

TEST(JsonPatch, an_operation_that_cannot_be_done_is_invalid) {
  for (const char* patch :
       {R"([{"op":"test","path":"/a","value":2}])", R"([{"op":"remove","path":"/x"}])",
        R"([{"op":"replace","path":"/x","value":1}])", R"([{"op":"add","path":"/x/y","value":1}])",
        R"([{"op":"copy","from":"/x","path":"/y"}])", R"([{"op":"add","path":"/l/3","value":1}])",
        R"([{"op":"add","path":"/l/01","value":1}])", R"([{"op":"add","path":"/y"}])",
        R"([{"op":"invent","path":"/a"}])"}) {
    EXPECT_EQ(patched(R"({"a":1,"l":[0,0]})", patch), "422") << patch;
  }
}

TEST(JsonPatch, what_is_no_patch_is_a_bad_request) {
  EXPECT_EQ(patched("{}", "{}"), "400");
  EXPECT_EQ(patched("{}", "[1]"), "400");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"a","value":1}])"), "400");
}

TEST(StrategicPatch, merges_conditions_by_their_type_and_replaces_taints) {
  EXPECT_EQ(
      strategic(
          R"({"conditions":[{"type":"Ready","status":"True","reason":"r"}],"taints":[{"key":"a"}]})",
          R"({"conditions":[{"type":"Ready","status":"False"},{"type":"Disk"}],"taints":[{"key":"b"}]})"),
      R"({"conditions":[{"type":"Ready","status":"False","reason":"r"},{"type":"Disk"}],"taints":[{"key":"b"}]})");
}

TEST(StrategicPatch, follows_its_directives) {
  EXPECT_EQ(
      strategic(
          R"({"addresses":[{"type":"A"},{"type":"B"}]})",
          R"({"addresses":[{"type":"A","$patch":"delete"}],"$setElementOrder/addresses":[{"type":"B"}]})"),
      R"({"addresses":[{"type":"B"}]})");
  EXPECT_EQ(strategic(R"({"a":{"x":1}})", R"({"a":{"$patch":"replace","y":2}})"), R"({"a":{"y":2}})");
  EXPECT_EQ(strategic(R"({"finalizers":["a","b"]})", R"({"finalizers":["c"]})"),
            R"({"finalizers":["a","b","c"]})");
  EXPECT_EQ(strategic(R"({"finalizers":["a","b"]})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})"),
            R"({"finalizers":["b"]})");
  EXPECT_EQ(strategic(R"({"a":{"x":1,"y":2}})", R"({"a":{"$retainKeys":["y"]}})"), R"({"a":{"y":2}})");
}

TEST(StrategicPatch, a_null_removes) {
  EXPECT_EQ(strategic(R"({"unschedulable":true,"a":1})", R"({"unschedulable":null})"), R"({"a":1})");
}

}  // namespace
}  // namespace berth::sandbox::kube
