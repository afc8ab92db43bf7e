#include "sandbox/kube/patch.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

/// An operation that cannot be carried out. The real server does not tell which, so neither does this one.
Failure cannot() {
  return {422, "Invalid", "the server rejected our request due to an error in our request"};
}

struct Pointer {
  std::string text;
  std::vector<std::string> tokens;
};

std::optional<Pointer> parse_pointer(std::string_view text) {
  Pointer pointer{std::string(text), {}};
  if (text.empty()) {
    return pointer;
  }
  if (text.front() != '/') {
    return std::nullopt;
  }
  for (const char c : text) {
    if (c == '/') {
      pointer.tokens.emplace_back();
    } else {
      pointer.tokens.back() += c;
    }
  }
  for (std::string& token : pointer.tokens) {
    std::string plain;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escape = token[i] == '~' && i + 1 < token.size();
      plain += !escape ? token[i] : token[++i] == '1' ? '/' : '~';
    }
    token = std::move(plain);
  }
  return pointer;
}

std::optional<std::size_t> parse_index(const std::string& token, std::size_t most) {
  std::size_t index = 0;
  const auto [end, failed] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool plain =
      failed == std::errc{} && end == token.data() + token.size() && (token == "0" || token.front() != '0');
  return plain && index <= most ? std::optional(index) : std::nullopt;
}

json::value* step(json::value& at, const std::string& token) {
  if (json::object* object = at.if_object()) {
    return object->if_contains(token);
  }
  if (json::array* array = at.if_array(); array != nullptr && !array->empty()) {
    const auto index = parse_index(token, array->size() - 1);
    return index ? &(*array)[*index] : nullptr;
  }
  return nullptr;
}

/// The value that `pointer` names, or the one that holds it (`above` 1).
json::value* resolve(json::value& root, const Pointer& pointer, std::size_t above = 0) {
  json::value* at = &root;
  for (std::size_t i = 0; at != nullptr && i + above < pointer.tokens.size(); ++i) {
    at = step(*at, pointer.tokens[i]);
  }
  return at;
}

Outcome<> add(json::value& root, const Pointer& pointer, json::value value) {
  if (pointer.tokens.empty()) {
    root = std::move(value);
    return {};
  }
  json::value* holder = resolve(root, pointer, 1);
  const std::string& last = pointer.tokens.back();
  if (holder != nullptr && holder->is_object()) {
    holder->get_object()[last] = std::move(value);
    return {};
  }
  if (holder != nullptr && holder->is_array()) {
    json::array& array = holder->get_array();
    const auto index = last == "-" ? std::optional(array.size()) : parse_index(last, array.size());
    if (index) {
      array.insert(array.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
      return {};
    }
  }
  return refuse(cannot());
}

Outcome<json::value> remove(json::value& root, const Pointer& pointer) {
  json::value* holder = pointer.tokens.empty() ? nullptr : resolve(root, pointer, 1);
  json::value* found = holder == nullptr ? nullptr : step(*holder, pointer.tokens.back());
  if (found == nullptr) {
    return refuse(cannot());
  }
  json::value removed = std::move(*found);
  if (json::object* object = holder->if_object()) {
    object->erase(pointer.tokens.back());
  } else {
    json::array& array = holder->get_array();
    array.erase(array.begin() +
                static_cast<std::ptrdiff_t>(*parse_index(pointer.tokens.back(), array.size())));
  }
  return removed;
}

Outcome<> apply_operation(json::value& root, const json::object& operation) {
  const std::string_view op = find_text(operation, {"op"});
  const auto path = parse_pointer(find_text(operation, {"path"}));
  const auto from = parse_pointer(find_text(operation, {"from"}));
  const json::value* value = operation.if_contains("value");
  if (!path || !from || find(operation, {"path"}) == nullptr) {
    return refuse(bad_request(fmt::format("json patch: \"{}\": path and from must be JSON pointers", op)));
  }
  if (op == "remove") {
    auto removed = remove(root, *path);
    return removed ? Outcome<>() : refuse(std::move(removed).error());
  }
  if (op == "copy" || op == "move") {
    const json::value* source = resolve(root, *from);
    if (source == nullptr) {
      return refuse(cannot());
    }
    json::value copied = *source;
    if (op == "move") {
      if (auto removed = remove(root, *from); !removed) {
        return refuse(std::move(removed).error());
      }
    }
    return add(root, *path, std::move(copied));
  }
  if (op != "add" && op != "replace" && op != "test") {
    return refuse(cannot());
  }
  if (value == nullptr) {
    return refuse(cannot());
  }
  if (op == "add") {
    return add(root, *path, *value);
  }
  json::value* target = resolve(root, *path);
  if (op == "test") {
    // The real server lets a test for null hold where nothing is.
    const bool holds = target == nullptr ? value->is_null() : *target == *value;
    return holds ? Outcome<>() : refuse(cannot());
  }
  if (target == nullptr) {
    return refuse(cannot());
  }
  *target = *value;
  return {};
}

}  // namespace

void merge_patch(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
    target.emplace_object();
  }
  json::object& object = target.get_object();
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null()) {
      object.erase(key);
    } else {
      merge_patch(object[key], value);
    }
  }
}

Outcome<json::value> json_patch(json::value target, const json::value& patch) {
  if (!patch.is_array()) {
    return refuse(bad_request("json: cannot unmarshal object into Go value of type jsonpatch.Patch"));
  }
  for (const json::value& operation : patch.get_array()) {
    if (!operation.is_object()) {
      return refuse(bad_request("error decoding patch: an operation of a JSON patch is an object"));
    }
    if (auto applied = apply_operation(target, operation.get_object()); !applied) {
      return refuse(std::move(applied).error());
    }
  }
  return target;
}

}  // namespace berth::sandbox::kube
