#include "aws/names.h"

#include <algorithm>

namespace berth::aws {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kInstancePrefix = "i-";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

bool all_lower_digit_or(std::string_view text, char extra) {
  return std::ranges::all_of(text, [extra](char c) { return is_digit(c) || is_lower(c) || c == extra; });
}

}  // namespace

bool is_instance_id(std::string_view text) {
  return text.size() > kInstancePrefix.size() && text.size() <= kLongestName &&
         text.starts_with(kInstancePrefix) && all_lower_digit_or(text.substr(kInstancePrefix.size()), '0');
}

bool is_region_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && text.front() != '-' && text.back() != '-' &&
         all_lower_digit_or(text, '-');
}

bool is_zone_name(std::string_view text) {
  return is_region_name(text) && text.size() > 2 && is_lower(text.back()) && is_digit(text[text.size() - 2]);
}

std::string border_group_of_zone(std::string_view zone, std::string_view region) {
  if (is_zone_name(zone)) {
    zone.remove_suffix(1);
  }
  return zone == region ? std::string() : std::string(zone);
}

}  // namespace berth::aws
