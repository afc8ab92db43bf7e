#include "kube/json.h"

#include <new>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// Boost.JSON stops at 32 by default. CustomResourceDefinitions nest their schemas deeper than that; beyond
// 256 nobody has an object, and the destructor, which recurses, is far from the end of the stack.
constexpr std::size_t kMaxDepth = 256;

constexpr std::size_t kExcerptBytes = 80;

}  // namespace

Result<boost::json::object> parse_object(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::error_code failure;
  boost::json::value value = boost::json::parse(text, failure, {}, options);
  if (failure) {
    return Error{.kind = ErrorKind::kInternal,
                 .operation = "",
                 .detail = text.empty()
                               ? std::string("nothing")
                               : fmt::format("not JSON ({}): \"{}\"", failure.message(), excerpt(text))};
  }
  if (!value.is_object()) {
    return Error{.kind = ErrorKind::kInternal,
                 .operation = "",
                 .detail = fmt::format("{}, not an object: \"{}\"", type_of(value), excerpt(text))};
  }
  return std::move(value.get_object());
}

const boost::json::value* value_at(const boost::json::object& object, JsonPath path) {
  const boost::json::object* at = &object;
  const boost::json::value* found = nullptr;
  for (const std::string_view key : path) {
    found = at == nullptr ? nullptr : at->if_contains({key.data(), key.size()});
    if (found == nullptr) {
      return nullptr;
    }
    at = found->if_object();
  }
  return found;
}

std::string string_at(const boost::json::object& object, JsonPath path) {
  const boost::json::value* value = value_at(object, path);
  const boost::json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

std::string_view type_of(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return "a number";
    case boost::json::kind::string:
      return "a string";
    case boost::json::kind::array:
      return "a list";
    case boost::json::kind::object:
      return "an object";
  }
  return "a value";
}

std::string excerpt(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kExcerptBytes)) {
    shown += c >= ' ' && c <= '~' ? c : ' ';
  }
  return text.size() > kExcerptBytes ? shown + "…" : shown;
}

}  // namespace berth::kube
