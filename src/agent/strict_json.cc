#include "agent/strict_json.h"

#include <algorithm>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace berth::agent {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxShown = 60;  // characters of a value in a message

/// What basic_parser calls as it reads. The names are Boost.JSON's.
class TreeBuilder {
 public:
  // NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  // NOLINTEND(readability-identifier-naming)

  JsonValue take() { return std::move(root_); }

  // A handler's signature is fixed, so some parameters go unused.
  // NOLINTBEGIN(misc-unused-parameters)
  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return open(JsonValue::Kind::kList); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }
  bool on_object_begin(json::error_code&) { return open(JsonValue::Kind::kObject); }
  bool on_object_end(std::size_t, json::error_code&) { return close(); }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) { return gather(part); }
  bool on_string(json::string_view last, std::size_t, json::error_code&) {
    return gather(last) && add_text(JsonValue::Kind::kString);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) { return gather(part); }
  bool on_key(json::string_view last, std::size_t, json::error_code&) {
    gather(last);
    keys_.push_back(std::exchange(text_, {}));
    return true;
  }
  bool on_number_part(json::string_view part, json::error_code&) { return gather(part); }
  bool on_int64(std::int64_t, json::string_view last, json::error_code&) { return add_number(last); }
  bool on_uint64(std::uint64_t, json::string_view last, json::error_code&) { return add_number(last); }
  bool on_double(double, json::string_view last, json::error_code&) { return add_number(last); }
  bool on_bool(bool truth, json::error_code&) {
    JsonValue value;
    value.kind = JsonValue::Kind::kBool;
    value.truth = truth;
    return add(std::move(value));
  }
  bool on_null(json::error_code&) { return add(JsonValue{}); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }
  // NOLINTEND(misc-unused-parameters)

 private:
  bool gather(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool add_number(json::string_view last) { return gather(last) && add_text(JsonValue::Kind::kNumber); }
  bool add_text(JsonValue::Kind kind) {
    JsonValue value;
    value.kind = kind;
    value.text = std::exchange(text_, {});
    return add(std::move(value));
  }

  bool open(JsonValue::Kind kind) {
    JsonValue value;
    value.kind = kind;
    open_.push_back(std::move(value));
    return true;
  }
  bool close() {
    JsonValue done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is(JsonValue::Kind::kList)) {
      open_.back().elements.push_back(std::move(value));
    } else {
      open_.back().members.push_back({std::move(keys_.back()), std::move(value)});
      keys_.pop_back();
    }
    return true;
  }

  JsonValue root_;
  std::vector<JsonValue> open_;    // the lists and objects around the next value, outermost first
  std::vector<std::string> keys_;  // read, and waiting for their values
  std::string text_;               // of the string, key or number that is being read
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// "line 3, column 14": where the byte at `offset` stands.
std::string place(std::string_view bytes, std::size_t offset) {
  const std::string_view before = bytes.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column = offset - (last_break == std::string_view::npos ? 0 : last_break + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// What stands at `offset`, up to the end of its line.
std::string found_at(std::string_view bytes, std::size_t offset) {
  std::string_view rest = bytes.substr(offset);
  rest = rest.substr(0, std::min(rest.find_first_of("\r\n"), std::size_t{20}));
  return rest.empty() ? "the end of the line" : quoted(rest);
}

Error invalid(std::string detail) {
  return Error{.kind = ErrorKind::kInvalid, .operation = {}, .detail = std::move(detail)};
}

Error not_a_document(std::string_view bytes, std::size_t offset, const json::error_code& ec) {
  if (ec == json::error::incomplete || offset >= bytes.size()) {
    return invalid(
        fmt::format("ends in the middle of its JSON, at {}: it is half-written or cut off; complete it",
                    place(bytes, bytes.size())));
  }
  if (ec == json::error::too_deep) {
    return invalid(fmt::format("is nested more than {} levels deep, at {}", kMaxDepth, place(bytes, offset)));
  }
  return invalid(fmt::format("is not JSON: {} at {}, found {}", ec.message(), place(bytes, offset),
                             found_at(bytes, offset)));
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  return found == members.end() ? nullptr : &found->value;
}

Result<JsonValue> parse_strict_json(std::string_view bytes) {
  if (std::ranges::all_of(bytes, is_blank)) {
    return invalid("is empty: it is half-written, or its content is missing");
  }
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<TreeBuilder> parser(options);
  json::error_code ec;
  const std::size_t consumed = parser.write_some(false, bytes.data(), bytes.size(), ec);
  if (ec) {
    return not_a_document(bytes, consumed, ec);
  }
  if (consumed < bytes.size()) {
    return invalid(
        fmt::format("goes on after the end of its JSON, at {}, with {}: two files in one, or the rest "
                    "of an older one",
                    place(bytes, consumed), found_at(bytes, consumed)));
  }
  return parser.handler().take();
}

std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, kMaxShown));
  if (shown.size() < text.size()) {
    // Not in the middle of a UTF-8 character.
    while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xC0U) == 0x80U) {
      shown.pop_back();
    }
    shown += "…";
  }
  return json::serialize(json::value(shown));
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBool:
      return value.truth ? "true" : "false";
    case JsonValue::Kind::kNumber:
      return "the number " + value.text.substr(0, kMaxShown);
    case JsonValue::Kind::kString:
      return "the string " + quoted(value.text);
    case JsonValue::Kind::kList:
      return "a list";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "null";
}

}  // namespace berth::agent
