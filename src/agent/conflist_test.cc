#include "agent/conflist.h"

#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/scenario_for_test.h"

namespace berth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFile = "/etc/cni/net.d/10-generic-veth.conflist";

/// A list with one plugin of ours that has these members.
std::string with(const std::string& members) {
  return R"({"name":"c","plugins":[{"type":"cilium-cni",)" + members + "}]}";
}
std::string with_ipam(const std::string& members) { return with(R"("ipam":{)" + members + "}"); }
std::string with_eni(const std::string& members) { return with(R"("eni":{)" + members + "}"); }

CniSettings settings_of(const std::string& bytes) {
  const Result<CniSettings> parsed = parse_conflist(kFile, bytes);
  EXPECT_TRUE(parsed.ok()) << (parsed ? "" : parsed.error().message());
  return parsed ? *parsed : CniSettings{};
}

/// The message without the file, which every one must begin with.
std::string mistake_in(const std::string& bytes) {
  const Result<CniSettings> parsed = parse_conflist(kFile, bytes);
  if (parsed) {
    return "no mistake";
  }
  EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalid);
  const std::string start = std::string("read ") + kFile + ": ";
  EXPECT_TRUE(parsed.error().message().starts_with(start)) << parsed.error().message();
  return parsed.error().message().substr(start.size());
}

TEST(Conflist, the_scenario_is_read_as_it_is_written) {
  const CniSettings settings = settings_of(kScenario);
  EXPECT_EQ(settings.file, kFile);
  EXPECT_EQ(settings.plugin, "plugins[0]");
  IpamSettings ipam;
  ipam.min_allocate = 3;
  ipam.pre_allocate = 1;
  ipam.static_ip_tags = {{"anton", "test"}, {"kubernetes_cluster", "cluster-1"}};
  EXPECT_EQ(settings.ipam, ipam);
  EniSettings eni;
  eni.first_interface_index = 1;
  eni.use_primary_address = false;
  eni.delete_on_termination = true;
  EXPECT_EQ(settings.eni, eni);
  EXPECT_THAT(settings.warnings, IsEmpty());
  EXPECT_THAT(
      settings.notes,
      ElementsAre(
          "plugins[0].eni.pre-allocate is an obsolete place; plugins[0].ipam.pre-allocate says the same "
          "and counts",
          "plugins[0].eni.min-allocate is an obsolete place; plugins[0].ipam.min-allocate says the same "
          "and counts"));
}

TEST(Conflist, every_key_that_counts_is_read) {
  const CniSettings settings = settings_of(with(R"(
    "ipam": {"type": "whatever", "min-allocate": 1, "pre-allocate": 2, "max-allocate": 3, "max-above-watermark": 4,
             "static-ip-tags": {"a": ""}},
    "eni": {"first-interface-index": 0, "use-primary-address": true, "disable-prefix-delegation": true,
            "delete-on-termination": false, "subnet-ids": ["subnet-2", "subnet-1"], "security-groups": ["sg-1"],
            "subnet-tags": {"b": "1"}, "security-group-tags": {"c": "2"}, "exclude-interface-tags": {"d": "3"},
            "instance-id": "i-1", "instance-type": "t", "vpc-id": "vpc-9", "availability-zone": "z",
            "node-subnet-id": "subnet-9"})"));
  CniSettings expected;
  expected.file = kFile;
  expected.plugin = "plugins[0]";
  expected.ipam = {.min_allocate = 1,
                   .pre_allocate = 2,
                   .max_allocate = 3,
                   .max_above_watermark = 4,
                   .static_ip_tags = {{"a", ""}}};
  expected.eni = {.first_interface_index = 0,
                  .use_primary_address = true,
                  .disable_prefix_delegation = true,
                  .delete_on_termination = false,
                  .subnet_ids = {"subnet-2", "subnet-1"},
                  .security_groups = {"sg-1"},
                  .subnet_tags = {{"b", "1"}},
                  .security_group_tags = {{"c", "2"}},
                  .exclude_interface_tags = {{"d", "3"}}};
  expected.facts = {.instance_id = "i-1",
                    .instance_type = "t",
                    .vpc_id = "vpc-9",
                    .availability_zone = "z",
                    .node_subnet_id = "subnet-9"};
  EXPECT_EQ(settings, expected);
}

TEST(Conflist, the_first_plugin_of_ours_counts_and_a_second_one_is_warned_about) {
  const CniSettings settings = settings_of(R"({"plugins": [
    {"type": "portmap", "ipam": {"min-allocate": "odd but not ours"}},
    {"type": "berth-cni", "ipam": {"min-allocate": 1}},
    {"type": "cilium-cni", "ipam": {"min-allocate": 2}}]})");
  EXPECT_EQ(settings.plugin, "plugins[1]");
  EXPECT_EQ(settings.ipam.min_allocate, 1);
  EXPECT_THAT(
      settings.warnings,
      ElementsAre(
          "plugins[2] is of type cilium-cni too and has no effect; plugins[1] is the first and counts"));
}

