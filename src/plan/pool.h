#pragma once
// The pool of a request: the addresses whose tags include the request's, and which of them could be used
// (R1).

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/tag_map.h"

namespace berth::plan {

/// Nodes with one key share one pool.
struct PoolKey {
  model::TagMap tags;
  std::string network_border_group;  // of the node's instance; empty: the region's

  friend auto operator<=>(const PoolKey&, const PoolKey&) = default;
};

/// Whether an address that has the tags can be associated by us with a node of that border group, once it is
/// free. Not so: another border group, not in a VPC, or managed by a service.
bool is_candidate(const model::Address& address, const std::string& network_border_group);

struct Pool {
  std::vector<const model::Address*> matching;    // have the tags; in numeric order
  std::vector<const model::Address*> candidates;  // of these, the usable ones, free or not

  bool has_candidate(const model::AllocationId& id) const;
};

/// Makes each pool once, and hands out its free addresses in numeric order, each at most once.
class Pools {
 public:
  /// `addresses` in numeric order and outliving this object; `taken`: reserved ones, not free whatever the
  /// cloud shows.
  Pools(const std::vector<model::Address>& addresses, std::set<model::AllocationId> taken);

  const Pool& find(const PoolKey& key);

  /// How many addresses of the account have `tags`, used or not.
  std::size_t count_matching(const model::TagMap& tags);

  bool is_free(const model::Address& address) const;

  /// The lowest free candidate, null where there is none. It is taken from then on.
  const model::Address* take_lowest(const PoolKey& key);
  /// False where it is not free.
  bool take(const model::Address& address);

 private:
  struct Entry {
    Pool pool;
    std::size_t next = 0;  // candidates before it are not free
  };

  Entry& entry(const PoolKey& key);
  const std::vector<const model::Address*>& matching(const model::TagMap& tags);

  const std::vector<model::Address>& addresses_;
  std::set<model::AllocationId> taken_;
  std::map<model::TagMap, std::vector<const model::Address*>> matching_;
  std::map<PoolKey, Entry> entries_;
};

}  // namespace berth::plan
