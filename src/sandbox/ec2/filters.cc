#include "sandbox/ec2/filters.h"

namespace berth::sandbox {
namespace {

constexpr std::size_t kMaxFilters = 50;
constexpr std::size_t kMaxValues = 200;
constexpr std::size_t kMaxLength = 255;

}  // namespace

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  if (pattern.find_first_of("*?\\") == std::string_view::npos) {
    return pattern == text;
  }
  // reached[i]: the pattern so far can match the first i characters of the text.
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    std::vector<bool> next(text.size() + 1, false);
    const char c = pattern[p];
    if (c == '*') {
      bool any = false;
      for (std::size_t i = 0; i <= text.size(); ++i) {
        any = any || reached[i];
        next[i] = any;
      }
    } else {
      const bool is_optional = c == '?';
      const char plain = c == '\\' && p + 1 < pattern.size() ? pattern[++p] : c;
      for (std::size_t i = 0; i <= text.size(); ++i) {
        const bool consumes = i > 0 && reached[i - 1] && (is_optional || text[i - 1] == plain);
        next[i] = consumes || (is_optional && reached[i]);
      }
    }
    reached = std::move(next);
  }
  return reached[text.size()];
}

Outcome<std::vector<Filter>> parse_filters(const Query& query) {
  std::vector<Filter> filters;
  for (const Query& structure : query.structures("Filter")) {
    Filter filter{structure.get("Name"), structure.list("Value")};
    if (filter.name.empty()) {
      return refuse("MissingParameter", "The request must contain the parameter Filter.Name");
    }
    if (filter.values.empty()) {
      return refuse("InvalidParameterValue", fmt::format("The filter '{}' has no values", filter.name));
    }
    if (filter.values.size() > kMaxValues) {
      return refuse(
          "FilterLimitExceeded",
          fmt::format("The maximum number of filter values specified on a single call is {}", kMaxValues));
    }
    for (const std::string& value : filter.values) {
      if (value.size() > kMaxLength) {
        return refuse(
            "InvalidParameterValue",
            fmt::format("A value of the filter '{}' is longer than {} characters.", filter.name, kMaxLength));
      }
    }
    filters.push_back(std::move(filter));
  }
  if (filters.size() > kMaxFilters) {
    return refuse("FilterLimitExceeded",
                  fmt::format("The maximum number of filters specified on a single call is {}", kMaxFilters));
  }
  return filters;
}

FilterValues tag_values(const Tags& tags, const std::string& filter) {
  FilterValues values;
  for (const auto& [key, value] : tags) {
    if (filter == "tag-key") {
      values.push_back(key);
    } else if (filter.substr(4) == key) {
      values.push_back(value);
    }
  }
  return values;
}

}  // namespace berth::sandbox
