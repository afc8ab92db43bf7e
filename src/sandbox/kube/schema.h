#pragma once
// A structural schema: what an object of one type may hold. It defaults, prunes and validates, in that order,
// as a real server does with the OpenAPI v3 schema of a CustomResourceDefinition. Combinators (anyOf, not, …)
// and CEL rules are not looked at.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sandbox/kube/json.h"
#include "sandbox/kube/status.h"

namespace berth::sandbox::kube {

class Schema {
 public:
  /// Everything is allowed.
  Schema() = default;

  /// From the JSON of an openAPIV3Schema; kInvalid names the keyword that is wrong.
  static Result<Schema> compile(const json::object& source);

  /// Removes what the schema does not know and adds its path ("spec.foo") to `removed`; also removes nulls
  /// where the schema knows a value that may not be null.
  void prune(json::object& object, std::vector<std::string>& removed) const;

  /// Puts defaults where a key is absent.
  void fill_defaults(json::value& value) const;

  /// All that is wrong, in the order of the value.
  std::vector<FieldError> validate(const json::value& value) const;

 private:
  using Ptr = std::shared_ptr<const Schema>;
  using Errors = std::vector<FieldError>;

  const Schema* property(std::string_view key) const;
  void prune_fields(json::object& object, const std::string& path, std::vector<std::string>& removed) const;
  void prune_value(json::value& value, const std::string& path, std::vector<std::string>& removed) const;
  void validate_at(const json::value& value, const std::string& path, Errors& errors) const;
  bool has_right_type(const json::value& value) const;
  void validate_text(const json::value& value, const std::string& path, Errors& errors) const;
  void validate_number(const json::value& value, const std::string& path, Errors& errors) const;
  void validate_array(const json::array& array, const std::string& path, Errors& errors) const;
  void validate_object(const json::object& object, const std::string& path, Errors& errors) const;

  Result<void> read_children(const json::object& source);
  void read_limits(const json::object& source);

  std::string type_;  // empty: any
  std::string format_;
  bool nullable_ = false;
  bool preserve_unknown_ = false;
  bool int_or_string_ = false;
  bool additional_allowed_ = false;  // additionalProperties: true
  std::vector<std::pair<std::string, Ptr>> properties_;
  Ptr additional_;
  Ptr items_;
  std::vector<std::string> required_;
  json::array enum_;
  std::optional<json::value> default_;
  std::optional<double> minimum_;
  std::optional<double> maximum_;
  bool exclusive_minimum_ = false;
  bool exclusive_maximum_ = false;
  std::optional<std::size_t> min_length_;
  std::optional<std::size_t> max_length_;
  std::optional<std::size_t> min_items_;
  std::optional<std::size_t> max_items_;
  std::optional<std::size_t> min_properties_;
  std::optional<std::size_t> max_properties_;
  std::string pattern_text_;
  std::shared_ptr<const std::regex> pattern_;
};

}  // namespace berth::sandbox::kube
