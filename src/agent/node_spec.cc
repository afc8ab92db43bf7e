#include "agent/node_spec.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/section.h"

namespace berth::agent {
namespace {

namespace json = boost::json;

/// A count of 0 is no count: it never hides one that stands behind it, and is never written.
std::optional<std::int64_t> count_of(std::optional<std::int64_t> written, std::optional<std::int64_t> flag) {
  return written.value_or(0) != 0 ? written : flag.value_or(0) != 0 ? flag : std::nullopt;
}

template <class T>
json::value value_or_null(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value();
}

template <class T>
std::optional<T> first_of(const std::optional<T>& written, const std::optional<T>& flag) {
  return written ? written : flag;
}

template <class T>
const T& first_filled(const T& written, const T& flag) {
  return written.empty() ? flag : written;
}

json::value text_or_null(const std::string& text) { return text.empty() ? json::value() : json::value(text); }

json::value map_or_null(const model::TagMap& tags) {
  if (tags.empty()) {
    return {};
  }
  json::object object;
  for (const auto& [key, value] : tags) {
    object[key] = value;
  }
  return object;
}

json::value list_or_null(const std::vector<std::string>& words) {
  if (words.empty()) {
    return {};
  }
  json::array list;
  for (const std::string& word : words) {
    list.emplace_back(word);
  }
  return list;
}

json::object desired_ipam(const IpamSettings& cni, const IpamSettings& flags) {
  json::object ipam;
  ipam["min-allocate"] = value_or_null(count_of(cni.min_allocate, flags.min_allocate));
  if (const auto pre_allocate = count_of(cni.pre_allocate, flags.pre_allocate); pre_allocate) {
    ipam["pre-allocate"] = *pre_allocate;
  }
  ipam["max-allocate"] = value_or_null(count_of(cni.max_allocate, flags.max_allocate));
  ipam["max-above-watermark"] = value_or_null(count_of(cni.max_above_watermark, flags.max_above_watermark));
  ipam["static-ip-tags"] = map_or_null(first_filled(cni.static_ip_tags, flags.static_ip_tags));
  return ipam;
}

json::object desired_eni(const EniSettings& cni, const EniSettings& flags,
                         const ports::InstanceFacts& facts) {
  json::object eni;
  eni["first-interface-index"] =
      value_or_null(first_of(cni.first_interface_index, flags.first_interface_index));
  eni["use-primary-address"] = value_or_null(first_of(cni.use_primary_address, flags.use_primary_address));
  eni["disable-prefix-delegation"] =
      value_or_null(first_of(cni.disable_prefix_delegation, flags.disable_prefix_delegation));
  eni["delete-on-termination"] =
      value_or_null(first_of(cni.delete_on_termination, flags.delete_on_termination));
  eni["subnet-ids"] = list_or_null(first_filled(cni.subnet_ids, flags.subnet_ids));
  eni["subnet-tags"] = map_or_null(first_filled(cni.subnet_tags, flags.subnet_tags));
  eni["security-groups"] = list_or_null(first_filled(cni.security_groups, flags.security_groups));
  eni["security-group-tags"] = map_or_null(first_filled(cni.security_group_tags, flags.security_group_tags));
  eni["exclude-interface-tags"] =
      map_or_null(first_filled(cni.exclude_interface_tags, flags.exclude_interface_tags));
  eni["instance-type"] = text_or_null(facts.instance_type);
  eni["vpc-id"] = text_or_null(facts.vpc_id);
  eni["availability-zone"] = text_or_null(facts.availability_zone);
  eni["node-subnet-id"] = text_or_null(facts.subnet_id);
  return eni;
}

/// A map of ours is ours as a whole: a key that is not wanted there goes.
bool is_whole_map(std::string_view key) { return key.ends_with("-tags"); }

json::object without_nulls(const json::object& from) {
  json::object kept;
  for (const auto& [key, value] : from) {
    if (value.is_object()) {
      kept[key] = without_nulls(value.get_object());
    } else if (!value.is_null()) {
      kept[key] = value;
    }
  }
  return kept;
}

json::object difference(const json::object& current, const json::object& desired, bool whole);

/// What has to be written at one key; nothing where it is so already.
std::optional<json::value> difference_at(std::string_view key, const json::value* current,
                                         const json::value& desired) {
  if (desired.is_null()) {
    return current == nullptr ? std::nullopt : std::optional<json::value>(nullptr);
  }
  if (!desired.is_object()) {
    return current != nullptr && *current == desired ? std::nullopt : std::optional(desired);
  }
  if (current == nullptr || !current->is_object()) {
    json::object whole = without_nulls(desired.get_object());
    return current == nullptr && whole.empty() ? std::nullopt : std::optional<json::value>(std::move(whole));
  }
  json::object inner = difference(current->get_object(), desired.get_object(), is_whole_map(key));
  return inner.empty() ? std::nullopt : std::optional<json::value>(std::move(inner));
}

json::object difference(const json::object& current, const json::object& desired, bool whole) {
  json::object patch;
  for (const auto& [key, value] : desired) {
    if (std::optional<json::value> differs = difference_at(key, current.if_contains(key), value)) {
      patch[key] = *std::move(differs);
    }
  }
  for (const auto& [key, value] : current) {
    if (whole && !desired.contains(key)) {
      patch[key] = nullptr;
    }
  }
  return patch;
}

/// Whether `reference` is what we would write for the Node, whatever its uid.
bool is_of_our_node(const json::value& reference, const json::object& owner) {
  return reference.is_object() && string_at(reference.get_object(), {"kind"}) == string_at(owner, {"kind"}) &&
         string_at(reference.get_object(), {"name"}) == string_at(owner, {"name"}) &&
         string_at(reference.get_object(), {"apiVersion"}) == string_at(owner, {"apiVersion"});
}

void add_paths(const json::object& patch, const std::string& parent, std::vector<std::string>& paths) {
  for (const auto& [key, value] : patch) {
    const std::string path = path_of(parent, {key.data(), key.size()});
    if (value.is_object() && !value.get_object().empty()) {
      add_paths(value.get_object(), path, paths);
    } else {
      paths.push_back(path);
    }
  }
}

struct Overruled {
  const CniSettings& cni;
  std::vector<std::string> sentences = {};

