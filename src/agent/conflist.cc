#include "agent/conflist.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/section.h"
#include "agent/strict_json.h"

namespace berth::agent {
namespace {

constexpr std::string_view kOurTypes[] = {"cilium-cni", "berth-cni"};

constexpr std::string_view kIpamExample = R"({"static-ip-tags": {"anton": "test"}})";
constexpr std::string_view kEniExample = R"({"first-interface-index": 1})";
constexpr std::string_view kTagsExample = R"({"anton": "test"})";
constexpr std::string_view kPluginsExample = R"([{"type": "cilium-cni"}])";

const std::vector<std::string_view> kIpamKeys = {"min-allocate", "pre-allocate", "max-allocate",
                                                 "max-above-watermark", "static-ip-tags"};
const std::vector<std::string_view> kEniKeys = {
    "first-interface-index", "use-primary-address", "disable-prefix-delegation",
    "delete-on-termination", "subnet-ids",          "subnet-tags",
    "security-groups",       "security-group-tags", "exclude-interface-tags"};

Error invalid(const std::string& file, std::string detail) {
  return Error{.kind = ErrorKind::kInvalid, .operation = "read " + file, .detail = std::move(detail)};
}

bool is_ours(std::string_view type) { return std::ranges::find(kOurTypes, type) != std::end(kOurTypes); }

/// The `type` of a plugin; empty where it has none.
std::string type_of(const JsonValue& plugin, const std::string& path, Findings& findings) {
  if (!plugin.is(JsonValue::Kind::kObject)) {
    findings.mistakes.push_back(
        fmt::format("{}: found {}, expected an object, for example {{\"type\": \"cilium-cni\"}}", path,
                    describe(plugin)));
    return {};
  }
  if (std::ranges::count(plugin.members, "type", &JsonMember::key) > 1) {
    findings.mistakes.push_back(
        fmt::format("{}: found this key twice, expected it once; remove one of them", path_of(path, "type")));
  }
  return Section(&plugin, path, findings).word("type", R"("cilium-cni")");
}

/// What the obsolete places under `eni` say counts only where `ipam` says nothing.
void settle_obsolete(std::optional<std::int64_t>& setting, std::string_view key, Section& eni,
                     const Section& ipam, Findings& findings) {
  const std::optional<std::int64_t> old = eni.count(key, "1");
  if (old.value_or(0) == 0) {
    return;
  }
  const std::string old_path = path_of(eni.path(), key);
  const std::string new_path = path_of(ipam.path(), key);
  if (setting.value_or(0) == 0) {
    setting = old;
    findings.warnings.push_back(
        fmt::format("{} is an obsolete place; its {} counts, because {} says nothing: move it there",
                    old_path, *old, new_path));
  } else if (setting == old) {
    findings.notes.push_back(
        fmt::format("{} is an obsolete place; {} says the same and counts", old_path, new_path));
  } else {
    findings.warnings.push_back(
        fmt::format("{} is an obsolete place; its {} has no effect, {} says {} and counts", old_path, *old,
                    new_path, *setting));
  }
}

IpamSettings read_ipam(Section& ipam, Findings& findings) {
  IpamSettings settings;
  settings.min_allocate = ipam.count("min-allocate", "3");
  settings.pre_allocate = ipam.count("pre-allocate", "1");
  settings.max_allocate = ipam.count("max-allocate", "20");
  settings.max_above_watermark = ipam.count("max-above-watermark", "2");
  settings.static_ip_tags = ipam.tags("static-ip-tags", kTagsExample);
  ipam.skip("type");  // CNI's own
  // Of the same object in the CiliumNode, but filled while the node runs.
  for (const std::string_view key : {"pool", "ipv6-pool", "pools", "podCIDRs"}) {
    if (ipam.has(key)) {
      findings.warnings.push_back(
          fmt::format("{} is not a setting: it is filled while the node runs, and has no effect here",
                      path_of(ipam.path(), key)));
      ipam.skip(key);
    }
  }
  return settings;
}

EniSettings read_eni(Section& eni) {
  EniSettings settings;
  settings.first_interface_index = eni.count("first-interface-index", "1");
  settings.use_primary_address = eni.flag("use-primary-address", "false");
  settings.disable_prefix_delegation = eni.flag("disable-prefix-delegation", "false");
  settings.delete_on_termination = eni.flag("delete-on-termination", "true");
  settings.subnet_ids = eni.words("subnet-ids", R"(["subnet-0123456789abcdef0"])");
  settings.security_groups = eni.words("security-groups", R"(["sg-0123456789abcdef0"])");
  settings.subnet_tags = eni.tags("subnet-tags", kTagsExample);
  settings.security_group_tags = eni.tags("security-group-tags", kTagsExample);
  settings.exclude_interface_tags = eni.tags("exclude-interface-tags", kTagsExample);
  return settings;
}

WrittenFacts read_facts(Section& eni) {
  WrittenFacts facts;
  facts.instance_id = eni.word("instance-id", R"("i-0123456789abcdef0")");
  facts.instance_type = eni.word("instance-type", R"("m5.large")");
  facts.vpc_id = eni.word("vpc-id", R"("vpc-0123456789abcdef0")");
  facts.availability_zone = eni.word("availability-zone", R"("us-east-1a")");
  facts.node_subnet_id = eni.word("node-subnet-id", R"("subnet-0123456789abcdef0")");
  return facts;
}

/// Settings that stand beside `ipam` and `eni`, or beside `plugins`, where nobody reads them.
void warn_about_misplaced(const JsonValue& object, const std::string& path, const std::string& plugin,
                          Findings& findings) {
  for (const JsonMember& member : object.members) {
    const bool of_ipam = std::ranges::find(kIpamKeys, member.key) != kIpamKeys.end();
    const bool of_eni = std::ranges::find(kEniKeys, member.key) != kEniKeys.end();
    const bool whole = path != plugin && (member.key == "ipam" || member.key == "eni");
    if (of_ipam || of_eni || whole) {
      const std::string section = whole ? plugin : path_of(plugin, of_ipam ? "ipam" : "eni");
      findings.warnings.push_back(
          fmt::format("{} is in the wrong place and has no effect; it counts only as {}",
                      path_of(path, member.key), path_of(section, member.key)));
    }
  }
}

CniSettings read_plugin(const JsonValue& object, const std::string& path, Findings& findings) {
  report_duplicates(object, path, findings);
  Section plugin(&object, path, findings);
  Section ipam = plugin.section("ipam", kIpamExample);
  Section eni = plugin.section("eni", kEniExample);

  CniSettings settings;
  settings.plugin = path;
  settings.ipam = read_ipam(ipam, findings);
  settings.eni = read_eni(eni);
  settings.facts = read_facts(eni);
  settle_obsolete(settings.ipam.pre_allocate, "pre-allocate", eni, ipam, findings);
  settle_obsolete(settings.ipam.min_allocate, "min-allocate", eni, ipam, findings);
  settle_obsolete(settings.ipam.max_above_watermark, "max-above-watermark", eni, ipam, findings);

  ipam.warn_about_the_rest(kEniKeys, eni.path());
  eni.warn_about_the_rest(kIpamKeys, ipam.path());
  warn_about_misplaced(object, path, path, findings);
  for (const std::string_view cloud : {"azure", "alibaba-cloud"}) {
    if (plugin.has(cloud)) {
      findings.warnings.push_back(
          fmt::format("{} has no effect: this agent serves nodes on AWS", path_of(path, cloud)));
    }
  }
  return settings;
}

/// The plugins of a list; the first of ours is read, the others are only named.
CniFile read_list(const JsonValue& root, const JsonValue& plugins, Findings& findings) {
  CniFile file;
  if (!plugins.is(JsonValue::Kind::kList)) {
    findings.mistakes.push_back(
        fmt::format("plugins: found {}, expected a list of objects, for example \"plugins\": {}",
                    describe(plugins), kPluginsExample));
    return file;
  }
  for (std::size_t i = 0; i < plugins.elements.size(); ++i) {
    const JsonValue& plugin = plugins.elements[i];
    const std::string path = fmt::format("plugins[{}]", i);
    file.types.push_back(type_of(plugin, path, findings));
    if (!is_ours(file.types.back())) {
      continue;
    }
    if (file.settings) {
      findings.warnings.push_back(
          fmt::format("{} is of type {} too and has no effect; {} is the first and counts", path,
                      file.types.back(), file.settings->plugin));
      continue;
    }
    file.settings = read_plugin(plugin, path, findings);
    warn_about_misplaced(root, "", path, findings);
  }
  return file;
}

CniFile read_root(const JsonValue& root, Findings& findings) {
  for (const std::string_view key : {"plugins", "type"}) {
    if (std::ranges::count(root.members, key, &JsonMember::key) > 1) {
      findings.mistakes.push_back(
          fmt::format("{}: found this key twice, expected it once; remove one of them", key));
    }
  }
  if (const JsonValue* plugins = root.find("plugins"); plugins != nullptr) {
    return read_list(root, *plugins, findings);
  }
  CniFile file;
  if (root.find("type") != nullptr) {
    file.types.push_back(type_of(root, "", findings));
    if (is_ours(file.types.back())) {
      file.settings = read_plugin(root, "", findings);
    }
  }
  return file;
}

}  // namespace

Result<CniFile> read_cni_file(const std::string& file, std::string_view bytes) {
  const Result<JsonValue> root = parse_strict_json(bytes);
  if (!root) {
    return invalid(file, "the file " + root.error().detail);
  }
  if (!root->is(JsonValue::Kind::kObject)) {
    return invalid(file, fmt::format("found {}, expected an object, for example {{\"plugins\": {}}}",
                                     describe(*root), kPluginsExample));
  }
  Findings findings;
  CniFile read = read_root(*root, findings);
  if (!findings.mistakes.empty()) {
    return invalid(file, fmt::format("{}", fmt::join(findings.mistakes, "; ")));
  }
  if (read.settings) {
    read.settings->file = file;
    read.settings->warnings = std::move(findings.warnings);
    read.settings->notes = std::move(findings.notes);
  }
  return read;
}

Result<CniSettings> parse_conflist(const std::string& file, std::string_view bytes) {
  Result<CniFile> read = read_cni_file(file, bytes);
  if (!read) {
    return std::move(read).error();
  }
  if (!read->settings) {
    return invalid(file, fmt::format("found {}, expected a plugin of type {}",
                                     read->types.empty() ? std::string("no plugin")
                                                         : fmt::format("plugins of the types {}",
                                                                       fmt::join(read->types, ", ")),
                                     fmt::join(kOurTypes, " or ")));
  }
  return *std::move(read->settings);
}

}  // namespace berth::agent
