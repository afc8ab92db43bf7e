#pragma once
// Which objects a list or a watch wants: label selectors (equality and sets) and field selectors.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kube/status.h"

namespace berth::sandbox::kube {

using TextMap = std::map<std::string, std::string, std::less<>>;

class Selector {
 public:
  /// Everything.
  Selector() = default;

  /// Either text may be empty. A field selector may name only `type`'s field labels and metadata.name and
  /// metadata.namespace.
  static Outcome<Selector> parse(std::string_view labels, std::string_view fields, const ResourceType& type);

  bool selects_all() const { return labels_.empty() && fields_.empty(); }
  bool matches(const TextMap& labels, const TextMap& fields) const;

 private:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kAbsent, kGreater, kLess };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };

  static Outcome<std::vector<Requirement>> parse_labels(std::string_view text);
  static Outcome<Requirement> parse_requirement(std::string_view text);
  static Outcome<std::vector<Requirement>> parse_fields(std::string_view text, const ResourceType& type);
  static bool holds(const Requirement& requirement, const std::string* value);

  std::vector<Requirement> labels_;
  std::vector<Requirement> fields_;
};

}  // namespace berth::sandbox::kube
