#include "sandbox/kube/schema.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/ip_address.h"
#include "base/time.h"

namespace berth::sandbox::kube {
namespace {

std::string under(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string at(const std::string& path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

/// The real server's sentence for most limits: "spec.n in body should be …".
FieldError limit(const std::string& path, const json::value& value, std::string_view sentence) {
  return invalid_value(path, value, fmt::format("{} in body {}", path, sentence));
}

std::string number_text(double number) { return fmt::format("{}", number); }

/// Characters, not bytes: a continuation byte of UTF-8 starts none.
std::size_t length_of(const json::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The formats that our types use; as in the real server, one that is not known forbids nothing.
bool has_format(std::string_view text, std::string_view format) {
  if (format == "date-time") {
    return parse_rfc3339(text).has_value();
  }
  if (format == "micro-time") {
    // Go's MicroTime: exactly six digits of a second.
    const std::size_t point = text.find('.');
    return parse_rfc3339(text) && point != std::string_view::npos &&
           text.find_first_not_of("0123456789", point + 1) == point + 7;
  }
  if (format == "ipv4" || format == "ipv6") {
    const auto ip = IpAddress::parse(text);
    return ip && ip->is_v4() == (format == "ipv4");
  }
  return true;
}

}  // namespace

const Schema* Schema::property(std::string_view key) const {
  for (const auto& [name, schema] : properties_) {
    if (name == key) {
      return schema.get();
    }
  }
  return additional_.get();
}

void Schema::prune(json::object& object, std::vector<std::string>& removed) const {
  prune_fields(object, "", removed);
}

void Schema::prune_fields(json::object& object, const std::string& path,
                          std::vector<std::string>& removed) const {
  std::vector<std::string> dropped;
  for (auto& [key, value] : object) {
    // The parts that every object has are not the schema's business.
    if (path.empty() && (key == "apiVersion" || key == "kind" || key == "metadata")) {
      continue;
    }
    const Schema* known = property(key);
    if (known == nullptr && !preserve_unknown_ && !additional_allowed_) {
      removed.push_back(under(path, key));
      dropped.emplace_back(key);
    } else if (known != nullptr && value.is_null() && !known->nullable_) {
      dropped.emplace_back(key);
    } else if (known != nullptr) {
      known->prune_value(value, under(path, key), removed);
    }
  }
  for (const std::string& key : dropped) {
    object.erase(key);
  }
}

void Schema::prune_value(json::value& value, const std::string& path,
                         std::vector<std::string>& removed) const {
  if (json::object* object = value.if_object()) {
    prune_fields(*object, path, removed);
  }
  json::array* array = value.if_array();
  for (std::size_t i = 0; array != nullptr && items_ != nullptr && i < array->size(); ++i) {
    items_->prune_value((*array)[i], at(path, i), removed);
  }
}

void Schema::fill_defaults(json::value& value) const {
  if (json::array* array = value.if_array(); array != nullptr && items_ != nullptr) {
    for (json::value& item : *array) {
      items_->fill_defaults(item);
    }
  }
  json::object* object = value.if_object();
  if (object == nullptr) {
    return;
  }
  for (const auto& [key, schema] : properties_) {
    if (schema->default_ && !object->contains(key)) {
      (*object)[key] = *schema->default_;
    }
  }
  for (auto& [key, inner] : *object) {
    if (const Schema* known = property(key)) {
      known->fill_defaults(inner);
    }
  }
}

std::vector<FieldError> Schema::validate(const json::value& value) const {
  Errors errors;
  validate_at(value, "", errors);
  return errors;
}

bool Schema::has_right_type(const json::value& value) const {
  if (value.is_null() && nullable_) {
    return true;
  }
  const std::string_view found = type_name(value);
  if (int_or_string_) {
    return found == "integer" || found == "string";
  }
  return type_.empty() || found == type_ || (type_ == "number" && found == "integer");
}

void Schema::validate_at(const json::value& value, const std::string& path, Errors& errors) const {
  if (!has_right_type(value)) {
    const json::string found(type_name(value));
    errors.push_back(
        invalid_value(path, found,
                      fmt::format("{} in body must be of type {}: \"{}\"", path.empty() ? "object" : path,
                                  int_or_string_ ? "integer,string" : type_, std::string_view(found))));
    errors.back().reason = "FieldValueTypeInvalid";
    return;
  }
  if (value.is_null()) {
    return;
  }
  if (!enum_.empty() && std::ranges::find(enum_, value) == enum_.end()) {
    std::string supported;
    for (const json::value& one : enum_) {
      supported += (supported.empty() ? "" : ", ") + json::serialize(one);
    }
    errors.push_back(
        {"FieldValueNotSupported", path,
         fmt::format("Unsupported value: {}: supported values: {}", json::serialize(value), supported)});
  }
  if (value.is_string()) {
    validate_text(value, path, errors);
  } else if (value.is_number()) {
    validate_number(value, path, errors);
  } else if (value.is_array()) {
    validate_array(value.get_array(), path, errors);
  } else if (value.is_object()) {
    validate_object(value.get_object(), path, errors);
  }
}

void Schema::validate_text(const json::value& value, const std::string& path, Errors& errors) const {
  const json::string& text = value.get_string();
  const std::size_t length = length_of(text);
  if (min_length_ && length < *min_length_) {
    errors.push_back(limit(path, value, fmt::format("should be at least {} chars long", *min_length_)));
  }
  if (max_length_ && length > *max_length_) {
    errors.push_back(
        {"FieldValueTooLong", path, fmt::format("Too long: may not be more than {} bytes", *max_length_)});
  }
  if (pattern_ != nullptr && !std::regex_search(text.begin(), text.end(), *pattern_)) {
    errors.push_back(limit(path, value, fmt::format("should match '{}'", pattern_text_)));
  }
  if (!has_format(text, format_)) {
    errors.push_back(
        limit(path, value, fmt::format("must be of type {}: {}", format_, json::serialize(value))));
    errors.back().reason = "FieldValueTypeInvalid";
  }
}

void Schema::validate_number(const json::value& value, const std::string& path, Errors& errors) const {
  const double number = to_double(value);
  if (format_ == "int32" && (number < std::numeric_limits<std::int32_t>::min() ||
                             number > std::numeric_limits<std::int32_t>::max())) {
    errors.push_back(limit(path, value, "must be of type int32: " + json::serialize(value)));
    errors.back().reason = "FieldValueTypeInvalid";
    return;
  }
  if (minimum_ && (number < *minimum_ || (exclusive_minimum_ && number == *minimum_))) {
    errors.push_back(limit(path, value,
                           fmt::format("should be greater than {}{}",
                                       exclusive_minimum_ ? "" : "or equal to ", number_text(*minimum_))));
  }
  if (maximum_ && (number > *maximum_ || (exclusive_maximum_ && number == *maximum_))) {
    errors.push_back(limit(path, value,
                           fmt::format("should be less than {}{}", exclusive_maximum_ ? "" : "or equal to ",
                                       number_text(*maximum_))));
  }
}

void Schema::validate_array(const json::array& array, const std::string& path, Errors& errors) const {
  if (min_items_ && array.size() < *min_items_) {
    errors.push_back(
        limit(path, json::value(array.size()), fmt::format("should have at least {} items", *min_items_)));
  }
  if (max_items_ && array.size() > *max_items_) {
    errors.push_back({"FieldValueTooMany", path,
                      fmt::format("Too many: {}: must have at most {} items", array.size(), *max_items_)});
  }
  for (std::size_t i = 0; items_ != nullptr && i < array.size(); ++i) {
    items_->validate_at(array[i], at(path, i), errors);
  }
}

void Schema::validate_object(const json::object& object, const std::string& path, Errors& errors) const {
  for (const std::string& key : required_) {
    if (!object.contains(key)) {
      errors.push_back(required_value(under(path, key)));
    }
  }
  if (min_properties_ && object.size() < *min_properties_) {
    errors.push_back(limit(path, json::value(object.size()),
                           fmt::format("should have at least {} properties", *min_properties_)));
  }
  if (max_properties_ && object.size() > *max_properties_) {
    errors.push_back(
        {"FieldValueTooMany", path,
         fmt::format("Too many: {}: must have at most {} items", object.size(), *max_properties_)});
  }
  for (const auto& [key, inner] : object) {
    if (const Schema* known = property(key)) {
      known->validate_at(inner, under(path, key), errors);
    }
  }
}

}  // namespace berth::sandbox::kube