TEST(Conflist, a_file_that_is_one_plugin_is_read_too) {
  const CniSettings settings =
      settings_of(R"({"type": "cilium-cni", "ipam": {"static-ip-tags": {"a": "b"}}})");
  EXPECT_EQ(settings.plugin, "");
  EXPECT_EQ(settings.ipam.static_ip_tags, (model::TagMap{{"a", "b"}}));
  EXPECT_EQ(mistake_in(R"({"type": "cilium-cni", "ipam": {"static-ip-tags": {"a": null}}})"),
            R"(ipam.static-ip-tags.a: found null, expected a string, for example "a": "test")");
}

TEST(Conflist, a_file_without_a_plugin_of_ours_says_what_it_holds) {
  EXPECT_EQ(mistake_in(R"({"plugins": [{"type": "bridge"}, {"type": "portmap"}]})"),
            "found plugins of the types bridge, portmap, expected a plugin of type cilium-cni or berth-cni");
  EXPECT_EQ(mistake_in("{}"), "found no plugin, expected a plugin of type cilium-cni or berth-cni");
}

TEST(Conflist, obsolete_places_under_eni_count_only_where_ipam_says_nothing) {
  CniSettings settings =
      settings_of(with_eni(R"("pre-allocate":4,"min-allocate":5,"max-above-watermark":6)"));
  EXPECT_EQ(settings.ipam.pre_allocate, 4);
  EXPECT_EQ(settings.ipam.min_allocate, 5);
  EXPECT_EQ(settings.ipam.max_above_watermark, 6);
  EXPECT_THAT(settings.warnings,
              ElementsAre("plugins[0].eni.pre-allocate is an obsolete place; its 4 counts, because "
                          "plugins[0].ipam.pre-allocate says nothing: move it there",
                          "plugins[0].eni.min-allocate is an obsolete place; its 5 counts, because "
                          "plugins[0].ipam.min-allocate says nothing: move it there",
                          "plugins[0].eni.max-above-watermark is an obsolete place; its 6 counts, because "
                          "plugins[0].ipam.max-above-watermark says nothing: move it there"));

  settings = settings_of(with(R"("eni":{"min-allocate":5},"ipam":{"min-allocate":7})"));
  EXPECT_EQ(settings.ipam.min_allocate, 7);
  EXPECT_THAT(settings.warnings,
              ElementsAre("plugins[0].eni.min-allocate is an obsolete place; its 5 has no effect, "
                          "plugins[0].ipam.min-allocate says 7 and counts"));
}

TEST(Conflist, what_has_no_effect_is_warned_about_by_name) {
  EXPECT_THAT(
      settings_of(with_ipam(R"("min_allocate":1,"subnet-ids":[],"color":"red","pool":{})")).warnings,
      ElementsAre(
          "plugins[0].ipam.pool is not a setting: it is filled while the node runs, and has no effect "
          "here",
          "plugins[0].ipam.min_allocate is not a setting that is known here and has no effect; did you "
          "mean plugins[0].ipam.min-allocate?",
          "plugins[0].ipam.subnet-ids is not a setting that is known here and has no effect; it counts "
          "only as plugins[0].eni.subnet-ids",
          "plugins[0].ipam.color is not a setting that is known here and has no effect"));
  EXPECT_THAT(
      settings_of(with_eni(R"("static-ip-tags":{"a":"b"},"k.e/y":1)")).warnings,
      ElementsAre("plugins[0].eni.static-ip-tags is not a setting that is known here and has no effect; it "
                  "counts only as plugins[0].ipam.static-ip-tags",
                  R"(plugins[0].eni["k.e/y"] is not a setting that is known here and has no effect)"));
  EXPECT_THAT(
      settings_of(with(R"("azure":{},"alibaba-cloud":{},"mtu":1500,"static-ip-tags":{})")).warnings,
      ElementsAre("plugins[0].static-ip-tags is in the wrong place and has no effect; it counts only as "
                  "plugins[0].ipam.static-ip-tags",
                  "plugins[0].azure has no effect: this agent serves nodes on AWS",
                  "plugins[0].alibaba-cloud has no effect: this agent serves nodes on AWS"));
  EXPECT_THAT(settings_of(R"({"ipam": {}, "plugins": [{"type": "cilium-cni"}]})").warnings,
              ElementsAre("ipam is in the wrong place and has no effect; it counts only as plugins[0].ipam"));
}

