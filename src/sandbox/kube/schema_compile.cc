#include <array>

#include <fmt/format.h>

#include "sandbox/kube/schema.h"

namespace berth::sandbox::kube {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"string",  "integer", "number",
                                                    "boolean", "array",   "object"};

Error bad_schema(std::string detail) { return {ErrorKind::kInvalid, "read schema", std::move(detail)}; }

std::optional<std::size_t> read_size(const json::object& source, std::string_view key) {
  const json::value* value = source.if_contains(key);
  return value != nullptr && is_integer(*value) && to_double(*value) >= 0
             ? std::optional(static_cast<std::size_t>(to_double(*value)))
             : std::nullopt;
}

std::optional<double> read_number(const json::object& source, std::string_view key) {
  const json::value* value = source.if_contains(key);
  return value != nullptr && value->is_number() ? std::optional(to_double(*value)) : std::nullopt;
}

}  // namespace

Result<Schema> Schema::compile(const json::object& source) {
  Schema schema;
  schema.type_ = find_text(source, {"type"});
  if (!schema.type_.empty() && std::ranges::find(kTypes, schema.type_) == kTypes.end()) {
    return bad_schema(
        fmt::format("type: \"{}\" is none of string, integer, number, boolean, array, object", schema.type_));
  }
  schema.format_ = find_text(source, {"format"});
  schema.nullable_ = find_flag(source, {"nullable"});
  schema.preserve_unknown_ = find_flag(source, {"x-kubernetes-preserve-unknown-fields"});
  schema.int_or_string_ = find_flag(source, {"x-kubernetes-int-or-string"});
  if (const json::value* value = source.if_contains("default")) {
    schema.default_ = *value;
  }
  if (const json::value* value = source.if_contains("enum"); value != nullptr && value->is_array()) {
    schema.enum_ = value->get_array();
  }
  if (const json::value* names = source.if_contains("required"); names != nullptr && names->is_array()) {
    for (const json::value& name : names->get_array()) {
      if (name.is_string()) {
        schema.required_.emplace_back(name.get_string());
      }
    }
  }
  schema.read_limits(source);
  schema.pattern_text_ = find_text(source, {"pattern"});
  if (!schema.pattern_text_.empty()) {
    try {
      schema.pattern_ = std::make_shared<const std::regex>(schema.pattern_text_);
    } catch (const std::regex_error& error) {
      return bad_schema(fmt::format("pattern: \"{}\": {}", schema.pattern_text_, error.what()));
    }
  }
  if (auto read = schema.read_children(source); !read) {
    return std::move(read).error();
  }
  return schema;
}

void Schema::read_limits(const json::object& source) {
  minimum_ = read_number(source, "minimum");
  maximum_ = read_number(source, "maximum");
  exclusive_minimum_ = find_flag(source, {"exclusiveMinimum"});
  exclusive_maximum_ = find_flag(source, {"exclusiveMaximum"});
  min_length_ = read_size(source, "minLength");
  max_length_ = read_size(source, "maxLength");
  min_items_ = read_size(source, "minItems");
  max_items_ = read_size(source, "maxItems");
  min_properties_ = read_size(source, "minProperties");
  max_properties_ = read_size(source, "maxProperties");
}

Result<void> Schema::read_children(const json::object& source) {
  const auto compile_child = [](const json::value& value, std::string_view where) -> Result<Ptr> {
    if (!value.is_object()) {
      return bad_schema(fmt::format("{}: not an object", where));
    }
    auto compiled = compile(value.get_object());
    if (!compiled) {
      return bad_schema(fmt::format("{}.{}", where, compiled.error().detail));
    }
    return std::make_shared<const Schema>(*std::move(compiled));
  };
  if (const json::object* properties = find_object(source, {"properties"})) {
    for (const auto& [name, value] : *properties) {
      auto compiled = compile_child(value, fmt::format("properties.{}", std::string_view(name)));
      if (!compiled) {
        return std::move(compiled).error();
      }
      properties_.emplace_back(name, *std::move(compiled));
    }
  }
  if (const json::value* items = source.if_contains("items")) {
    auto compiled = compile_child(*items, "items");
    if (!compiled) {
      return std::move(compiled).error();
    }
    items_ = *std::move(compiled);
  }
  const json::value* additional = source.if_contains("additionalProperties");
  if (additional != nullptr && additional->is_bool()) {
    additional_allowed_ = additional->get_bool();
  } else if (additional != nullptr) {
    auto compiled = compile_child(*additional, "additionalProperties");
    if (!compiled) {
      return std::move(compiled).error();
    }
    additional_ = *std::move(compiled);
  }
  return {};
}

}  // namespace berth::sandbox::kube
