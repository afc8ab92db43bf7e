#pragma once
// EC2's filters: AND between filters, OR between the values of one, case-sensitive, with wildcards.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sandbox/ec2/query.h"
#include "sandbox/ec2/world.h"

namespace berth::sandbox {

/// `*` is zero or more characters, `?` zero or one, a backslash makes the next character plain.
bool matches_wildcard(std::string_view pattern, std::string_view text);

struct Filter {
  std::string name;
  std::vector<std::string> values;
};

/// From Filter.N.Name and Filter.N.Value.M. Errors: FilterLimitExceeded, InvalidParameterValue.
Outcome<std::vector<Filter>> parse_filters(const Query& query);

/// The values that one resource has under one filter's name; none where it has no such thing, and then no
/// filter of that name matches it.
using FilterValues = std::vector<std::string>;

/// The filters of one describe.
template <class T>
struct FilterTable {
  std::map<std::string_view, std::function<FilterValues(const Moment&, const T&)>> values;
  std::set<std::string_view> without_values;  // EC2 knows these, and nothing in this world has them
};

template <class T>
Outcome<> check_filters(const FilterTable<T>& table, const std::vector<Filter>& filters) {
  for (const Filter& filter : filters) {
    if (!filter.name.starts_with("tag:") && filter.name != "tag-key" && !table.values.contains(filter.name) &&
        !table.without_values.contains(filter.name)) {
      return refuse("InvalidParameterValue", fmt::format("The filter '{}' is invalid", filter.name));
    }
  }
  return {};
}

FilterValues tag_values(const Tags& tags, const std::string& filter);

template <class T>
bool matches_filters(const FilterTable<T>& table, const std::vector<Filter>& filters, const Moment& moment,
                     const T& resource) {
  return std::ranges::all_of(filters, [&](const Filter& filter) {
    FilterValues found;
    if (const auto known = table.values.find(filter.name); known != table.values.end()) {
      found = known->second(moment, resource);
    } else if (filter.name == "tag-key" || filter.name.starts_with("tag:")) {
      found = tag_values(resource.tags, filter.name);
    }
    return std::ranges::any_of(found, [&](const std::string& text) {
      return std::ranges::any_of(filter.values,
                                 [&](const std::string& pattern) { return matches_wildcard(pattern, text); });
    });
  });
}

}  // namespace berth::sandbox
