#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kube/discovery.h"

namespace berth::sandbox::kube {
namespace {

/// "api/v1", "apis/cilium.io/v2": where a group's version lives, below the root and below /openapi/v3.
std::string root_of(const ResourceType& type) {
  return type.group.empty() ? "api/" + type.version : "apis/" + type.group + "/" + type.version;
}

/// "io.cilium.v2.CiliumNode": the group's parts the other way round.
std::string schema_name(const ResourceType& type) {
  std::string name;
  std::string_view group =
      type.group.empty() ? std::string_view("core.k8s.io") : std::string_view(type.group);
  while (!group.empty()) {
    const std::string_view part = group.substr(0, group.find('.'));
    name = name.empty() ? std::string(part) : fmt::format("{}.{}", part, name);
    group.remove_prefix(std::min(group.size(), part.size() + 1));
  }
  return fmt::format("{}.{}.{}", name, type.version, type.kind);
}

json::object kind_object(const ResourceType& type) {
  return {{"group", type.group}, {"version", type.version}, {"kind", type.kind}};
}

json::object schema_object(const ResourceType& type) {
  json::object schema = *type.schema_source;
  json::object& properties = child(schema, "properties");
  for (const std::string_view key : {"apiVersion", "kind"}) {
    if (!properties.contains(key)) {
      properties[key] = json::object{{"type", "string"}};
    }
  }
  if (!properties.contains("metadata")) {
    properties["metadata"] = json::object{{"type", "object"}};
  }
  json::array kinds;
  kinds.push_back(kind_object(type));
  schema["x-kubernetes-group-version-kind"] = std::move(kinds);
  return schema;
}

json::object operation(const ResourceType& type, std::string_view action) {
  json::array parameters;
  for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation"}) {
    parameters.push_back(json::object{{"name", name},
                                      {"in", "query"},
                                      {"schema", json::object{{"type", "string"}, {"uniqueItems", true}}}});
  }
  json::object reference = {{"$ref", "#/components/schemas/" + schema_name(type)}};
  json::object content = {{"application/json", json::object{{"schema", std::move(reference)}}}};
  json::object ok = {{"description", "OK"}, {"content", std::move(content)}};
  return {{"parameters", std::move(parameters)},
          {"responses", json::object{{"200", std::move(ok)}}},
          {"x-kubernetes-action", action},
          {"x-kubernetes-group-version-kind", kind_object(type)}};
}

json::object index_document(const TypeTable& types) {
  json::object paths;
  for (const auto& [key, type] : types.all()) {
    paths[root_of(*type)] = json::object{{"serverRelativeURL", "/openapi/v3/" + root_of(*type)}};
  }
  return {{"paths", std::move(paths)}};
}

}  // namespace

std::optional<json::object> openapi_document(const TypeTable& types,
                                             const std::vector<std::string>& segments) {
  if (segments.size() == 2) {
    return index_document(types);
  }
  const std::vector<std::string> below(segments.begin() + 2, segments.end());
  const std::string root = fmt::format("{}", fmt::join(below, "/"));
  json::object paths;
  json::object schemas;
  for (const auto& [key, type] : types.all()) {
    if (root_of(*type) != root) {
      continue;
    }
    const std::string collection =
        fmt::format("/{}/{}{}", root, type->namespaced ? "namespaces/{namespace}/" : "", type->plural);
    paths[collection] = json::object{{"post", operation(*type, "post")}};
    paths[collection + "/{name}"] =
        json::object{{"patch", operation(*type, "patch")}, {"put", operation(*type, "put")}};
    schemas[schema_name(*type)] = schema_object(*type);
  }
  if (schemas.empty()) {
    return std::nullopt;
  }
  return json::object{{"openapi", "3.0.0"},
                      {"info", json::object{{"title", "Kubernetes"}, {"version", "v1.32.0"}}},
                      {"paths", std::move(paths)},
                      {"components", json::object{{"schemas", std::move(schemas)}}}};
}

}  // namespace berth::sandbox::kube
