#pragma once
// What a node can be told about its addresses, wherever it comes from: the CNI configuration and the agent's
// flags speak of the same things. Plain values; nothing here knows a file or a flag parser.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tag_map.h"

namespace berth::agent {

/// The largest number that a setting takes; Cilium keeps them as a signed 32-bit int on some platforms.
inline constexpr std::int64_t kMaxCount = 2'147'483'647;

/// spec.ipam, as far as the node says it. A count of 0 means the same as an absent one, as in Cilium.
struct IpamSettings {
  std::optional<std::int64_t> min_allocate;
  std::optional<std::int64_t> pre_allocate;
  std::optional<std::int64_t> max_allocate;
  std::optional<std::int64_t> max_above_watermark;
  model::TagMap static_ip_tags;  // empty: no static IP is asked for

  friend bool operator==(const IpamSettings&, const IpamSettings&) = default;
};

/// spec.eni, as far as the node says it. 0 and false are values; empty lists and maps mean the same as
/// absent.
struct EniSettings {
  std::optional<std::int64_t> first_interface_index;
  std::optional<bool> use_primary_address;
  std::optional<bool> disable_prefix_delegation;
  std::optional<bool> delete_on_termination;
  std::vector<std::string> subnet_ids;
  std::vector<std::string> security_groups;
  model::TagMap subnet_tags;
  model::TagMap security_group_tags;
  model::TagMap exclude_interface_tags;

  friend bool operator==(const EniSettings&, const EniSettings&) = default;
};

/// The agent's flags, named as Cilium's: --ipam-min-allocate, --ipam-pre-allocate, --ipam-max-allocate,
/// --ipam-static-ip-tags, --eni-first-interface-index, --eni-use-primary-address,
/// --eni-disable-prefix-delegation, --eni-delete-on-termination, --eni-subnet-ids, --eni-subnet-tags,
/// --eni-security-groups, --eni-security-group-tags, --eni-exclude-interface-tags. An absent flag is no
/// value.
struct AgentFlags {
  IpamSettings ipam;
  EniSettings eni;
};

/// What the eni section says about the instance. The instance itself knows better, so this only serves to say
/// so where they differ. Empty: not written.
struct WrittenFacts {
  std::string instance_id;
  std::string instance_type;
  std::string vpc_id;
  std::string availability_zone;
  std::string node_subnet_id;

  friend bool operator==(const WrittenFacts&, const WrittenFacts&) = default;
};

/// What one CNI configuration file says.
struct CniSettings {
  std::string file;
  std::string plugin;  // where in the file, for messages: "plugins[0]"; empty where the file is one plugin
  IpamSettings ipam;
  EniSettings eni;
  WrittenFacts facts;
  std::vector<std::string> warnings;  // what was written and has no effect, or looks like a mistake
  std::vector<std::string> notes;     // what is worth knowing

  friend bool operator==(const CniSettings&, const CniSettings&) = default;
};

/// Why no AWS resource can carry this tag; empty where one can.
/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
std::string tag_fault(std::string_view key, std::string_view value);

/// The most tags that an AWS resource carries, `aws:` ones apart.
inline constexpr std::size_t kMaxTags = 50;

/// The value of a tags flag: "k=v,k=v", or a JSON object of strings where a value holds a comma. Empty: no
/// tags. kInvalid with `flag` ("--ipam-static-ip-tags") in the message.
Result<model::TagMap> parse_tags_flag(std::string_view flag, std::string_view text);

}  // namespace berth::agent
