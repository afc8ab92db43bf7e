#include "agent/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/strict_json.h"

namespace berth::agent {
namespace {

constexpr std::ptrdiff_t kMaxTagKey = 128;    // characters, not bytes
constexpr std::ptrdiff_t kMaxTagValue = 256;  // characters, not bytes

/// Of UTF-8: every byte but those that continue a character.
std::ptrdiff_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
}

Error flag_error(std::string_view flag, std::string detail) {
  return Error{.kind = ErrorKind::kInvalid, .operation = std::string(flag), .detail = std::move(detail)};
}

/// The first thing wrong with a tag that is to be added to `tags`; empty: nothing.
std::string add_tag(model::TagMap& tags, std::string key, std::string value) {
  if (std::string fault = tag_fault(key, value); !fault.empty()) {
    return fmt::format("{}: {}", quoted(key), fault);
  }
  const std::string shown = quoted(key);
  if (!tags.emplace(std::move(key), std::move(value)).second) {
    return fmt::format("found the key {} twice, expected it once", shown);
  }
  if (tags.size() > kMaxTags) {
    return fmt::format("found more than {} tags, but no AWS resource carries as many", kMaxTags);
  }
  return {};
}

Result<model::TagMap> tags_of_json(std::string_view flag, std::string_view text) {
  const Result<JsonValue> parsed = parse_strict_json(text);
  if (!parsed) {
    return flag_error(flag, "the value " + parsed.error().detail);
  }
  model::TagMap tags;
  for (const JsonMember& member : parsed->members) {
    if (!member.value.is(JsonValue::Kind::kString)) {
      return flag_error(flag, fmt::format("{}: found {}, expected a string, for example {{{}: \"test\"}}",
                                          quoted(member.key), describe(member.value), quoted(member.key)));
    }
    if (std::string fault = add_tag(tags, member.key, member.value.text); !fault.empty()) {
      return flag_error(flag, std::move(fault));
    }
  }
  return tags;
}

}  // namespace

std::string tag_fault(std::string_view key, std::string_view value) {
  if (key.empty()) {
    return "found an empty key, expected 1 to 128 characters, which is what AWS allows";
  }
  if (const auto length = characters(key); length > kMaxTagKey) {
    return fmt::format("found a key of {} characters, expected 1 to {}, which is what AWS allows", length,
                       kMaxTagKey);
  }
  if (const auto length = characters(value); length > kMaxTagValue) {
    return fmt::format("found a value of {} characters, expected at most {}, which is what AWS allows",
                       length, kMaxTagValue);
  }
  return {};
}

Result<model::TagMap> parse_tags_flag(std::string_view flag, std::string_view text) {
  if (text.starts_with('{')) {
    return tags_of_json(flag, text);
  }
  model::TagMap tags;
  bool more = !text.empty();
  while (more) {
    const std::size_t comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return flag_error(
          flag, fmt::format("found {}, expected KEY=VALUE pairs joined by commas, for example {}=a=b,c=d",
                            quoted(pair), flag));
    }
    std::string fault =
        add_tag(tags, std::string(pair.substr(0, equals)), std::string(pair.substr(equals + 1)));
    if (!fault.empty()) {
      return flag_error(flag, std::move(fault));
    }
  }
  return tags;
}

}  // namespace berth::agent
