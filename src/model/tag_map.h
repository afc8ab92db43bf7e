#pragma once
// Tags, of an address and of a request. Matching is exact: case counts, and * ? \ are plain characters (R1).

#include <map>
#include <string>

namespace berth::model {

using TagMap = std::map<std::string, std::string>;

/// Whether `tags` has every key of `wanted` with exactly that value. An empty value matches only an empty
/// value.
bool includes(const TagMap& tags, const TagMap& wanted);

/// "k=v,k=v" in key order, as logs and sentences show a tag map.
std::string to_string(const TagMap& tags);

}  // namespace berth::model
