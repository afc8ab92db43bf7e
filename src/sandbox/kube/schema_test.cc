#include "sandbox/kube/schema.h"

#include <gmock/gmock.h>

#include "base/time.h"
#include "sandbox/kube/json_path.h"
#include "sandbox/kube/selector.h"
#include "sandbox/kube/table.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Schema compiled(std::string_view yaml) { return Schema::compile(parse_yaml(yaml)->as_object()).value(); }

std::vector<std::string> errors(std::string_view yaml, std::string_view value) {
  std::vector<std::string> out;
  for (const FieldError& error : compiled(yaml).validate(parse_json(value).value())) {
    out.push_back(error.field + ": " + error.message);
  }
  return out;
}

TEST(Schema, says_what_is_wrong_as_the_real_server_does) {
  EXPECT_THAT(errors("{type: object, required: [a]}", "{}"), ElementsAre("a: Required value"));
  EXPECT_THAT(errors("{type: object, properties: {a: {type: string, enum: [x, y]}}}", R"({"a":"z"})"),
              ElementsAre("a: Unsupported value: \"z\": supported values: \"x\", \"y\""));
  EXPECT_THAT(errors("{type: object, properties: {a: {type: string, minLength: 1}}}", R"({"a":""})"),
              ElementsAre("a: Invalid value: \"\": a in body should be at least 1 chars long"));
  EXPECT_THAT(errors("{type: object, properties: {a: {type: string, pattern: '^x$'}}}", R"({"a":"y"})"),
              ElementsAre("a: Invalid value: \"y\": a in body should match '^x$'"));
  EXPECT_THAT(
      errors("{type: object, properties: {a: {type: array, items: {type: string}}}}", R"({"a":["x",1]})"),
      ElementsAre("a[1]: Invalid value: \"integer\": a[1] in body must be of type string: \"integer\""));
}

TEST(Schema, a_number_with_an_integral_value_is_an_integer) {
  constexpr std::string_view integer = "{type: object, properties: {a: {type: integer, format: int32}}}";
  EXPECT_THAT(errors(integer, R"({"a":3.0})"), IsEmpty());
  EXPECT_EQ(errors(integer, R"({"a":3.5})").size(), 1U);
  EXPECT_EQ(errors(integer, R"({"a":2147483648})").size(), 1U);
}

TEST(Schema, int_or_string_and_nullable_widen_a_type) {
  constexpr std::string_view wide =
      "{type: object, properties: {a: {x-kubernetes-int-or-string: true}, b: {type: string, nullable: "
      "true}}}";
  EXPECT_THAT(errors(wide, R"({"a":1,"b":null})"), IsEmpty());
  EXPECT_THAT(errors(wide, R"({"a":"1"})"), IsEmpty());
  EXPECT_EQ(errors(wide, R"({"a":true})").size(), 1U);
}

TEST(Schema, prunes_what_it_does_not_know_unless_it_is_to_be_kept) {
  const Schema schema = compiled(
      "{type: object, properties: {a: {type: object}, b: {type: object, "
      "x-kubernetes-preserve-unknown-fields: "
      "true}, c: {type: object, additionalProperties: {type: string}}}}");
  json::object object =
      parse_json(R"({"kind":"K","a":{"x":1},"b":{"x":1},"c":{"x":"1"},"d":1})")->as_object();
  std::vector<std::string> removed;
  schema.prune(object, removed);
  EXPECT_EQ(json::serialize(object), R"({"kind":"K","a":{},"b":{"x":1},"c":{"x":"1"}})");
  EXPECT_THAT(removed, ElementsAre("a.x", "d"));
}

TEST(Schema, a_schema_that_cannot_be_read_names_its_place) {
  const auto schema = Schema::compile(parse_yaml("{properties: {a: {items: {type: int}}}}")->as_object());
  ASSERT_FALSE(schema.ok());
  EXPECT_THAT(schema.error().detail, testing::HasSubstr("properties.a.items.type: \"int\" is none of"));
}

TEST(JsonPath, selects_by_key_index_and_filter) {
  const json::value root = parse_json(R"({"l":[{"t":"A","v":1},{"t":"B","v":2}],"a-b":{"c":3}})").value();
  const auto select = [&](std::string_view path) {
    std::string out;
    for (const json::value* value : JsonPath::parse(path).value().select(root)) {
      out += json::serialize(*value) + " ";
    }
    return out;
  };
  EXPECT_EQ(select(".l[?(@.t==\"B\")].v"), "2 ");
  EXPECT_EQ(select(".l[*].v"), "1 2 ");
  EXPECT_EQ(select(".l[0].t"), "\"A\" ");
  EXPECT_EQ(select(".a-b.c"), "3 ");
  EXPECT_EQ(select("['a-b'].c"), "3 ");
  EXPECT_EQ(select(".nothing.here"), "");
  EXPECT_FALSE(JsonPath::parse("..a").ok());
  EXPECT_FALSE(JsonPath::parse(".a[?(@.b>1)]").ok());
}

TEST(Selector, refuses_what_it_cannot_read) {
  const ResourceType type;
  for (const char* labels : {"a b", "a in b", "a in (b", "=x", "a=b c", "a!b", "a>x"}) {
    EXPECT_FALSE(Selector::parse(labels, "", type)) << labels;
  }
  for (const char* fields : {"metadata.name", "spec.x=1"}) {
    EXPECT_FALSE(Selector::parse("", fields, type)) << fields;
  }
}

TEST(Selector, all_requirements_must_hold) {
  const TextMap labels = {{"a", "1"}, {"b.c/d", "x"}};
  const auto matches = [&](std::string_view text) {
    return Selector::parse(text, "", {})->matches(labels, {});
  };
  EXPECT_TRUE(matches("a,b.c/d in (x,y),c notin (x)"));
  EXPECT_TRUE(matches("a==1,!c,a>0,a<2,c!=1"));
  EXPECT_FALSE(matches("a=1,c"));
  EXPECT_FALSE(matches("a notin (1)"));
}

TEST(HumanAge, is_said_as_kubectl_says_it) {
  using std::chrono::hours;
  using std::chrono::seconds;
  EXPECT_EQ(human_age(seconds(119)), "119s");
  EXPECT_EQ(human_age(seconds(120)), "2m");
  EXPECT_EQ(human_age(seconds(125)), "2m5s");
  EXPECT_EQ(human_age(seconds(3599)), "59m");
  EXPECT_EQ(human_age(seconds(3 * 3600 + 60)), "3h1m");
  EXPECT_EQ(human_age(hours(47)), "47h");
  EXPECT_EQ(human_age(hours(49)), "2d1h");
  EXPECT_EQ(human_age(hours(24 * 300)), "300d");
  EXPECT_EQ(human_age(seconds(-5)), "<invalid>");
}

}  // namespace
}  // namespace berth::sandbox::kube
