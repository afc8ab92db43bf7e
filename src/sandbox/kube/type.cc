#include "sandbox/kube/type.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

Error bad_definition(std::string detail) {
  return {ErrorKind::kInvalid, "read definition", std::move(detail)};
}

std::vector<std::string> texts(const json::object& object, Path path) {
  std::vector<std::string> out;
  const json::value* list = find(object, path);
  if (list != nullptr && list->is_array()) {
    for (const json::value& item : list->get_array()) {
      if (item.is_string()) {
        out.emplace_back(item.get_string());
      }
    }
  }
  return out;
}

std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> keys;
  while (!text.empty()) {
    keys.emplace_back(text.substr(0, text.find('.')));
    text.remove_prefix(std::min(text.size(), keys.back().size() + 1));
  }
  return keys;
}

Result<Column> read_column(const json::object& source) {
  auto path = JsonPath::parse(find_text(source, {"jsonPath"}));
  if (!path) {
    return bad_definition(fmt::format("additionalPrinterColumns: {}", path.error().detail));
  }
  Column column{std::string(find_text(source, {"name"})),
                std::string(find_text(source, {"type"})),
                std::string(find_text(source, {"format"})),
                std::string(find_text(source, {"description"})),
                0,
                *std::move(path)};
  if (const json::value* priority = source.if_contains("priority")) {
    column.priority = static_cast<int>(to_double(*priority));
  }
  return column;
}

/// The stored version; of several versions only that one is served.
const json::object* storage_version(const json::object& definition) {
  const json::value* versions = find(definition, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array()) {
    return nullptr;
  }
  for (const json::value& version : versions->get_array()) {
    if (version.is_object() && find_flag(version.get_object(), {"storage"})) {
      return &version.get_object();
    }
  }
  return nullptr;
}

Result<void> read_version(const json::object& version, ResourceType& type) {
  type.version = find_text(version, {"name"});
  type.has_status = find(version, {"subresources", "status"}) != nullptr;
  const json::object* schema = find_object(version, {"schema", "openAPIV3Schema"});
  if (schema == nullptr) {
    return bad_definition("spec.versions: the stored version has no schema.openAPIV3Schema");
  }
  auto compiled = Schema::compile(*schema);
  if (!compiled) {
    return bad_definition(fmt::format("spec.versions.schema.openAPIV3Schema.{}", compiled.error().detail));
  }
  type.schema = *std::move(compiled);
  type.schema_source = std::make_shared<const json::object>(*schema);
  const json::value* columns = version.if_contains("additionalPrinterColumns");
  if (columns != nullptr && columns->is_array()) {
    for (const json::value& source : columns->get_array()) {
      auto column = source.is_object()
                        ? read_column(source.get_object())
                        : Result<Column>(bad_definition("additionalPrinterColumns: no object"));
      if (!column) {
        return std::move(column).error();
      }
      type.columns.push_back(*std::move(column));
    }
  } else {
    auto created = JsonPath::parse(".metadata.creationTimestamp");
    type.columns.push_back({"Age", "date", "", "Time since the object was created", 0, *std::move(created)});
  }
  return {};
}

/// In which habits a built-in type differs; a custom one has its own fixed set.
void read_habits(const json::object& definition, ResourceType& type) {
  const json::object* habits = find_object(definition, {"habits"});
  type.custom = habits == nullptr;
  if (type.custom) {
    type.counts_generations = true;
    return;
  }
  type.counts_generations = find_flag(*habits, {"countsGenerations"});
  type.unconditional_update = find_flag(*habits, {"unconditionalUpdate"});
  type.create_on_update = find_flag(*habits, {"createOnUpdate"});
  type.keeps_status_on_create = find_flag(*habits, {"keepsStatusOnCreate"});
  type.returns_deleted = find_flag(*habits, {"returnsDeleted"});
  type.create_only = find_flag(*habits, {"createOnly"});
  if (const json::object* labels = find_object(*habits, {"fieldLabels"})) {
    for (const auto& [label, path] : *labels) {
      type.field_labels.emplace_back(label, split_path(path.as_string()));
    }
  }
}

}  // namespace

Result<ResourceType> ResourceType::from_definition(const json::object& definition) {
  const json::object* spec = find_object(definition, {"spec"});
  const json::object* version = storage_version(definition);
  if (spec == nullptr || version == nullptr) {
    return bad_definition("spec.versions: must have exactly one version marked as storage version");
  }
  ResourceType type;
  type.group = find_text(*spec, {"group"});
  type.kind = find_text(*spec, {"names", "kind"});
  type.plural = find_text(*spec, {"names", "plural"});
  type.singular = find_text(*spec, {"names", "singular"});
  type.list_kind = find_text(*spec, {"names", "listKind"});
  type.short_names = texts(*spec, {"names", "shortNames"});
  type.categories = texts(*spec, {"names", "categories"});
  type.namespaced = find_text(*spec, {"scope"}) == "Namespaced";
  if (type.kind.empty() || type.plural.empty()) {
    return bad_definition("spec.names: kind and plural are required");
  }
  if (type.list_kind.empty()) {
    type.list_kind = type.kind + "List";
  }
  if (type.singular.empty()) {
    type.singular = type.kind;
    std::ranges::transform(type.singular, type.singular.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  if (auto read = read_version(*version, type); !read) {
    return std::move(read).error();
  }
  read_habits(definition, type);
  return type;
}

TypeTable::TypeTable() {
  auto document = parse_yaml(builtin_types_yaml());
  CHECK(document.ok() && document->is_array());
  for (const json::value& definition : document->get_array()) {
    auto type = ResourceType::from_definition(definition.as_object());
    CHECK(type.ok());
    put(std::make_shared<const ResourceType>(*std::move(type)));
  }
}

TypePtr TypeTable::find(std::string_view group, std::string_view version, std::string_view plural) const {
  const auto found = types_.find(std::pair(std::string(group), std::string(plural)));
  return found != types_.end() && found->second->version == version ? found->second : nullptr;
}

TypePtr TypeTable::find_kind(std::string_view api_version, std::string_view kind) const {
  for (const auto& [key, type] : types_) {
    if (type->kind == kind && type->api_version() == api_version) {
      return type;
    }
  }
  return nullptr;
}

void TypeTable::put(TypePtr type) {
  auto key = std::pair(type->group, type->plural);
  types_.insert_or_assign(std::move(key), std::move(type));
}

void TypeTable::erase(const ResourceType& type) { types_.erase(std::pair(type.group, type.plural)); }

}  // namespace berth::sandbox::kube
