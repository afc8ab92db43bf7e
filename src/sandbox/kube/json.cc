#include "sandbox/kube/json.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <yaml-cpp/yaml.h>

namespace berth::sandbox::kube {
namespace {

constexpr std::size_t kMaxDepth = 128;

std::optional<json::value> plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return json::value(nullptr);
  }
  if (text == "true" || text == "True" || text == "TRUE") {
    return json::value(true);
  }
  if (text == "false" || text == "False" || text == "FALSE") {
    return json::value(false);
  }
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer);
      read.ec == std::errc{} && read.ptr == end) {
    return json::value(integer);
  }
  double number = 0;
  if (const auto read = std::from_chars(text.data(), end, number);
      read.ec == std::errc{} && read.ptr == end && std::isfinite(number)) {
    return json::value(number);
  }
  return std::nullopt;
}

json::value from_yaml(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar: {
      const std::string& text = node.Scalar();
      // yaml-cpp tags a quoted scalar "!" and a plain one "?".
      if (node.Tag() == "?") {
        if (auto typed = plain_scalar(text)) {
          return *std::move(typed);
        }
      }
      return json::value(json::string(text));
    }
    case YAML::NodeType::Sequence: {
      json::array array;
      for (const YAML::Node& item : node) {
        array.push_back(from_yaml(item));
      }
      return array;
    }
    case YAML::NodeType::Map: {
      json::object object;
      for (const auto& entry : node) {
        object[entry.first.Scalar()] = from_yaml(entry.second);
      }
      return object;
    }
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      break;
  }
  return nullptr;
}

}  // namespace

const json::value* find(const json::object& object, Path path) {
  const json::object* at = &object;
  const json::value* found = nullptr;
  for (const std::string_view key : path) {
    if (at == nullptr) {
      return nullptr;
    }
    found = at->if_contains(key);
    if (found == nullptr) {
      return nullptr;
    }
    at = found->if_object();
  }
  return found;
}

const json::object* find_object(const json::object& object, Path path) {
  const json::value* found = find(object, path);
  return found == nullptr ? nullptr : found->if_object();
}

std::string_view find_text(const json::object& object, Path path) {
  const json::value* found = find(object, path);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

bool find_flag(const json::object& object, Path path) {
  const json::value* found = find(object, path);
  const bool* flag = found == nullptr ? nullptr : found->if_bool();
  return flag != nullptr && *flag;
}

json::object& child(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_object()) {
    value.emplace_object();
  }
  return value.get_object();
}

Result<json::value> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code failed;
  json::value value = json::parse(text, failed, {}, options);
  if (failed) {
    return Error{ErrorKind::kInvalid, "parse JSON", failed.message()};
  }
  return value;
}

Result<json::value> parse_yaml(std::string_view text) {
  try {
    return from_yaml(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& exception) {
    return Error{ErrorKind::kInvalid, "parse YAML", exception.what()};
  }
}

std::string_view type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string:
      return "string";
    case json::kind::bool_:
      return "boolean";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
    case json::kind::null:
      return "null";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      break;
  }
  return is_integer(value) ? "integer" : "number";
}

bool is_integer(const json::value& value) {
  if (const double* number = value.if_double()) {
    return std::trunc(*number) == *number;
  }
  return value.is_int64() || value.is_uint64();
}

double to_double(const json::value& value) {
  json::error_code failed;
  const auto number = value.to_number<double>(failed);
  return failed ? 0 : number;
}

}  // namespace berth::sandbox::kube
