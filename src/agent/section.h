#pragma once
// One JSON object of a configuration file, read key by key with types that are not negotiable. Every mistake
// is collected with the path of its key, what was found, what was expected and an example; keys that nobody
// asked for are named at the end. Knows nothing of what the keys mean.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/strict_json.h"
#include "model/tag_map.h"

namespace berth::agent {

struct Findings {
  std::vector<std::string> mistakes;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

/// "plugins[0].ipam" and "min-allocate": "plugins[0].ipam.min-allocate". A key that is no plain word is put
/// in brackets and quotes: `tags["kubernetes.io/cluster"]`.
std::string path_of(std::string_view parent, std::string_view key);

/// Adds a mistake for every key that occurs twice in `object`, and in what it holds at any depth.
void report_duplicates(const JsonValue& object, const std::string& path, Findings& findings);

class Section {
 public:
  /// An object that is not there reads as one without keys; both references outlive the section.
  Section(const JsonValue* object, std::string path, Findings& findings)
      : object_(object), path_(std::move(path)), findings_(findings) {}

  const std::string& path() const { return path_; }
  bool has(std::string_view key) const { return object_ != nullptr && object_->find(key) != nullptr; }

  // Each gives nothing (an empty list, map or string) where the key is absent or its value is a mistake.
  // `example` is a right value, as JSON.

  /// A whole number from 0 to kMaxCount, as a JSON number.
  std::optional<std::int64_t> count(std::string_view key, std::string_view example);
  std::optional<bool> flag(std::string_view key, std::string_view example);
  /// Not empty.
  std::string word(std::string_view key, std::string_view example);
  /// Of strings that are not empty.
  std::vector<std::string> words(std::string_view key, std::string_view example);
  /// Of tags that an AWS resource can carry.
  model::TagMap tags(std::string_view key, std::string_view example);
  /// An object inside this one.
  Section section(std::string_view key, std::string_view example);

  /// A key that is known and not read.
  void skip(std::string_view key) { asked_.emplace(key); }

  /// Warns about every key that is there and was neither read nor skipped, and names the `elsewhere` key or
  /// the own one that was probably meant.
  void warn_about_the_rest(const std::vector<std::string_view>& elsewhere, std::string_view elsewhere_path);

 private:
  const JsonValue* ask(std::string_view key);
  void mistake(std::string_view path, const JsonValue& found, std::string_view expected,
               std::string_view example);

  const JsonValue* object_;
  std::string path_;
  Findings& findings_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace berth::agent
