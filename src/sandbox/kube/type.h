#pragma once
// What a type of object is: its names, its schema, its columns, and the habits in which built-in types differ
// from custom ones. Custom types come from a CustomResourceDefinition object, the built-in ones from a
// document of the same form. What cannot be said in such a document is in builtin_rules.h.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sandbox/kube/json.h"
#include "sandbox/kube/json_path.h"
#include "sandbox/kube/schema.h"

namespace berth::sandbox::kube {

struct Column {
  std::string name;
  std::string type;  // "string", "integer", "date", …
  std::string format;
  std::string description;
  int priority = 0;  // above 0: only with -o wide
  JsonPath path;
};

struct ResourceType {
  std::string group;
  std::string version;
  std::string kind;
  std::string list_kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = false;
  bool custom = false;
  bool has_status = false;
  bool counts_generations = false;    // metadata.generation
  bool unconditional_update = false;  // a PUT may come without a resourceVersion
  bool create_on_update = false;      // a PUT may create
  bool keeps_status_on_create = false;
  bool returns_deleted = false;  // DELETE answers with the object, not with a Status
  bool create_only = false;      // a question, not a thing: nothing is stored
  std::vector<std::pair<std::string, std::vector<std::string>>> field_labels;  // field selector -> path
  std::vector<Column> columns;
  std::shared_ptr<const json::object> schema_source;  // as the document has it
  Schema schema;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  /// "ciliumnodes.cilium.io", "nodes": as messages name it, and its key everywhere.
  std::string resource() const { return group.empty() ? plural : plural + "." + group; }

  /// From a CustomResourceDefinition, or a document of that form. kInvalid names what is wrong.
  static Result<ResourceType> from_definition(const json::object& definition);
};

using TypePtr = std::shared_ptr<const ResourceType>;

/// All types that are served. A caller keeps its TypePtr: a definition may be replaced meanwhile.
class TypeTable {
 public:
  /// The built-in types.
  TypeTable();

  TypePtr find(std::string_view group, std::string_view version, std::string_view plural) const;
  /// By the apiVersion and kind of an object.
  TypePtr find_kind(std::string_view api_version, std::string_view kind) const;

  void put(TypePtr type);
  void erase(const ResourceType& type);

  /// In the order of group and plural.
  const std::map<std::pair<std::string, std::string>, TypePtr>& all() const { return types_; }

 private:
  std::map<std::pair<std::string, std::string>, TypePtr> types_;
};

/// The YAML of the built-in types.
std::string_view builtin_types_yaml();

}  // namespace berth::sandbox::kube
