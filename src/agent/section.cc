#include "agent/section.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "agent/settings.h"

namespace berth::agent {
namespace {

/// The digits of a whole number from 0 to kMaxCount, and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc{} || end != text.data() + text.size() || number < 0 || number > kMaxCount) {
    return std::nullopt;
  }
  return number;
}

/// `"key": value`, as it stands in a file.
std::string member_text(std::string_view key, std::string_view value) {
  return fmt::format("{}: {}", quoted(key), value);
}

/// Two spellings of one name: minAllocate, min_allocate, Min-Allocate.
std::string letters_of(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (c != '-' && c != '_') {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

/// The string that was probably meant by a value that is none.
std::string tag_value_for(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNumber:
      return value.text;
    case JsonValue::Kind::kBool:
      return value.truth ? "true" : "false";
    default:
      return "test";
  }
}

}  // namespace

std::string path_of(std::string_view parent, std::string_view key) {
  const bool plain = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (!plain) {
    return fmt::format("{}[{}]", parent, quoted(key));
  }
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

void report_duplicates(const JsonValue& object, const std::string& path, Findings& findings) {
  std::set<std::string_view> seen;
  for (const JsonMember& member : object.members) {
    const std::string member_path = path_of(path, member.key);
    if (!seen.insert(member.key).second) {
      findings.mistakes.push_back(
          fmt::format("{}: found this key twice, expected it once; remove one of them", member_path));
    }
    report_duplicates(member.value, member_path, findings);
  }
  for (std::size_t i = 0; i < object.elements.size(); ++i) {
    report_duplicates(object.elements[i], fmt::format("{}[{}]", path, i), findings);
  }
}

const JsonValue* Section::ask(std::string_view key) {
  asked_.emplace(key);
  return object_ == nullptr ? nullptr : object_->find(key);
}

void Section::mistake(std::string_view path, const JsonValue& found, std::string_view expected,
                      std::string_view example) {
  findings_.mistakes.push_back(
      fmt::format("{}: found {}, expected {}, for example {}", path, describe(found), expected, example));
}

std::optional<std::int64_t> Section::count(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = whole_number(value->text);
  if (value->is(JsonValue::Kind::kNumber) && number) {
    return number;
  }
  // A number in quotes is the usual mistake: show that very number without them.
  const std::string meant = number ? std::to_string(*number) : std::string(example);
  mistake(path_of(path_, key), *value, fmt::format("a whole number from 0 to {}", kMaxCount),
          member_text(key, meant));
  return std::nullopt;
}

std::optional<bool> Section::flag(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is(JsonValue::Kind::kBool)) {
    return value->truth;
  }
  const bool meant = value->text == "true" || value->text == "false";
  mistake(path_of(path_, key), *value, "true or false", member_text(key, meant ? value->text : example));
  return std::nullopt;
}

std::string Section::word(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  if (value == nullptr) {
    return {};
  }
  if (value->is(JsonValue::Kind::kString) && !value->text.empty()) {
    return value->text;
  }
  mistake(path_of(path_, key), *value, "a string that is not empty", member_text(key, example));
  return {};
}

std::vector<std::string> Section::words(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is(JsonValue::Kind::kList)) {
    mistake(path_of(path_, key), *value, "a list of strings", member_text(key, example));
    return {};
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < value->elements.size(); ++i) {
    const JsonValue& element = value->elements[i];
    if (element.is(JsonValue::Kind::kString) && !element.text.empty()) {
      words.push_back(element.text);
    } else {
      mistake(fmt::format("{}[{}]", path_of(path_, key), i), element, "a string that is not empty",
              member_text(key, example));
    }
  }
  return words;
}

model::TagMap Section::tags(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  if (value == nullptr) {
    return {};
  }
  const std::string path = path_of(path_, key);
  if (!value->is(JsonValue::Kind::kObject)) {
    mistake(path, *value, "an object of strings", member_text(key, example));
    return {};
  }
  model::TagMap tags;
  for (const JsonMember& member : value->members) {
    const std::string tag_path = path_of(path, member.key);
    if (!member.value.is(JsonValue::Kind::kString)) {
      mistake(tag_path, member.value, "a string",
              member_text(member.key, quoted(tag_value_for(member.value))));
    } else if (const std::string fault = tag_fault(member.key, member.value.text); !fault.empty()) {
      findings_.mistakes.push_back(fmt::format("{}: {}", tag_path, fault));
    } else {
      tags.emplace(member.key, member.value.text);
    }
  }
  if (tags.size() > kMaxTags) {
    findings_.mistakes.push_back(
        fmt::format("{}: found {} tags, expected at most {}, which is what AWS allows on one resource", path,
                    tags.size(), kMaxTags));
  }
  return tags;
}

Section Section::section(std::string_view key, std::string_view example) {
  const JsonValue* value = ask(key);
  std::string path = path_of(path_, key);
  if (value != nullptr && !value->is(JsonValue::Kind::kObject)) {
    mistake(path, *value, "an object", member_text(key, example));
    value = nullptr;
  }
  return {value, std::move(path), findings_};
}

void Section::warn_about_the_rest(const std::vector<std::string_view>& elsewhere,
                                  std::string_view elsewhere_path) {
  if (object_ == nullptr) {
    return;
  }
  for (const JsonMember& member : object_->members) {
    if (asked_.contains(member.key)) {
      continue;
    }
    const auto same_name = [letters = letters_of(member.key)](std::string_view name) {
      return letters_of(name) == letters;
    };
    std::string meant;
    if (const auto own = std::ranges::find_if(asked_, same_name); own != asked_.end()) {
      meant = fmt::format("; did you mean {}?", path_of(path_, *own));
    } else if (const auto other = std::ranges::find_if(elsewhere, same_name); other != elsewhere.end()) {
      meant = fmt::format("; it counts only as {}", path_of(elsewhere_path, *other));
    }
    findings_.warnings.push_back(fmt::format("{} is not a setting that is known here and has no effect{}",
                                             path_of(path_, member.key), meant));
  }
}

}  // namespace berth::agent