struct BadFile {
  const char* what;
  std::string bytes;
  std::string message;
};
void PrintTo(const BadFile& file, std::ostream* out) { *out << file.what; }

class BadConflist : public testing::TestWithParam<BadFile> {};

TEST_P(BadConflist, is_refused_with_its_whole_message) {
  EXPECT_EQ(mistake_in(GetParam().bytes), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Conflist, BadConflist,
    testing::Values(
        BadFile{"empty", "", "the file is empty: it is half-written, or its content is missing"},
        BadFile{"blank", " \n", "the file is empty: it is half-written, or its content is missing"},
        BadFile{
            "half_written", "{\n  \"plugins\": [\n    {\"type\": \"cili",
            "the file ends in the middle of its JSON, at line 3, column 19: it is half-written or cut off; "
            "complete it"},
        BadFile{"not_json", "plugins:\n- type: cilium-cni\n",
                R"(the file is not JSON: syntax error at line 1, column 1, found "plugins:")"},
        BadFile{"missing_comma", "{\"plugins\": []\n \"name\": 1}",
                R"(the file is not JSON: syntax error at line 2, column 2, found "\"name\": 1}")"},
        BadFile{
            "trailing_garbage", "{\"plugins\": []}\n}\n",
            R"(the file goes on after the end of its JSON, at line 2, column 1, with "}": two files in one, or the rest of )"
            "an older one"},
        BadFile{"too_deep", std::string(40, '['),
                "the file is nested more than 32 levels deep, at line 1, column 33"},
        BadFile{"no_object", "[1]",
                R"(found a list, expected an object, for example {"plugins": [{"type": "cilium-cni"}]})"},
        BadFile{
            "plugins_no_list", R"({"plugins": {"type": "cilium-cni"}})",
            R"(plugins: found an object, expected a list of objects, for example "plugins": [{"type": "cilium-cni"}])"},
        BadFile{
            "plugin_no_object", R"({"plugins": ["cilium-cni"]})",
            R"(plugins[0]: found the string "cilium-cni", expected an object, for example {"type": "cilium-cni"})"},
        BadFile{
            "type_no_string", R"({"plugins": [{"type": 1}]})",
            R"(plugins[0].type: found the number 1, expected a string that is not empty, for example "type": "cilium-cni")"},
        BadFile{"plugins_twice", R"({"plugins": [], "plugins": [{"type": "cilium-cni"}]})",
                "plugins: found this key twice, expected it once; remove one of them"},
        BadFile{"byte_order_mark", "\xEF\xBB\xBF{}",
                "the file is not JSON: syntax error at line 1, column 1, found \"\xEF\xBB\xBF{}\""}),
    [](const auto& instance) { return std::string(instance.param.what); });

