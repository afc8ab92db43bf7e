#pragma once
// The sentences of R12: one place, so that status, Event, log and explain say the same. Each says what is the
// case with its values, and what to do about it.

#include <map>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/instance.h"
#include "model/node_view.h"
#include "model/reason.h"
#include "plan/pool.h"

namespace berth::plan {

model::Reason undecodable(const model::NodeView& node);
model::Reason no_instance(const model::NodeView& node);
model::Reason instance_mismatch(const model::NodeView& node);
model::Reason duplicate_instance(const model::NodeView& node, const model::NodeView& served);
model::Reason instance_unknown_to_cloud(const model::NodeView& node);
model::Reason instance_not_running(const model::Instance& instance);
model::Reason no_primary_interface(const model::Instance& instance);
model::Reason pool_empty(const model::NodeView& node);
model::Reason foreign_address(const model::NodeView& node, const model::Address& foreign);
model::Reason not_of_pool(const model::NodeView& node, const model::Address& kept);

/// Who holds which address, for sentences.
struct Holders {
  std::map<model::InstanceId, model::NodeName> by_instance;
  std::map<model::Target, model::NodeName> by_target;  // not every cloud names the instance of an association
  std::map<model::AllocationId, model::NodeName> being_given;

  /// The node of ours; null where there is none.
  const model::NodeName* find(const model::Address& address) const;
};

/// Some have the tags, and none can come free by what our nodes do.
model::Reason pool_exhausted(const model::NodeView& node, const PoolKey& key, const Pool& pool,
                             const Holders& holders);

/// In line, at `place` (from 1) of `length`.
model::Reason waiting(const model::NodeView& node, const Pool& pool, const Holders& holders,
                      std::size_t place, std::size_t length);

}  // namespace berth::plan
