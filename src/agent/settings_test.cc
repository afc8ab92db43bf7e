#include "agent/settings.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::agent {
namespace {

model::TagMap tags_of(std::string_view text) {
  const Result<model::TagMap> tags = parse_tags_flag("--ipam-static-ip-tags", text);
  EXPECT_TRUE(tags.ok()) << (tags ? "" : tags.error().message());
  return tags ? *tags : model::TagMap{};
}
std::string fault_of(std::string_view text) {
  const Result<model::TagMap> tags = parse_tags_flag("--ipam-static-ip-tags", text);
  return tags ? "no fault" : tags.error().message();
}

TEST(TagsFlag, pairs_are_joined_by_commas_and_split_at_the_first_equals_sign) {
  EXPECT_EQ(tags_of(""), model::TagMap{});
  EXPECT_EQ(tags_of("anton=test,kubernetes_cluster=cluster-1"),
            (model::TagMap{{"anton", "test"}, {"kubernetes_cluster", "cluster-1"}}));
  EXPECT_EQ(tags_of("a==b,c="), (model::TagMap{{"a", "=b"}, {"c", ""}}));
}

TEST(TagsFlag, a_json_object_is_taken_where_a_value_holds_a_comma) {
  EXPECT_EQ(tags_of(R"({"a": "b,c", "d": ""})"), (model::TagMap{{"a", "b,c"}, {"d", ""}}));
}

TEST(TagsFlag, a_mistake_names_the_flag_and_what_was_found) {
  EXPECT_EQ(fault_of("a=b,c"),
            R"(--ipam-static-ip-tags: found "c", expected KEY=VALUE pairs joined by commas, for example )"
            "--ipam-static-ip-tags=a=b,c=d");
  EXPECT_EQ(fault_of("a=b,"),
            R"(--ipam-static-ip-tags: found "", expected KEY=VALUE pairs joined by commas, for example )"
            "--ipam-static-ip-tags=a=b,c=d");
  EXPECT_EQ(fault_of("a=b,a=c"), R"(--ipam-static-ip-tags: found the key "a" twice, expected it once)");
  EXPECT_EQ(fault_of("=b"),
            R"(--ipam-static-ip-tags: "": found an empty key, expected 1 to 128 characters, which is )"
            "what AWS allows");
  EXPECT_EQ(
      fault_of(R"({"a": 1})"),
      R"(--ipam-static-ip-tags: "a": found the number 1, expected a string, for example {"a": "test"})");
  EXPECT_EQ(fault_of(R"({"a":)"),
            "--ipam-static-ip-tags: the value ends in the middle of its JSON, at line 1, column 6: it is "
            "half-written "
            "or cut off; complete it");
}

}  // namespace
}  // namespace berth::agent
