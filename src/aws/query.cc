#include "aws/query.h"

#include <utility>

#include <fmt/format.h>

namespace berth::aws {
namespace {

constexpr std::string_view kApiVersion = "2016-11-15";

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

}  // namespace

std::string percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string escape_filter_value(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '*' || c == '?' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

Query::Query(std::string action) : action_(std::move(action)) {
  set("Action", action_);
  set("Version", kApiVersion);
}

Query& Query::set(std::string_view name, std::string_view value) {
  body_ += fmt::format("{}{}={}", body_.empty() ? "" : "&", percent_encode(name), percent_encode(value));
  return *this;
}

Query& Query::set_list(std::string_view name, const std::vector<std::string>& values) {
  std::size_t position = 0;
  for (const std::string& value : values) {
    set(fmt::format("{}.{}", name, ++position), value);
  }
  return *this;
}

Query& Query::filter(std::string_view name, const std::vector<std::string>& values) {
  const std::string prefix = fmt::format("Filter.{}", ++filters_);
  set(prefix + ".Name", name);
  std::size_t position = 0;
  for (const std::string& value : values) {
    set(fmt::format("{}.Value.{}", prefix, ++position), escape_filter_value(value));
  }
  return *this;
}

}  // namespace berth::aws
