// Tags on whatever the region holds.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/ec2/world.h"

namespace berth::sandbox {
namespace {

constexpr std::size_t kMaxKey = 128;  // Unicode characters
constexpr std::size_t kMaxValue = 256;
constexpr std::ptrdiff_t kMaxTags = 50;  // the ones of AWS ("aws:…") not counted
constexpr std::string_view kReserved = "aws:";

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

Outcome<> check_key(const std::string& key) {
  if (key.starts_with(kReserved)) {
    return refuse(
        "InvalidParameterValue",
        fmt::format("Value ( {} ) for parameter key is invalid. Tag keys starting with 'aws:' are reserved "
                    "for internal use",
                    key));
  }
  if (key.empty() || characters(key) > kMaxKey) {
    return refuse("InvalidParameterValue",
                  fmt::format("Value ( {} ) for parameter key is invalid. A tag key has 1 to {} characters.",
                              key, kMaxKey));
  }
  return {};
}

std::ptrdiff_t own_tags(const Tags& tags) {
  return std::ranges::count_if(tags, [](const auto& tag) { return !tag.first.starts_with(kReserved); });
}

}  // namespace

Outcome<> check_tags(const Tags& tags) {
  for (const auto& [key, value] : tags) {
    if (auto checked = check_key(key); !checked) {
      return checked;
    }
    if (characters(value) > kMaxValue) {
      return refuse("InvalidParameterValue",
                    fmt::format("The value of the tag {} is invalid. A tag value has at most {} characters.",
                                key, kMaxValue));
    }
  }
  if (own_tags(tags) > kMaxTags) {
    return refuse("TagLimitExceeded", fmt::format("A resource has at most {} tags.", kMaxTags));
  }
  return {};
}

/// `change` is called with the tags of each resource, and says what is wrong; nothing is changed then.
template <class Change>
Outcome<> Ec2World::change_tags(const std::vector<std::string>& resources, Change change) {
  settle();
  const auto apply = [&](auto& ledger, const auto& id, std::string_view not_found, std::string_view what,
                         bool commit) -> Outcome<> {
    const auto* found = ledger.find(id);
    if (found == nullptr) {
      return refuse(std::string(not_found), fmt::format("The {} '{}' does not exist", what, id.str()));
    }
    auto changed = *found;
    if (Outcome<> result = change(changed.tags); !result) {
      return result;
    }
    if (commit) {
      ledger.put(id, std::move(changed), now_);
    }
    return {};
  };
  for (const bool commit : {false, true}) {
    for (const std::string& resource : resources) {
      Outcome<> result = refuse("InvalidID", fmt::format("The ID '{}' is not valid", resource));
      if (resource.starts_with("eipalloc-")) {
        result = apply(addresses_, AllocationId(resource), "InvalidAllocationID.NotFound", "allocation ID",
                       commit);
      } else if (resource.starts_with("eni-")) {
        result = apply(interfaces_, InterfaceId(resource), "InvalidNetworkInterfaceID.NotFound",
                       "networkInterface ID", commit);
      } else if (resource.starts_with("i-")) {
        result = apply(instances_, InstanceId(resource), "InvalidInstanceID.NotFound", "instance ID", commit);
      }
      if (!result) {
        return result;
      }
    }
  }
  return {};
}

Outcome<> Ec2World::create_tags(const std::vector<std::string>& resources, const Tags& tags) {
  if (auto checked = check_tags(tags); !checked) {
    return checked;
  }
  return change_tags(resources, [&](Tags& of_resource) -> Outcome<> {
    for (const auto& [key, value] : tags) {
      of_resource[key] = value;
    }
    if (own_tags(of_resource) > kMaxTags) {
      return refuse("TagLimitExceeded", fmt::format("A resource has at most {} tags.", kMaxTags));
    }
    return {};
  });
}

Outcome<> Ec2World::delete_tags(const std::vector<std::string>& resources,
                                const std::vector<TagToDelete>& tags) {
  for (const auto& [key, value] : tags) {
    if (auto checked = check_key(key); !checked) {
      return checked;
    }
  }
  return change_tags(resources, [&](Tags& of_resource) -> Outcome<> {
    if (tags.empty()) {
      std::erase_if(of_resource, [](const auto& tag) { return !tag.first.starts_with(kReserved); });
    }
    for (const auto& [key, value] : tags) {
      const auto found = of_resource.find(key);
      if (found != of_resource.end() && (!value || *value == found->second)) {
        of_resource.erase(found);
      }
    }
    return {};
  });
}

}  // namespace berth::sandbox
