#include "sandbox/kube/incoming.h"

#include <utility>

#include <fmt/format.h>

#include "sandbox/kube/builtin_rules.h"
#include "sandbox/kube/names.h"

namespace berth::sandbox::kube {
namespace {

// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
constexpr std::string_view kMetadataSchema = R"(
type: object
properties:
  name: {type: string, nullable: true}
  generateName: {type: string, nullable: true}
  namespace: {type: string, nullable: true}
  selfLink: {type: string, nullable: true}
  uid: {type: string, nullable: true}
  resourceVersion: {type: string, nullable: true}
  generation: {type: integer, nullable: true}
  creationTimestamp: {type: string, format: date-time, nullable: true}
  deletionTimestamp: {type: string, format: date-time, nullable: true}
  deletionGracePeriodSeconds: {type: integer, nullable: true}
  labels: {type: object, nullable: true, additionalProperties: {type: string}}
  annotations: {type: object, nullable: true, additionalProperties: {type: string}}
  finalizers: {type: array, nullable: true, items: {type: string}}
  ownerReferences:
    type: array
    nullable: true
    items:
      type: object
      properties:
        apiVersion: {type: string}
        kind: {type: string}
        name: {type: string}
        uid: {type: string}
        controller: {type: boolean, nullable: true}
        blockOwnerDeletion: {type: boolean, nullable: true}
  managedFields: {type: array, nullable: true, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

constexpr std::size_t kMaxAnnotationsBytes = std::size_t{256} * 1024;

const Schema& metadata_schema() {
  static const Schema schema = [] {
    auto source = parse_yaml(kMetadataSchema);
    CHECK(source.ok());
    auto compiled = Schema::compile(source->as_object());
    CHECK(compiled.ok());
    return *std::move(compiled);
  }();
  return schema;
}

/// Go's decoder knows no null beside "absent".
void drop_nulls(json::value& value) {
  if (json::array* array = value.if_array()) {
    for (json::value& item : *array) {
      drop_nulls(item);
    }
  } else if (json::object* object = value.if_object()) {
    std::vector<std::string> nulls;
    for (auto& [key, inner] : *object) {
      if (inner.is_null()) {
        nulls.emplace_back(key);
      } else {
        drop_nulls(inner);
      }
    }
    for (const std::string& key : nulls) {
      object->erase(key);
    }
  }
}

bool is_empty(const json::value& value) {
  return (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty()) || (value.is_object() && value.get_object().empty());
}

/// Of a type error against a Go type, in Go's words.
Failure unmarshal_failure(const ResourceType& type, const FieldError& error) {
  return bad_request(
      fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: json: cannot unmarshal into "
                  "Go struct field {0}.{2}: {3}",
                  type.kind, type.version, error.field, error.message));
}

Outcome<> decode_metadata(const ResourceType& type, Incoming& incoming) {
  json::value& value = incoming.object["metadata"];
  if (value.is_null()) {
    value.emplace_object();
  }
  for (FieldError& error : metadata_schema().validate(value)) {
    error.field = error.field.empty() ? "metadata" : "metadata." + error.field;
    return refuse(unmarshal_failure(type, error));
  }
  drop_nulls(value);
  json::object& metadata = value.get_object();
  std::vector<std::string> unknown;
  metadata_schema().prune(metadata, unknown);
  for (const std::string& path : unknown) {
    incoming.unknown.push_back("metadata." + path);
  }
  std::vector<std::string> empty = {"managedFields", "selfLink"};
  for (const auto& [key, inner] : metadata) {
    if (is_empty(inner)) {
      empty.emplace_back(key);
    }
  }
  for (const std::string& key : empty) {
    metadata.erase(key);
  }
  return {};
}

Outcome<> check_kind(const ResourceType& type, json::object& object) {
  const std::string_view kind = find_text(object, {"kind"});
  const std::string_view api_version = find_text(object, {"apiVersion"});
  if (type.custom && (kind.empty() || api_version.empty())) {
    return refuse(bad_request(fmt::format("Object '{}' is missing in '{}'",
                                          kind.empty() ? "Kind" : "apiVersion", json::serialize(object))));
  }
  if (!api_version.empty() && api_version != type.api_version()) {
    return refuse(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    api_version, type.api_version())));
  }
  if (!kind.empty() && kind != type.kind) {
    return refuse(invalid_kind(type.group, kind, find_text(object, {"metadata", "name"}),
                               {invalid_value("kind", json::value(kind), "must be " + type.kind)}));
  }
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  return {};
}

