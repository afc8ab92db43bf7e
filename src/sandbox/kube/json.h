#pragma once
// Looking into JSON that anybody may have sent: every look is a question, and "absent" and "of another type"
// are the same answer. Also the one YAML reader, since the API's own documents are YAML.

#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace berth::sandbox::kube {

namespace json = boost::json;

using Path = std::initializer_list<std::string_view>;

/// What lies at the end of `path`, or null.
const json::value* find(const json::object& object, Path path);
const json::object* find_object(const json::object& object, Path path);
/// Empty where there is no text there.
std::string_view find_text(const json::object& object, Path path);
bool find_flag(const json::object& object, Path path);

/// The object under `key`, put there if there is none.
json::object& child(json::object& object, std::string_view key);

/// kInvalid says what and where. Nesting is bounded, so that no text can exhaust the stack.
Result<json::value> parse_json(std::string_view text);
/// The first document of a YAML text; scalars as YAML 1.2's core schema types them.
Result<json::value> parse_yaml(std::string_view text);

/// "string", "integer", "number", "boolean", "array", "object", "null".
std::string_view type_name(const json::value& value);

/// A number with an integral value counts as an integer, however it is written.
bool is_integer(const json::value& value);
/// 0 where the value is no number.
double to_double(const json::value& value);

}  // namespace berth::sandbox::kube
