#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sandbox/kube/patch.h"

namespace berth::sandbox::kube {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kElementOrder = "$setElementOrder/";
constexpr std::string_view kDeletePrimitives = "$deleteFromPrimitiveList/";

/// patchMergeKey by field name, as the Go types of Node, Pod, Service and ObjectMeta carry it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kMergeKeys = {{
    {"conditions", "type"},
    {"addresses", "type"},
    {"ownerReferences", "uid"},
    {"containers", "name"},
    {"initContainers", "name"},
    {"volumes", "name"},
    {"volumeMounts", "mountPath"},
    {"env", "name"},
    {"imagePullSecrets", "name"},
    {"ports", "port"},
}};

constexpr std::array<std::string_view, 2> kPrimitiveSets = {"finalizers", "podCIDRs"};

std::string_view merge_key(std::string_view field) {
  const auto* found = std::ranges::find(kMergeKeys, field, &decltype(kMergeKeys)::value_type::first);
  return found == kMergeKeys.end() ? std::string_view() : found->second;
}

bool is_directive(std::string_view key) {
  return key == kDirective || key == kRetainKeys || key.starts_with(kElementOrder) ||
         key.starts_with(kDeletePrimitives);
}

/// A patch that meets nothing is still rid of its directives.
json::value without_directives(const json::value& patch) {
  json::value empty;
  if (patch.is_object()) {
    empty.emplace_object();
    strategic_merge_patch(empty, patch);
    return empty;
  }
  return patch;
}

void merge_list(json::array& target, const json::array& patch, std::string_view key) {
  const bool replaces = std::ranges::any_of(patch, [](const json::value& item) {
    return item.is_object() && find_text(item.get_object(), {kDirective}) == "replace";
  });
  if (replaces) {
    target.clear();
  }
  for (const json::value& item : patch) {
    const json::value* wanted = item.is_object() ? item.get_object().if_contains(key) : nullptr;
    if (wanted == nullptr) {
      continue;
    }
    auto* const found = std::ranges::find_if(target, [&](const json::value& have) {
      const json::value* value = have.is_object() ? have.get_object().if_contains(key) : nullptr;
      return value != nullptr && *value == *wanted;
    });
    if (find_text(item.get_object(), {kDirective}) == "delete") {
      if (found != target.end()) {
        target.erase(found);
      }
    } else if (found != target.end()) {
      strategic_merge_patch(*found, item);
    } else {
      target.push_back(without_directives(item));
    }
  }
}

void merge_set(json::array& target, const json::array& patch) {
  for (const json::value& item : patch) {
    if (std::ranges::find(target, item) == target.end()) {
      target.push_back(item);
    }
  }
}

void merge_field(json::object& target, std::string_view key, const json::value& patch) {
  json::value& value = target[key];
  if (patch.is_array() && !value.is_array()) {
    value.emplace_array();
  }
  if (patch.is_array() && !merge_key(key).empty()) {
    merge_list(value.get_array(), patch.get_array(), merge_key(key));
  } else if (patch.is_array() && std::ranges::find(kPrimitiveSets, key) != kPrimitiveSets.end()) {
    merge_set(value.get_array(), patch.get_array());
  } else {
    strategic_merge_patch(value, patch);
  }
}

void retain_keys(json::object& target, const json::array& keys) {
  std::vector<std::string> gone;
  for (const auto& entry : target) {
    const json::value key(entry.key());
    if (std::ranges::find(keys, key) == keys.end()) {
      gone.emplace_back(entry.key());
    }
  }
  for (const std::string& key : gone) {
    target.erase(key);
  }
}

void delete_primitives(json::object& target, std::string_view field, const json::value& gone) {
  json::value* list = target.if_contains(field);
  if (list == nullptr || !list->is_array() || !gone.is_array()) {
    return;
  }
  json::array kept;
  for (const json::value& item : list->get_array()) {
    if (std::ranges::find(gone.get_array(), item) == gone.get_array().end()) {
      kept.push_back(item);
    }
  }
  *list = std::move(kept);
}

}  // namespace

void strategic_merge_patch(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  const json::object& source = patch.get_object();
  if (!target.is_object() || find_text(source, {kDirective}) == "replace") {
    target.emplace_object();
  }
  json::object& object = target.get_object();
  if (find_text(source, {kDirective}) == "delete") {
    object.clear();
    return;
  }
  if (const json::value* keys = source.if_contains(kRetainKeys); keys != nullptr && keys->is_array()) {
    retain_keys(object, keys->get_array());
  }
  for (const auto& [key, value] : source) {
    const std::string_view name = key;
    if (name.starts_with(kDeletePrimitives)) {
      delete_primitives(object, name.substr(kDeletePrimitives.size()), value);
    } else if (is_directive(name)) {
      continue;
    } else if (value.is_null()) {
      object.erase(name);
    } else {
      merge_field(object, name, value);
    }
  }
}

}  // namespace berth::sandbox::kube
