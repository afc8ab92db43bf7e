#include "model/tag_map.h"

#include <algorithm>

namespace berth::model {

bool includes(const TagMap& tags, const TagMap& wanted) {
  return std::ranges::all_of(wanted, [&tags](const auto& pair) {
    const auto found = tags.find(pair.first);
    return found != tags.end() && found->second == pair.second;
  });
}

std::string to_string(const TagMap& tags) {
  std::string text;
  for (const auto& [key, value] : tags) {
    text.append(text.empty() ? "" : ",").append(key).append("=").append(value);
  }
  return text;
}

}  // namespace berth::model
