#include "sandbox/ec2/query.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace berth::sandbox {
namespace {

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view cut_segment(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view segment = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return segment;
}

bool is_allowed_by(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && !name.empty()) {
    const std::string_view expected = cut_segment(pattern);
    const std::string_view segment = cut_segment(name);
    if (expected == "*") {
      return true;
    }
    if (expected == "#" ? !number(segment) : expected != segment) {
      return false;
    }
  }
  return pattern.empty() && name.empty();
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
      return std::nullopt;
    }
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

Outcome<Query> Query::parse(const ports::HttpRequest& request) {
  Query query;
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  const std::string_view in_url =
      mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  for (std::string_view rest : {in_url, std::string_view(request.body)}) {
    while (!rest.empty()) {
      const std::size_t end = rest.find('&');
      const std::string_view pair = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (pair.empty()) {
        continue;
      }
      const std::size_t equals = pair.find('=');
      const auto name = percent_decoded(pair.substr(0, equals), true);
      const auto value = percent_decoded(
          equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
      if (!name || !value) {
        return refuse("MalformedQueryString", "The query string contains a syntax error: a broken % escape.");
      }
      if (!query.values_.emplace(*name, *value).second) {
        return refuse("MalformedQueryString", fmt::format("The parameter {} appears more than once.", *name));
      }
    }
  }
  return query;
}

std::optional<std::string> Query::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

Outcome<bool> Query::get_bool(std::string_view name, bool otherwise) const {
  const auto text = find(name);
  if (!text) {
    return otherwise;
  }
  if (*text == "true" || *text == "1") {
    return true;
  }
  if (*text == "false" || *text == "0") {
    return false;
  }
  return refuse(
      "InvalidParameterValue",
      fmt::format("Value ( {} ) for parameter {} is invalid. Expecting true or false.", *text, name));
}

Outcome<std::optional<int>> Query::get_int(std::string_view name) const {
  const auto text = find(name);
  if (!text) {
    return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) {
    return refuse(
        "InvalidParameterValue",
        fmt::format("Value ( {} ) for parameter {} is invalid. Expecting a whole number.", *text, name));
  }
  return value;
}

std::vector<std::string> Query::list(std::string_view name) const {
  std::map<unsigned, std::string> by_number;
  const std::string prefix = fmt::format("{}.", name);
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    if (const auto n = number(std::string_view(at->first).substr(prefix.size()))) {
      by_number[*n] = at->second;
    }
  }
  std::vector<std::string> values;
  values.reserve(by_number.size());
  for (auto& [n, value] : by_number) {
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<Query> Query::structures(std::string_view name) const {
  std::map<unsigned, Query> by_number;
  const std::string prefix = fmt::format("{}.", name);
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    std::string_view rest = std::string_view(at->first).substr(prefix.size());
    if (const auto n = number(cut_segment(rest)); n && !rest.empty()) {
      by_number[*n].values_.emplace(rest, at->second);
    }
  }
  std::vector<Query> queries;
  queries.reserve(by_number.size());
  for (auto& [n, query] : by_number) {
    queries.push_back(std::move(query));
  }
  return queries;
}

std::optional<std::string> Query::first_unknown(std::string_view patterns) const {
  const auto allowed = words(patterns);
  for (const auto& [name, value] : values_) {
    if (std::ranges::none_of(allowed, [&](std::string_view one) { return is_allowed_by(one, name); })) {
      return name;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    if (end != 0) {
      found.push_back(text.substr(0, end));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return found;
}

}  // namespace berth::sandbox
