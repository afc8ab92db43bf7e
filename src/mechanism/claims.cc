#include "mechanism/claims.h"

#include <iterator>

namespace berth::mechanism {

using model::Address;

void Claims::here(const model::AllocationId& address, const model::Association& association, MonoTime since) {
  claims_.insert_or_assign(address, Claim{Kind::kHere, association, since});
}

void Claims::free(const model::AllocationId& address, const model::AssociationId& gone, MonoTime since) {
  claims_.insert_or_assign(address, Claim{Kind::kFree, {.id = gone, .target = {}, .instance = {}}, since});
}

void Claims::taken(const model::AllocationId& address, MonoTime since) {
  claims_.insert_or_assign(address, Claim{Kind::kTaken, {}, since});
}

/// Whether a claim still stands after a snapshot that shows its address with association `shown` (null: free,
/// or not there at all). `target_holds_another`: of a kHere claim, another address is shown on its target.
bool Claims::outlives(Claim& claim, const model::Association* shown, bool target_holds_another,
                      MonoTime started) const {
  if (started < claim.since) {
    return true;
  }
  switch (claim.kind) {
    case Kind::kHere:
      if (shown != nullptr || target_holds_another) {
        return false;
      }
      if (!claim.absent_since) {
        claim.absent_since = started;
      }
      return started - *claim.absent_since < grace_;
    case Kind::kFree:
      return shown != nullptr && shown->id == claim.association.id && started - claim.since < grace_;
    case Kind::kTaken:
      return shown == nullptr && started - claim.since < grace_;
  }
  return false;
}

void Claims::observe(const model::Snapshot& snapshot) {
  if (claims_.empty()) {
    return;
  }
  std::map<model::AllocationId, const model::Association*> shown;
  std::map<model::Target, model::AllocationId> holders;
  for (const Address& address : snapshot.addresses) {
    if (!address.association) {
      continue;
    }
    shown.emplace(address.id, &*address.association);
    const auto claim = claims_.find(address.id);
    const bool old_picture = claim != claims_.end() && claim->second.kind == Kind::kFree &&
                             claim->second.association.id == address.association->id;
    if (!old_picture) {
      holders.emplace(address.association->target, address.id);
    }
  }
  for (auto entry = claims_.begin(); entry != claims_.end();) {
    auto& [address, claim] = *entry;
    const auto found = shown.find(address);
    const auto holder = holders.find(claim.association.target);
    const bool holds_another = holder != holders.end() && holder->second != address;
    const bool stands =
        outlives(claim, found != shown.end() ? found->second : nullptr, holds_another, snapshot.started);
    entry = stands ? std::next(entry) : claims_.erase(entry);
  }
}

std::vector<Address> Claims::apply(const std::vector<Address>& shown) const {
  std::vector<Address> picture = shown;
  if (claims_.empty()) {
    return picture;
  }
  for (Address& address : picture) {
    const auto found = claims_.find(address.id);
    if (found == claims_.end()) {
      continue;
    }
    const Claim& claim = found->second;
    if (claim.kind == Kind::kFree) {
      address.association.reset();
    } else {
      address.association = claim.association;
    }
  }
  return picture;
}

}  // namespace berth::mechanism
