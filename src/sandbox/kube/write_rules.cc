#include "sandbox/kube/write_rules.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {

std::optional<Failure> check_version(const ResourceType& type, const StoredObject& current,
                                     std::string_view version, bool required) {
  if (version.empty() || version == "0") {
    if (!required) {
      return std::nullopt;
    }
    FieldError error{"FieldValueInvalid", "metadata.resourceVersion",
                     "Invalid value: 0x0: must be specified for an update"};
    return invalid_resource(type, current.name, {std::move(error)});
  }
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (failed != std::errc{} || end != version.data() + version.size()) {
    return invalid(
        type, current.name,
        {invalid_value("metadata.resourceVersion", json::value(version),
                       fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version))});
  }
  return number == current.version ? std::nullopt : std::optional(conflict(type, current.name));
}

Outcome<> check_space(const ObjectName& where, json::object& metadata) {
  const std::string_view space = find_text(metadata, {"namespace"});
  if (!where.type->namespaced) {
    metadata.erase("namespace");
  } else if (!space.empty() && space != where.space) {
    return refuse(
        bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  } else {
    metadata["namespace"] = where.space;
  }
  return {};
}

std::vector<FieldError> validate_metadata_update(const json::object& before, const json::object& after) {
  std::vector<FieldError> errors;
  for (const std::string_view key :
       {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const json::value* value = after.if_contains(key);
    const json::value* old = before.if_contains(key);
    if (value != nullptr && (old == nullptr || *old != *value)) {
      errors.push_back(invalid_value(fmt::format("metadata.{}", key), *value, "field is immutable"));
    }
  }
  const json::value* finalizers = after.if_contains("finalizers");
  if (!before.contains("deletionTimestamp") || finalizers == nullptr) {
    return errors;
  }
  const json::value* old = before.if_contains("finalizers");
  for (const json::value& one : finalizers->get_array()) {
    if (old == nullptr || std::ranges::find(old->get_array(), one) == old->get_array().end()) {
      errors.push_back(
          forbidden_value("metadata.finalizers",
                          fmt::format("no new finalizers can be added if the object is being deleted, found "
                                      "new finalizers []string{{{}}}",
                                      json::serialize(one))));
    }
  }
  return errors;
}

std::optional<Failure> check_uid(const ResourceType& type, const StoredObject& current,
                                 std::string_view uid) {
  const json::object stored = current.parsed();
  const std::string_view have = find_text(stored, {"metadata", "uid"});
  if (uid.empty() || uid == have) {
    return std::nullopt;
  }
  return conflict(
      type, current.name,
      fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, have));
}

std::optional<Failure> check_preconditions(const ResourceType& type, const StoredObject& current,
                                           std::string_view have_uid, const Preconditions& wanted) {
  if (!wanted.uid.empty() && wanted.uid != have_uid) {
    return precondition_failed(
        type, current.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). "
                    "The object might have been deleted and then recreated",
                    wanted.uid, have_uid));
  }
  if (!wanted.version.empty() && wanted.version != std::to_string(current.version)) {
    return precondition_failed(
        type, current.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    wanted.version, current.version));
  }
  return std::nullopt;
}

}  // namespace berth::sandbox::kube
