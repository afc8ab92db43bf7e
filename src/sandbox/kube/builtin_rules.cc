#include "sandbox/kube/builtin_rules.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

/// What an Event with eventTime must have: as errors name it, and as it is written.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRequiredOfNewEvents = {{
    {"reportingController", "reportingComponent"},
    {"reportingInstance", "reportingInstance"},
    {"action", "action"},
    {"reason", "reason"},
}};

// An Event about something cluster-scoped, a Node for example, lives in "default". One that carries eventTime
// may also live in "kube-system" (before 1.22: only there), and must say who reports it; older clients do
// not. https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go
std::vector<FieldError> validate_event(const json::object& event) {
  std::vector<FieldError> errors;
  const std::string_view space = find_text(event, {"metadata", "namespace"});
  const std::string_view involved = find_text(event, {"involvedObject", "namespace"});
  const bool has_event_time = !find_text(event, {"eventTime"}).empty();
  const bool fits = !involved.empty() ? space == involved
                                      : space == "default" || (has_event_time && space == "kube-system");
  if (!fits) {
    errors.push_back(
        invalid_value("involvedObject.namespace", json::value(involved), "does not match event.namespace"));
  }
  if (!has_event_time) {
    return errors;
  }
  for (const auto& [field, key] : kRequiredOfNewEvents) {
    const std::string_view text = find_text(event, {key});
    if (text.empty()) {
      errors.push_back(required_value(std::string(field)));
    } else if (text.size() > 128) {
      errors.push_back(
          invalid_value(std::string(field), json::value(text), "can have at most 128 characters"));
    }
  }
  if (const std::string_view message = find_text(event, {"message"}); message.size() > 1024) {
    errors.push_back(invalid_value("message", json::value(message), "can have at most 1024 characters"));
  }
  return errors;
}

std::vector<FieldError> validate_definition(const json::object& definition) {
  const std::string_view name = find_text(definition, {"metadata", "name"});
  const std::string wanted = fmt::format("{}.{}", find_text(definition, {"spec", "names", "plural"}),
                                         find_text(definition, {"spec", "group"}));
  std::vector<FieldError> errors;
  if (name != wanted) {
    errors.push_back(
        invalid_value("metadata.name", json::value(name), "must be spec.names.plural+\".\"+spec.group"));
  }
  if (auto type = ResourceType::from_definition(definition); !type) {
    errors.push_back(invalid_value("spec.versions", json::value(name), type.error().detail));
  }
  return errors;
}

json::object condition(std::string_view type, std::string_view reason, std::string_view message,
                       const json::value& time) {
  return {{"type", type},
          {"status", "True"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", time}};
}

void complete_definition(json::object& definition) {
  auto type = ResourceType::from_definition(definition);
  if (!type) {
    return;  // validation says what is wrong
  }
  json::object& names = child(child(definition, "spec"), "names");
  names["listKind"] = type->list_kind;
  names["singular"] = type->singular;
  const json::value* created = find(definition, {"metadata", "creationTimestamp"});
  const json::value time = created == nullptr ? json::value() : *created;
  json::array conditions;
  conditions.push_back(condition("NamesAccepted", "NoConflicts", "no conflicts found", time));
  conditions.push_back(
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted", time));
  json::object status;
  status["conditions"] = std::move(conditions);
  status["acceptedNames"] = names;
  json::array versions;
  versions.emplace_back(type->version);
  status["storedVersions"] = std::move(versions);
  definition["status"] = std::move(status);
}

}  // namespace

void fill_zero_values(const ResourceType& type, json::object& object) {
  if (type.resource() != "events") {
    return;
  }
  for (const std::string_view key : {"firstTimestamp", "lastTimestamp", "eventTime"}) {
    object.emplace(key, nullptr);
  }
  for (const std::string_view key : {"reportingComponent", "reportingInstance"}) {
    object.emplace(key, "");
  }
  for (const std::string_view key : {"involvedObject", "source"}) {
    object.emplace(key, json::object());
  }
}

std::vector<FieldError> validate_builtin_update(const ResourceType& type, const json::object& before,
                                                const json::object& after) {
  const std::string_view old_id = find_text(before, {"spec", "providerID"});
  if (type.resource() != "nodes" || old_id.empty() || old_id == find_text(after, {"spec", "providerID"})) {
    return {};
  }
  return {
      forbidden_value("spec.providerID", "node updates may not change providerID except from \"\" to valid")};
}

bool is_definition(const ResourceType& type) {
  return type.resource() == "customresourcedefinitions.apiextensions.k8s.io";
}

bool is_namespace(const ResourceType& type) { return type.resource() == "namespaces"; }

void complete_builtin(const ResourceType& type, json::object& object) {
  if (is_definition(type)) {
    complete_definition(object);
  } else if (is_namespace(type)) {
    json::object& metadata = child(object, "metadata");
    // A copy: putting "labels" there moves what the view points into.
    const std::string name(find_text(metadata, {"name"}));
    child(metadata, "labels")["kubernetes.io/metadata.name"] = name;
    json::array finalizers;
    finalizers.emplace_back("kubernetes");
    child(object, "spec")["finalizers"] = std::move(finalizers);
    child(object, "status")["phase"] = "Active";
  }
}

std::vector<FieldError> validate_builtin(const ResourceType& type, const json::object& object) {
  if (is_definition(type)) {
    return validate_definition(object);
  }
  return type.resource() == "events" ? validate_event(object) : std::vector<FieldError>();
}

}  // namespace berth::sandbox::kube