INSTANTIATE_TEST_SUITE_P(
    Sections, BadConflist,
    testing::Values(
        BadFile{
            "ipam_no_object", with(R"("ipam":[1])"),
            R"(plugins[0].ipam: found a list, expected an object, for example "ipam": {"static-ip-tags": )"
            R"({"anton": "test"}})"},
        BadFile{
            "eni_null", with(R"("eni":null)"),
            R"(plugins[0].eni: found null, expected an object, for example "eni": {"first-interface-index": 1})"},
        BadFile{"section_twice", with(R"("ipam":{},"ipam":{})"),
                "plugins[0].ipam: found this key twice, expected it once; remove one of them"},
        BadFile{"key_twice", with_ipam(R"("min-allocate":1,"min-allocate":1)"),
                "plugins[0].ipam.min-allocate: found this key twice, expected it once; remove one of them"},
        BadFile{
            "tag_twice", with_ipam(R"("static-ip-tags":{"a":"1","a":"2"})"),
            "plugins[0].ipam.static-ip-tags.a: found this key twice, expected it once; remove one of them"},
        BadFile{"type_twice", R"({"plugins":[{"type":"bridge","type":"cilium-cni"}]})",
                "plugins[0].type: found this key twice, expected it once; remove one of them"}),
    [](const auto& instance) { return std::string(instance.param.what); });

INSTANTIATE_TEST_SUITE_P(
    Values, BadConflist,
    testing::Values(
        BadFile{
            "quoted_number", with_ipam(R"("min-allocate":"3")"),
            R"(plugins[0].ipam.min-allocate: found the string "3", expected a whole number from 0 to 2147483647, )"
            R"(for example "min-allocate": 3)"},
        BadFile{"word_for_number", with_ipam(R"("pre-allocate":"many")"),
                R"(plugins[0].ipam.pre-allocate: found the string "many", expected a whole number from 0 to )"
                R"(2147483647, for example "pre-allocate": 1)"},
        BadFile{"float", with_ipam(R"("max-allocate":3.0)"),
                "plugins[0].ipam.max-allocate: found the number 3.0, expected a whole number from 0 to "
                "2147483647, for "
                "example \"max-allocate\": 20"},
        BadFile{
            "exponent", with_ipam(R"("max-above-watermark":1e2)"),
            "plugins[0].ipam.max-above-watermark: found the number 1e2, expected a whole number from 0 to "
            "2147483647, for example \"max-above-watermark\": 2"},
        BadFile{
            "negative", with_eni(R"("first-interface-index":-1)"),
            "plugins[0].eni.first-interface-index: found the number -1, expected a whole number from 0 to "
            "2147483647, for example \"first-interface-index\": 1"},
        BadFile{
            "too_large", with_ipam(R"("min-allocate":2147483648)"),
            "plugins[0].ipam.min-allocate: found the number 2147483648, expected a whole number from 0 to "
            "2147483647, for example \"min-allocate\": 3"},
        BadFile{"far_too_large", with_ipam(R"("min-allocate":99999999999999999999)"),
                "plugins[0].ipam.min-allocate: found the number 99999999999999999999, expected a whole "
                "number from 0 "
                "to 2147483647, for example \"min-allocate\": 3"},
        BadFile{
            "obsolete_quoted", with_eni(R"("pre-allocate":"1")"),
            R"(plugins[0].eni.pre-allocate: found the string "1", expected a whole number from 0 to 2147483647, )"
            R"(for example "pre-allocate": 1)"},
        BadFile{
            "quoted_bool", with_eni(R"("use-primary-address":"true")"),
            R"(plugins[0].eni.use-primary-address: found the string "true", expected true or false, for example )"
            R"("use-primary-address": true)"},
        BadFile{
            "number_for_bool", with_eni(R"("delete-on-termination":1)"),
            R"(plugins[0].eni.delete-on-termination: found the number 1, expected true or false, for example )"
            R"("delete-on-termination": true)"},
        BadFile{
            "list_is_string", with_eni(R"("subnet-ids":"subnet-1")"),
            R"(plugins[0].eni.subnet-ids: found the string "subnet-1", expected a list of strings, for example )"
            R"("subnet-ids": ["subnet-0123456789abcdef0"])"},
        BadFile{
            "element_no_string", with_eni(R"("security-groups":["sg-1",2])"),
            R"(plugins[0].eni.security-groups[1]: found the number 2, expected a string that is not empty, for )"
            R"(example "security-groups": ["sg-0123456789abcdef0"])"},
        BadFile{
            "fact_no_string", with_eni(R"("vpc-id":7)"),
            R"(plugins[0].eni.vpc-id: found the number 7, expected a string that is not empty, for example )"
            R"("vpc-id": "vpc-0123456789abcdef0")"}),
    [](const auto& instance) { return std::string(instance.param.what); });

