// CreateTags, DeleteTags, DescribeTags, DescribeRegions.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/filters.h"
#include "sandbox/ec2/paging.h"

namespace berth::sandbox {
namespace {

/// One row of DescribeTags.
struct TagOfResource {
  std::string resource_id;
  std::string resource_type;
  std::string key;
  std::string value;
  Tags tags;  // for the filter tag:KEY

  std::string position() const { return fmt::format("{}/{}", resource_id, key); }
};

std::vector<TagOfResource> all_tags(const Moment& moment) {
  std::vector<TagOfResource> rows;
  const auto add = [&](const auto& resources, const char* type) {
    for (const auto* resource : resources) {
      for (const auto& [key, value] : resource->tags) {
        rows.push_back({resource->id.str(), type, key, value, {{key, value}}});
      }
    }
  };
  add(moment.addresses(), "elastic-ip");
  add(moment.instances(), "instance");
  add(moment.interfaces(), "network-interface");
  return rows;
}

const FilterTable<TagOfResource>& tag_filters() {
  using M = const Moment&;
  using T = const TagOfResource&;
  static const FilterTable<TagOfResource> table{
      .values = {{"key", [](M, T t) { return FilterValues{t.key}; }},
                 {"resource-id", [](M, T t) { return FilterValues{t.resource_id}; }},
                 {"resource-type", [](M, T t) { return FilterValues{t.resource_type}; }},
                 {"value", [](M, T t) { return FilterValues{t.value}; }}},
      .without_values = {}};
  return table;
}

}  // namespace

Outcome<> create_tags(Call& call) {
  Tags tags;
  for (const Query& tag : call.query.structures("Tag")) {
    const auto key = tag.find("Key");
    if (!key) {
      return refuse("MissingParameter", "The request must contain the parameter Tag.Key");
    }
    if (!tags.emplace(*key, tag.get("Value")).second) {
      return refuse("InvalidParameterValue", fmt::format("Duplicate tag key '{}' specified.", *key));
    }
  }
  const auto done = call.world.create_tags(call.query.list("ResourceId"), tags);
  if (done) {
    call.out.text("return", true);
  }
  return done;
}

Outcome<> delete_tags(Call& call) {
  std::vector<TagToDelete> tags;
  for (const Query& tag : call.query.structures("Tag")) {
    tags.emplace_back(tag.get("Key"), tag.find("Value"));
  }
  const auto done = call.world.delete_tags(call.query.list("ResourceId"), tags);
  if (done) {
    call.out.text("return", true);
  }
  return done;
}

Outcome<> describe_tags(Call& call) {
  const auto filters = parse_filters(call.query);
  if (!filters) {
    return tl::unexpected(filters.error());
  }
  if (const auto checked = check_filters(tag_filters(), *filters); !checked) {
    return checked;
  }
  const auto paging = parse_paging(call.query, false, "");
  if (!paging) {
    return tl::unexpected(paging.error());
  }
  const std::vector<TagOfResource> all = all_tags(call.moment);
  std::vector<const TagOfResource*> rows;
  for (const TagOfResource& row : all) {
    if (matches_filters(tag_filters(), *filters, call.moment, row)) {
      rows.push_back(&row);
    }
  }
  std::ranges::sort(rows, {}, [](const TagOfResource* row) { return row->position(); });
  const std::string next = cut_page(rows, *paging, [](const TagOfResource& row) { return row.position(); });
  call.out.list("tagSet", rows, [&](const TagOfResource* row) {
    call.out.text("resourceId", row->resource_id);
    call.out.text("resourceType", row->resource_type);
    call.out.text("key", row->key);
    call.out.text("value", row->value);
  });
  call.out.text_if_any("nextToken", next);
  return {};
}

Outcome<> describe_regions(Call& call) {
  const std::string& region = call.world.options().region;
  for (const std::string& name : call.query.list("RegionName")) {
    if (name != region) {
      return refuse("InvalidParameterValue",
                    fmt::format("Invalid values for parameter RegionName: {}", name));
    }
  }
  call.out.list("regionInfo", std::array{region}, [&](const std::string& name) {
    call.out.text("regionName", name);
    call.out.text("regionEndpoint", fmt::format("ec2.{}.amazonaws.com", name));
    call.out.text("optInStatus", "opt-in-not-required");
  });
  return {};
}

}  // namespace berth::sandbox
