#include "sandbox/kube/discovery.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

json::array to_array(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) {
    out.emplace_back(text);
  }
  return out;
}

json::array words(std::initializer_list<std::string_view> texts) {
  json::array out;
  for (const std::string_view text : texts) {
    out.emplace_back(text);
  }
  return out;
}

json::object client_addresses() { return {{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", "127.0.0.1:443"}}; }

json::object api_versions() {
  json::array addresses;
  addresses.push_back(client_addresses());
  return {{"kind", "APIVersions"},
          {"versions", words({"v1"})},
          {"serverAddressByClientCIDRs", std::move(addresses)}};
}

/// One group with the versions that are served of it.
json::object group_object(const std::string& name, const std::set<std::string>& versions) {
  json::array list;
  for (const std::string& version : versions) {
    list.push_back(json::object{{"groupVersion", fmt::format("{}/{}", name, version)}, {"version", version}});
  }
  json::value preferred = list.front();
  return {{"name", name}, {"versions", std::move(list)}, {"preferredVersion", std::move(preferred)}};
}

std::map<std::string, std::set<std::string>> named_groups(const TypeTable& types) {
  std::map<std::string, std::set<std::string>> groups;
  for (const auto& [key, type] : types.all()) {
    if (!type->group.empty()) {
      groups[type->group].insert(type->version);
    }
  }
  return groups;
}

json::object group_list(const TypeTable& types) {
  json::array groups;
  for (const auto& [name, versions] : named_groups(types)) {
    groups.push_back(group_object(name, versions));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

json::object resource_object(const ResourceType& type) {
  json::object resource = {{"name", type.plural},
                           {"singularName", type.singular},
                           {"namespaced", type.namespaced},
                           {"kind", type.kind}};
  resource["verbs"] =
      type.create_only
          ? words({"create"})
          : words({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
  if (!type.short_names.empty()) {
    resource["shortNames"] = to_array(type.short_names);
  }
  if (!type.categories.empty()) {
    resource["categories"] = to_array(type.categories);
  }
  return resource;
}

json::object status_resource_object(const ResourceType& type) {
  return {{"name", type.plural + "/status"},
          {"singularName", ""},
          {"namespaced", type.namespaced},
          {"kind", type.kind},
          {"verbs", words({"get", "patch", "update"})}};
}

std::optional<json::object> resource_list(const TypeTable& types, std::string_view group,
                                          std::string_view version) {
  json::array resources;
  std::string api_version;
  for (const auto& [key, type] : types.all()) {
    if (type->group != group || type->version != version) {
      continue;
    }
    api_version = type->api_version();
    resources.push_back(resource_object(*type));
    if (type->has_status) {
      resources.push_back(status_resource_object(*type));
    }
  }
  if (resources.empty()) {
    return std::nullopt;
  }
  return json::object{{"kind", "APIResourceList"},
                      {"apiVersion", "v1"},
                      {"groupVersion", api_version},
                      {"resources", std::move(resources)}};
}

}  // namespace

json::object version_document() {
  return {{"major", "1"},        {"minor", "32"},           {"gitVersion", "v1.32.0+berth-sandbox"},
          {"gitCommit", ""},     {"gitTreeState", "clean"}, {"buildDate", "2024-12-11T00:00:00Z"},
          {"goVersion", "none"}, {"compiler", "clang"},     {"platform", "linux/amd64"}};
}

std::optional<json::object> discovery_document(const TypeTable& types,
                                               const std::vector<std::string>& segments) {
  if (segments.size() == 1 && segments[0] == "api") {
    return api_versions();
  }
  if (segments.size() == 1 && segments[0] == "apis") {
    return group_list(types);
  }
  if (segments.size() == 2 && segments[0] == "api") {
    return resource_list(types, "", segments[1]);
  }
  if (segments.size() == 2 && segments[0] == "apis") {
    const auto groups = named_groups(types);
    const auto found = groups.find(segments[1]);
    if (found == groups.end()) {
      return std::nullopt;
    }
    json::object group = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
    for (auto& entry : group_object(found->first, found->second)) {
      group[entry.key()] = entry.value();
    }
    return group;
  }
  if (segments.size() == 3 && segments[0] == "apis") {
    return resource_list(types, segments[1], segments[2]);
  }
  return std::nullopt;
}

}  // namespace berth::sandbox::kube
