#pragma once
// Reading a collection: which version of it, which objects, and in which pages.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/kube/request.h"
#include "sandbox/kube/selector.h"
#include "sandbox/kube/store.h"

namespace berth::sandbox::kube {

struct ListOptions {
  Selector selector;
  std::string space;                     // empty: all namespaces
  std::optional<std::uint64_t> version;  // nothing: the newest
  bool exactly = false;
  std::uint64_t limit = 0;  // 0: none
  std::string token;        // of `continue`

  static Outcome<ListOptions> read(const Url& url, const ResourceType& type, std::string space);
};

struct Page {
  std::vector<ObjectPtr> items;
  std::uint64_t version = 0;
  std::string token;  // empty: this is the last page
  std::optional<std::uint64_t> remaining;
};

/// `stale_version` is how old the world looks to this call; nothing: it does not.
Outcome<Page> list(Store& store, const ResourceType& type, const ListOptions& options,
                   std::optional<std::uint64_t> stale_version);

/// Digits; nothing where the text is empty, BadRequest where it is anything else.
Outcome<std::optional<std::uint64_t>> read_version(std::string_view text);

/// The whole answer to a list, as JSON.
std::string render_list(const ResourceType& type, const Page& page);
json::object list_metadata(const Page& page);

}  // namespace berth::sandbox::kube
