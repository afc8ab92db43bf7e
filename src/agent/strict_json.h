#pragma once
// JSON as a person wrote it: a key that is there twice is there twice, a number keeps its digits, and a text
// that is not one whole document is an error that says where. Parsers made for machines keep the last of two
// keys and turn 3.0 into 3, and so hide what a message has to show.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::agent {

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kList, kObject };

  Kind kind = Kind::kNull;
  bool truth = false;
  std::string text;                 // of a string: its characters; of a number: its digits as written
  std::vector<JsonValue> elements;  // of a list
  std::vector<JsonMember> members;  // of an object, in order; a key may be there more than once

  bool is(Kind wanted) const { return kind == wanted; }
  /// The first member of that name; null where there is none. Stays valid as long as this value.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// One document and nothing else, nested at most 32 levels deep. kInvalid; the detail says what is wrong and
/// in which line and column (both from 1, columns in bytes).
Result<JsonValue> parse_strict_json(std::string_view bytes);

/// `null`, `the number 3.5`, `the string "3"`, `a list`: what a value is, for a message. Long strings are
/// cut.
std::string describe(const JsonValue& value);

/// `text` in quotes with its quotes and control characters escaped, cut after 60 characters.
std::string quoted(std::string_view text);

}  // namespace berth::agent
