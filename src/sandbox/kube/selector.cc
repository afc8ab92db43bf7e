#include "sandbox/kube/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "sandbox/kube/names.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// At commas that are neither in parentheses nor behind a backslash.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    } else if (text[i] == ',' && depth == 0) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    }
    out += text[i];
  }
  return out;
}

Failure unparsable(std::string_view text, std::string_view why) {
  return bad_request(fmt::format("unable to parse requirement: \"{}\": {}", text, why));
}

/// "key in (a,b)" -> {"key", "in", "(a,b)"}.
struct SetForm {
  std::string_view key;
  std::string_view word;
  std::string_view list;
};

std::optional<SetForm> set_form(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) {
    return std::nullopt;
  }
  const std::string_view head = trim(text.substr(0, open));
  const std::size_t blank = head.find_last_of(" \t");
  if (blank == std::string_view::npos) {
    return std::nullopt;
  }
  return SetForm{trim(head.substr(0, blank)), head.substr(blank + 1),
                 text.substr(open + 1, text.size() - open - 2)};
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

Outcome<Selector::Requirement> Selector::parse_requirement(std::string_view text) {
  Requirement requirement;
  std::string_view key = text;
  if (const auto set = set_form(text)) {
    if (set->word != "in" && set->word != "notin") {
      return refuse(unparsable(text, fmt::format("found '{}', expected: in, notin", set->word)));
    }
    key = set->key;
    requirement.op = set->word == "in" ? Operator::kIn : Operator::kNotIn;
    for (const std::string_view value : split(set->list)) {
      requirement.values.emplace_back(trim(value));
    }
  } else if (text.starts_with('!')) {
    key = trim(text.substr(1));
    requirement.op = Operator::kAbsent;
  } else if (const std::size_t sign = text.find_first_of("=!<>"); sign != std::string_view::npos) {
    key = trim(text.substr(0, sign));
    std::string_view value = text.substr(sign + 1);
    const char first = text[sign];
    if ((first == '=' || first == '!') && value.starts_with('=')) {
      value.remove_prefix(1);
    } else if (first == '!') {
      return refuse(unparsable(text, "found '!', expected: !="));
    }
    requirement.op = first == '='   ? Operator::kIn
                     : first == '!' ? Operator::kNotIn
                     : first == '>' ? Operator::kGreater
                                    : Operator::kLess;
    requirement.values.emplace_back(trim(value));
    if ((first == '<' || first == '>') && !to_integer(requirement.values.front())) {
      return refuse(unparsable(text, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  if (const std::string wrong = wrong_label_key(key); !wrong.empty()) {
    return refuse(unparsable(text, wrong));
  }
  for (const std::string& value : requirement.values) {
    if (const std::string wrong = wrong_label_value(value); !wrong.empty()) {
      return refuse(unparsable(text, wrong));
    }
  }
  requirement.key = key;
  return requirement;
}

Outcome<std::vector<Selector::Requirement>> Selector::parse_labels(std::string_view text) {
  std::vector<Requirement> out;
  if (trim(text).empty()) {
    return out;
  }
  for (const std::string_view part : split(text)) {
    auto requirement = parse_requirement(trim(part));
    if (!requirement) {
      return refuse(std::move(requirement).error());
    }
    out.push_back(*std::move(requirement));
  }
  return out;
}

Outcome<std::vector<Selector::Requirement>> Selector::parse_fields(std::string_view text,
                                                                   const ResourceType& type) {
  std::vector<Requirement> out;
  for (const std::string_view part : split(text)) {
    if (part.empty()) {
      continue;
    }
    const std::size_t sign = part.find_first_of("=!");
    if (sign == std::string_view::npos || (part[sign] == '!' && part.substr(sign, 2) != "!=")) {
      return refuse(bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", text, part)));
    }
    std::string_view value = part.substr(sign + 1);
    if (value.starts_with('=')) {
      value.remove_prefix(1);
    }
    Requirement requirement{std::string(part.substr(0, sign)),
                            part[sign] == '!' ? Operator::kNotIn : Operator::kIn,
                            {unescape(value)}};
    const bool known = requirement.key == "metadata.name" || requirement.key == "metadata.namespace" ||
                       std::ranges::any_of(type.field_labels,
                                           [&](const auto& label) { return label.first == requirement.key; });
    if (!known) {
      return refuse(bad_request(fmt::format("field label not supported: {}", requirement.key)));
    }
    out.push_back(std::move(requirement));
  }
  return out;
}

Outcome<Selector> Selector::parse(std::string_view labels, std::string_view fields,
                                  const ResourceType& type) {
  Selector selector;
  auto label_part = parse_labels(labels);
  if (!label_part) {
    return refuse(std::move(label_part).error());
  }
  auto field_part = parse_fields(fields, type);
  if (!field_part) {
    return refuse(std::move(field_part).error());
  }
  selector.labels_ = *std::move(label_part);
  selector.fields_ = *std::move(field_part);
  return selector;
}

bool Selector::holds(const Requirement& requirement, const std::string* value) {
  const auto listed = [&] {
    return std::ranges::find(requirement.values, *value) != requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::kIn:
      return value != nullptr && listed();
    case Operator::kNotIn:
      return value == nullptr || !listed();
    case Operator::kExists:
      return value != nullptr;
    case Operator::kAbsent:
      return value == nullptr;
    case Operator::kGreater:
    case Operator::kLess: {
      const auto have = value == nullptr ? std::nullopt : to_integer(*value);
      const auto limit = to_integer(requirement.values.front());
      return have && limit && (requirement.op == Operator::kGreater ? *have > *limit : *have < *limit);
    }
  }
  return false;
}

bool Selector::matches(const TextMap& labels, const TextMap& fields) const {
  const auto all_hold = [](const std::vector<Requirement>& requirements, const TextMap& texts) {
    return std::ranges::all_of(requirements, [&](const Requirement& requirement) {
      const auto found = texts.find(requirement.key);
      return holds(requirement, found == texts.end() ? nullptr : &found->second);
    });
  };
  return all_hold(labels_, labels) && all_hold(fields_, fields);
}

}  // namespace berth::sandbox::kube
