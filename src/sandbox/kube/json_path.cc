#include "sandbox/kube/json_path.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

Error not_a_path(std::string_view text) {
  return {ErrorKind::kInvalid, "parse JSONPath",
          fmt::format("\"{}\" is not of the form .key, ['key'], [n], [*] or [?(@.key==\"text\")]", text)};
}

std::optional<std::string> unquote(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'') || text.back() != text.front()) {
    return std::nullopt;
  }
  return std::string(text.substr(1, text.size() - 2));
}

}  // namespace

Result<JsonPath::Step> JsonPath::parse_bracket(std::string_view inside) {
  if (inside == "*") {
    return Step(All{});
  }
  if (auto key = unquote(inside)) {
    return Step(Key{*std::move(key)});
  }
  if (inside.starts_with("?(@.") && inside.ends_with(")")) {
    const std::string_view condition = inside.substr(4, inside.size() - 5);
    const std::size_t equals = condition.find("==");
    const auto wanted =
        equals == std::string_view::npos ? std::nullopt : unquote(condition.substr(equals + 2));
    if (!wanted) {
      return not_a_path(inside);
    }
    Filter filter{{}, *wanted};
    std::string_view keys = condition.substr(0, equals);
    while (!keys.empty()) {
      filter.keys.emplace_back(keys.substr(0, keys.find('.')));
      keys.remove_prefix(std::min(keys.size(), filter.keys.back().size() + 1));
    }
    return Step(std::move(filter));
  }
  std::size_t index = 0;
  const auto [end, failed] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (failed != std::errc{} || end != inside.data() + inside.size()) {
    return not_a_path(inside);
  }
  return Step(Index{index});
}

Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.front() == '.') {
      rest.remove_prefix(1);
      const std::string_view key = rest.substr(0, rest.find_first_of(".["));
      if (key.empty()) {
        return not_a_path(text);
      }
      path.steps_.emplace_back(Key{std::string(key)});
      rest.remove_prefix(key.size());
      continue;
    }
    // A filter's text may itself hold brackets only inside quotes, which no column of ours needs.
    const std::size_t end = rest.find(']');
    if (rest.front() != '[' || end == std::string_view::npos) {
      return not_a_path(text);
    }
    auto step = parse_bracket(rest.substr(1, end - 1));
    if (!step) {
      return not_a_path(text);
    }
    path.steps_.push_back(*std::move(step));
    rest.remove_prefix(end + 1);
  }
  return path;
}

void JsonPath::apply(const Step& step, const json::value& value, std::vector<const json::value*>& out) {
  const json::array* array = value.if_array();
  const json::object* object = value.if_object();
  if (const Key* key = std::get_if<Key>(&step)) {
    if (const json::value* found = object == nullptr ? nullptr : object->if_contains(key->name)) {
      out.push_back(found);
    }
  } else if (const Index* index = std::get_if<Index>(&step)) {
    if (array != nullptr && index->at < array->size()) {
      out.push_back(&(*array)[index->at]);
    }
  } else if (array != nullptr) {
    const Filter* filter = std::get_if<Filter>(&step);
    for (const json::value& item : *array) {
      const json::value* at = &item;
      for (std::size_t i = 0; filter != nullptr && at != nullptr && i < filter->keys.size(); ++i) {
        at = at->is_object() ? at->get_object().if_contains(filter->keys[i]) : nullptr;
      }
      if (filter == nullptr || (at != nullptr && at->is_string() && at->get_string() == filter->wanted)) {
        out.push_back(&item);
      }
    }
  } else if (object != nullptr && std::holds_alternative<All>(step)) {
    for (const auto& entry : *object) {
      out.push_back(&entry.value());
    }
  }
}

std::vector<const json::value*> JsonPath::select(const json::value& root) const {
  std::vector<const json::value*> found = {&root};
  for (const Step& step : steps_) {
    std::vector<const json::value*> next;
    for (const json::value* value : found) {
      apply(step, *value, next);
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace berth::sandbox::kube
