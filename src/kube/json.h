#pragma once
// Reading JSON of a server that may send anything: nothing here throws, and a value of another type than
// expected is an answer, not an accident.

#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace berth::kube {

using JsonPath = std::initializer_list<std::string_view>;

/// `text` as one JSON object. kInternal with a sentence that begins with what was found: "not JSON: …".
Result<boost::json::object> parse_object(std::string_view text);

/// The value at `path`; null where any key on the way is missing or is no object.
const boost::json::value* value_at(const boost::json::object& object, JsonPath path);

/// The text at `path`; empty where there is none.
std::string string_at(const boost::json::object& object, JsonPath path);

/// What a value is, for a sentence: "a number", "null", "a list".
std::string_view type_of(const boost::json::value& value);

/// The beginning of a text from outside, printable and on one line, for a sentence.
std::string excerpt(std::string_view text);

}  // namespace berth::kube