INSTANTIATE_TEST_SUITE_P(
    Tags, BadConflist,
    testing::Values(
        BadFile{"no_object", with_ipam(R"("static-ip-tags":["anton"])"),
                R"(plugins[0].ipam.static-ip-tags: found a list, expected an object of strings, for example )"
                R"("static-ip-tags": {"anton": "test"})"},
        BadFile{"number", with_ipam(R"("static-ip-tags":{"anton":1})"),
                R"(plugins[0].ipam.static-ip-tags.anton: found the number 1, expected a string, for example )"
                R"("anton": "1")"},
        BadFile{"bool_under_an_odd_key", with_ipam(R"("static-ip-tags":{"a.b/c":true})"),
                R"(plugins[0].ipam.static-ip-tags["a.b/c"]: found true, expected a string, for example )"
                R"("a.b/c": "true")"},
        BadFile{
            "empty_key", with_ipam(R"("static-ip-tags":{"":"v"})"),
            R"(plugins[0].ipam.static-ip-tags[""]: found an empty key, expected 1 to 128 characters, which is )"
            "what AWS allows"},
        BadFile{"long_key", with_eni(R"("subnet-tags":{")" + std::string(129, 'k') + R"(":"v"})"),
                "plugins[0].eni.subnet-tags." + std::string(129, 'k') +
                    ": found a key of 129 characters, expected 1 to 128, which is what AWS allows"},
        BadFile{"long_value", with_ipam(R"("static-ip-tags":{"k":")" + std::string(257, 'v') + R"("})"),
                "plugins[0].ipam.static-ip-tags.k: found a value of 257 characters, expected at most 256, "
                "which is "
                "what AWS allows"}),
    [](const auto& instance) { return std::string(instance.param.what); });

TEST(Conflist, all_mistakes_are_named_in_one_message) {
  EXPECT_EQ(
      mistake_in(with(R"("ipam":{"min-allocate":"3","static-ip-tags":{"anton":null}},"eni":[])")),
      R"(plugins[0].eni: found a list, expected an object, for example "eni": {"first-interface-index": 1}; )"
      R"(plugins[0].ipam.min-allocate: found the string "3", expected a whole number from 0 to 2147483647, for )"
      R"(example "min-allocate": 3; )"
      R"(plugins[0].ipam.static-ip-tags.anton: found null, expected a string, for example "anton": "test")");
}

TEST(Conflist, tag_limits_count_characters_and_tags_as_aws_does) {
  std::string umlauts;
  for (int i = 0; i < 128; ++i) {
    umlauts += "ü";
  }
  EXPECT_EQ(
      settings_of(with_ipam(R"("static-ip-tags":{")" + umlauts + R"(":"v"})")).ipam.static_ip_tags.size(),
      1U);

  const auto tags = [](int number) {
    std::string members;
    for (int i = 0; i < number; ++i) {
      members += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + R"(":"v")";
    }
    return with_ipam(R"("static-ip-tags":{)" + members + "}");
  };
  EXPECT_EQ(settings_of(tags(50)).ipam.static_ip_tags.size(), 50U);
  EXPECT_EQ(mistake_in(tags(51)),
            "plugins[0].ipam.static-ip-tags: found 51 tags, expected at most 50, which is what "
            "AWS allows on one resource");
}

TEST(Conflist, every_beginning_of_a_good_file_is_refused) {
  const std::string whole = kScenario;
  const std::size_t end = whole.rfind('}');
  for (std::size_t length = 0; length <= end; ++length) {
    EXPECT_FALSE(parse_conflist(kFile, whole.substr(0, length)).ok()) << length;
  }
  EXPECT_TRUE(parse_conflist(kFile, whole.substr(0, end + 1)).ok());
}

TEST(Conflist, a_long_value_is_cut_in_the_message_at_a_whole_character) {
  std::string umlauts = "x";
  for (int i = 0; i < 100; ++i) {
    umlauts += "ü";
  }
  std::string shown = "x";
  for (int i = 0; i < 29; ++i) {
    shown += "ü";
  }
  EXPECT_THAT(mistake_in(with_ipam(R"("min-allocate":")" + umlauts + "\"")),
              testing::HasSubstr("found the string \"" + shown + "…\","));
}

}  // namespace
}  // namespace berth::agent
