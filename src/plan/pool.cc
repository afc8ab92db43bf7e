#include "plan/pool.h"

#include <algorithm>
#include <utility>

namespace berth::plan {

using model::Address;

bool is_candidate(const Address& address, const std::string& network_border_group) {
  return address.in_vpc && address.service_managed.empty() &&
         address.network_border_group == network_border_group;
}

bool Pool::has_candidate(const model::AllocationId& id) const {
  return std::ranges::any_of(candidates, [&id](const Address* address) { return address->id == id; });
}

Pools::Pools(const std::vector<Address>& addresses, std::set<model::AllocationId> taken)
    : addresses_(addresses), taken_(std::move(taken)) {}

const std::vector<const Address*>& Pools::matching(const model::TagMap& tags) {
  const auto [place, is_new] = matching_.try_emplace(tags);
  if (is_new) {
    for (const Address& address : addresses_) {
      if (model::includes(address.tags, tags)) {
        place->second.push_back(&address);
      }
    }
  }
  return place->second;
}

Pools::Entry& Pools::entry(const PoolKey& key) {
  const auto [place, is_new] = entries_.try_emplace(key);
  if (is_new) {
    Pool& pool = place->second.pool;
    pool.matching = matching(key.tags);
    std::ranges::copy_if(pool.matching, std::back_inserter(pool.candidates), [&key](const Address* address) {
      return is_candidate(*address, key.network_border_group);
    });
  }
  return place->second;
}

const Pool& Pools::find(const PoolKey& key) { return entry(key).pool; }

std::size_t Pools::count_matching(const model::TagMap& tags) { return matching(tags).size(); }

bool Pools::is_free(const Address& address) const {
  return !address.association && !taken_.contains(address.id);
}

const Address* Pools::take_lowest(const PoolKey& key) {
  Entry& found = entry(key);
  for (; found.next < found.pool.candidates.size(); ++found.next) {
    const Address* address = found.pool.candidates[found.next];
    if (take(*address)) {
      return address;
    }
  }
  return nullptr;
}

bool Pools::take(const Address& address) { return is_free(address) && taken_.insert(address.id).second; }

}  // namespace berth::plan
