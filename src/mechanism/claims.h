#pragma once
// What the cloud has told us about an address beyond its newest snapshot, and for how long that outweighs a
// snapshot which does not show it (R6). EC2's reads may lag behind its writes
// (https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html), so
//   - presence counts at once: a snapshot that shows the address associated, or its target holding another,
//   ends the claim;
//   - absence counts when two snapshots a grace apart agree, or at once where a snapshot has shown the
//   association
//     before (then there is no claim left to protect it).
//
// Per address at most one claim:
//   kHere    a reply, or a status written from one, says that it is associated with a target
//   kFree    a reply says that this association is gone: the same association id in a later snapshot is an
//   old picture kTaken   a reply says that it cannot be had: somebody holds it, or it is gone, whatever the
//   snapshot shows
//
// `since` is when the cloud said so: a snapshot that started before it says nothing about the claim.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "model/address.h"

namespace berth::mechanism {

class Claims {
 public:
  explicit Claims(Duration grace) : grace_(grace) {}

  void here(const model::AllocationId& address, const model::Association& association, MonoTime since);
  void free(const model::AllocationId& address, const model::AssociationId& gone, MonoTime since);
  void taken(const model::AllocationId& address, MonoTime since);

  /// Ends the claims that `snapshot` confirms, contradicts or outlives.
  void observe(const model::Snapshot& snapshot);

  /// `shown` with every claim that still stands put over it. An address of a claim that is not shown stays
  /// away.
  std::vector<model::Address> apply(const std::vector<model::Address>& shown) const;

  std::size_t size() const { return claims_.size(); }

 private:
  enum class Kind : std::uint8_t { kHere, kFree, kTaken };
  struct Claim {
    Kind kind;
    model::Association association;
    MonoTime since{};
    std::optional<MonoTime> absent_since = std::nullopt;  // kHere: start of the first snapshot without it
  };

  bool outlives(Claim& claim, const model::Association* shown, bool target_holds_another,
                MonoTime started) const;

  Duration grace_;
  std::map<model::AllocationId, Claim> claims_;
};

}  // namespace berth::mechanism
