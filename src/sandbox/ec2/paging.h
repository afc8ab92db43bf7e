#pragma once
// Pages of a describe: MaxResults and an opaque NextToken. Members come in the order of their ids; a token
// names the last one shown, so that what is created or deleted between two pages makes no other member appear
// twice or not at all.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/ec2/query.h"

namespace berth::sandbox {

struct Paging {
  std::optional<int> max_results;
  std::string after;  // the last id of the page before; empty: from the start
};

/// `ids_named`: whether the request also names ids, which EC2 refuses beside MaxResults; `ids_parameter` is
/// how its message calls them. Errors: InvalidParameterValue, InvalidParameterCombination,
/// InvalidPaginationToken.
Outcome<Paging> parse_paging(const Query& query, bool ids_named, std::string_view ids_parameter);

std::string page_token(std::string_view last_id);

/// Cuts `members` (in the order of their ids) to the page; gives the token of the next one, empty at the end.
template <class T, class IdOf>
std::string cut_page(std::vector<const T*>& members, const Paging& paging, IdOf id_of) {
  std::erase_if(members, [&](const T* member) { return id_of(*member) <= paging.after; });
  if (!paging.max_results || members.size() <= static_cast<std::size_t>(*paging.max_results)) {
    return "";
  }
  members.resize(static_cast<std::size_t>(*paging.max_results));
  return page_token(id_of(*members.back()));
}

}  // namespace berth::sandbox