void validate_labels(const json::object& metadata, std::vector<FieldError>& errors) {
  if (const json::object* labels = find_object(metadata, {"labels"})) {
    for (const auto& [key, value] : *labels) {
      if (const std::string wrong = wrong_label_key(key); !wrong.empty()) {
        errors.push_back(invalid_value("metadata.labels", json::value(key), wrong));
      }
      if (const std::string wrong = wrong_label_value(value.get_string()); !wrong.empty()) {
        errors.push_back(invalid_value("metadata.labels", value, wrong));
      }
    }
  }
  std::size_t bytes = 0;
  if (const json::object* annotations = find_object(metadata, {"annotations"})) {
    for (const auto& [key, value] : *annotations) {
      if (const std::string wrong = wrong_label_key(key); !wrong.empty()) {
        errors.push_back(invalid_value("metadata.annotations", json::value(key), wrong));
      }
      bytes += key.size() + value.get_string().size();
    }
  }
  if (bytes > kMaxAnnotationsBytes) {
    errors.push_back({"FieldValueTooLong", "metadata.annotations",
                      fmt::format("Too long: must have at most {} bytes", kMaxAnnotationsBytes)});
  }
}

void validate_owners(const json::object& metadata, std::vector<FieldError>& errors) {
  const json::value* owners = metadata.if_contains("ownerReferences");
  const json::value* finalizers = metadata.if_contains("finalizers");
  for (std::size_t i = 0; owners != nullptr && i < owners->get_array().size(); ++i) {
    const json::object& owner = owners->get_array()[i].get_object();
    for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
      if (find_text(owner, {key}).empty()) {
        errors.push_back(
            invalid_value(fmt::format("metadata.ownerReferences.{}", key), "",
                          fmt::format("{} must not be empty", key == "apiVersion" ? "version" : key)));
      }
    }
  }
  for (std::size_t i = 0; finalizers != nullptr && i < finalizers->get_array().size(); ++i) {
    const json::value& finalizer = finalizers->get_array()[i];
    if (const std::string wrong = wrong_label_key(finalizer.get_string()); !wrong.empty()) {
      errors.push_back(invalid_value("metadata.finalizers", finalizer, wrong));
    }
  }
}

std::vector<FieldError> validate_metadata(const ResourceType& type, const json::object& metadata) {
  std::vector<FieldError> errors;
  const std::string_view name = find_text(metadata, {"name"});
  const bool is_space = type.group.empty() && type.plural == "namespaces";
  if (name.empty()) {
    errors.push_back(required_value("metadata.name", "name or generateName is required"));
  } else if (const std::string wrong = is_space ? wrong_dns_label(name) : wrong_subdomain(name);
             !wrong.empty()) {
    errors.push_back(invalid_value("metadata.name", json::value(name), wrong));
  }
  validate_labels(metadata, errors);
  validate_owners(metadata, errors);
  return errors;
}

}  // namespace

Outcome<Incoming> decode(const ResourceType& type, json::value body) {
  if (!body.is_object()) {
    return refuse(
        bad_request(fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                                "version/kind; json parse error: the body is not an object",
                                type.kind)));
  }
  if (!type.custom) {
    drop_nulls(body);
  }
  Incoming incoming{std::move(body.get_object()), {}};
  if (auto checked = check_kind(type, incoming.object); !checked) {
    return refuse(std::move(checked).error());
  }
  if (auto decoded = decode_metadata(type, incoming); !decoded) {
    return refuse(std::move(decoded).error());
  }
  type.schema.prune(incoming.object, incoming.unknown);
  json::value whole = std::move(incoming.object);
  type.schema.fill_defaults(whole);
  if (!type.custom) {
    for (const FieldError& error : type.schema.validate(whole)) {
      if (error.reason == "FieldValueTypeInvalid") {
        return refuse(unmarshal_failure(type, error));
      }
    }
  }
  incoming.object = std::move(whole.get_object());
  return incoming;
}

std::vector<FieldError> validate_object(const ResourceType& type, const json::object& object) {
  std::vector<FieldError> errors = validate_metadata(type, object.at("metadata").as_object());
  for (FieldError& error : type.schema.validate(json::value(object))) {
    errors.push_back(std::move(error));
  }
  for (FieldError& error : validate_builtin(type, object)) {
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace berth::sandbox::kube
