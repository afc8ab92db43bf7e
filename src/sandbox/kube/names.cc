#include "sandbox/kube/names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

bool is_qualified_part(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t most) { return fmt::format("must be no more than {} characters", most); }

}  // namespace

std::string wrong_subdomain(std::string_view name) {
  if (name.size() > 253) {
    return too_long(253);
  }
  if (is_subdomain(name)) {
    return {};
  }
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
         "must "
         "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::string wrong_dns_label(std::string_view name) {
  if (name.size() > 63) {
    return too_long(63);
  }
  if (is_dns_label(name)) {
    return {};
  }
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
         "start and "
         "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::string wrong_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  std::string_view name = key;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (prefix.empty()) {
      return "prefix part must be non-empty";
    }
    if (const std::string wrong = wrong_subdomain(prefix); !wrong.empty()) {
      return "prefix part " + wrong;
    }
  }
  if (name.empty()) {
    return "name part must be non-empty";
  }
  if (name.size() > 63) {
    return "name part " + too_long(63);
  }
  if (is_qualified_part(name)) {
    return {};
  }
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
         "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
         "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
}

std::string wrong_label_value(std::string_view value) {
  if (value.size() > 63) {
    return too_long(63);
  }
  if (value.empty() || is_qualified_part(value)) {
    return {};
  }
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
         "must "
         "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex "
         "used for "
         "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

}  // namespace berth::sandbox::kube