  void fact(std::string_view key, const std::string& written, const std::string& true_value) {
    if (!written.empty() && written != true_value) {
      sentences.push_back(fmt::format("{} says {}, but the instance says {}, which counts",
                                      path_of(path_of(cni.plugin, "eni"), key), quoted(written),
                                      true_value.empty() ? std::string("nothing") : quoted(true_value)));
    }
  }

  void zero(std::string_view key, std::optional<std::int64_t> written, std::optional<std::int64_t> flag) {
    if (written == 0 && flag.value_or(0) != 0) {
      sentences.push_back(fmt::format("{} is 0, which means that it is not set: --ipam-{}={} stays in force",
                                      path_of(path_of(cni.plugin, "ipam"), key), key, *flag));
    }
  }
};

}  // namespace

json::object desired_spec(const CniSettings& cni, const ports::InstanceFacts& facts,
                          const AgentFlags& flags) {
  json::object spec;
  spec["instance-id"] = facts.instance.str();
  spec["ipam"] = desired_ipam(cni.ipam, flags.ipam);
  spec["eni"] = desired_eni(cni.eni, flags.eni, facts);
  return spec;
}

std::vector<std::string> overruled(const CniSettings& cni, const ports::InstanceFacts& facts,
                                   const AgentFlags& flags) {
  Overruled found{cni};
  found.fact("instance-id", cni.facts.instance_id, facts.instance.str());
  found.fact("instance-type", cni.facts.instance_type, facts.instance_type);
  found.fact("vpc-id", cni.facts.vpc_id, facts.vpc_id);
  found.fact("availability-zone", cni.facts.availability_zone, facts.availability_zone);
  found.fact("node-subnet-id", cni.facts.node_subnet_id, facts.subnet_id);
  found.zero("min-allocate", cni.ipam.min_allocate, flags.ipam.min_allocate);
  found.zero("pre-allocate", cni.ipam.pre_allocate, flags.ipam.pre_allocate);
  found.zero("max-allocate", cni.ipam.max_allocate, flags.ipam.max_allocate);
  found.zero("max-above-watermark", cni.ipam.max_above_watermark, flags.ipam.max_above_watermark);
  return found.sentences;
}

json::object owner_reference(const std::string& node_name, const std::string& node_uid) {
  return {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node_name}, {"uid", node_uid}};
}

json::object new_cilium_node(const std::string& node_name, const json::object& owner,
                             const json::object& desired) {
  json::object spec = without_nulls(desired);
  // Empty from the start, so that whoever fills them later finds them; never touched again.
  json::object& ipam = spec["ipam"].get_object();
  ipam["pool"] = json::object{};
  ipam["pools"] = json::object{};
  return {{"apiVersion", "cilium.io/v2"},
          {"kind", "CiliumNode"},
          {"metadata", {{"name", node_name}, {"ownerReferences", json::array{owner}}}},
          {"spec", std::move(spec)}};
}

std::optional<json::object> spec_patch(const json::object& current, const json::object& desired) {
  const json::value* spec = current.if_contains("spec");
  const json::object nothing;
  json::object patch =
      difference(spec != nullptr && spec->is_object() ? spec->get_object() : nothing, desired, false);
  if (patch.empty()) {
    return std::nullopt;
  }
  return json::object{{"spec", std::move(patch)}};
}

std::optional<json::object> owner_patch(const json::object& current, const json::object& owner) {
  json::array kept;
  bool there = false;
  bool stale = false;
  const json::value* metadata = current.if_contains("metadata");
  const json::value* references = metadata != nullptr && metadata->is_object()
                                      ? metadata->get_object().if_contains("ownerReferences")
                                      : nullptr;
  if (references != nullptr && references->is_array()) {
    for (const json::value& reference : references->get_array()) {
      if (!is_of_our_node(reference, owner)) {
        kept.push_back(reference);
      } else if (!there && string_at(reference.get_object(), {"uid"}) == string_at(owner, {"uid"})) {
        there = true;
        kept.push_back(reference);  // as it is: somebody may have set blockOwnerDeletion
      } else {
        stale = true;
      }
    }
  }
  if (there && !stale) {
    return std::nullopt;
  }
  if (!there) {
    kept.push_back(owner);
  }
  return json::object{{"metadata",
                       {{"ownerReferences", std::move(kept)},
                        {"resourceVersion", string_at(current, {"metadata", "resourceVersion"})}}}};
}

std::vector<std::string> patched_paths(const json::object& patch) {
  std::vector<std::string> paths;
  add_paths(patch, "", paths);
  return paths;
}

std::string string_at(const json::object& object, std::initializer_list<std::string_view> path) {
  const json::object* at = &object;
  const json::value* value = nullptr;
  for (const std::string_view key : path) {
    value = at == nullptr ? nullptr : at->if_contains(key);
    at = value == nullptr ? nullptr : value->if_object();
  }
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

}  // namespace berth::agent
