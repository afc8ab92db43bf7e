#pragma once
// What the operator needs of any cloud: which addresses there are, what a node's target is, and to associate
// one with the other. Protocol, codes and paging stay behind this interface.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/address.h"
#include "model/ids.h"
#include "model/instance.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::ports {

/// Why a mutating call was refused, in words that any cloud can use.
enum class RefusalCause : std::uint8_t {
  kAddressTaken,       // associated elsewhere
  kAddressGone,        // no such address in this account and region
  kAssociationGone,    // of disassociate: it is not there any more
  kTargetGone,         // no such interface or instance, or not visible yet
  kTargetNotReady,     // pending, stopping or terminated
  kNoInternetGateway,  // the target's network has no way out
  kDenied,             // the permissions do not allow it
  kThrottled,
  kUnavailable,  // the cloud could not be reached, or had no time; nothing happened
  kInvalid,      // the cloud calls the request wrong
};

struct Refused {
  RefusalCause cause;
  Error error;
};

/// The call was sent and nobody knows what became of it: time-out, lost reply, a server's internal error.
struct OutcomeUnknown {
  Error error;
};

struct Associated {
  model::AssociationId association;
};
struct Disassociated {};

using AssociateOutcome = std::variant<Associated, Refused, OutcomeUnknown>;
using DisassociateOutcome = std::variant<Disassociated, Refused, OutcomeUnknown>;

class Cloud {
 public:
  Cloud() = default;
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;
  virtual ~Cloud() = default;

  /// Every address of the account and region.
  virtual Task<Result<std::vector<model::Address>>> list_addresses(CallLimits limits) = 0;

  /// The instances of these ids, in any order; one that the cloud does not know is absent from the answer. At
  /// most max_instances_per_list() ids.
  virtual Task<Result<std::vector<model::Instance>>> list_instances(std::vector<model::InstanceId> ids,
                                                                    CallLimits limits) = 0;
  virtual std::size_t max_instances_per_list() const = 0;

  /// Never takes an address from another holder. An address that the target has already is dropped by it
  /// (EC2), so the caller knows what the target holds.
  virtual Task<AssociateOutcome> associate(model::AllocationId address, model::Target target,
                                           CallLimits limits) = 0;

  virtual Task<DisassociateOutcome> disassociate(model::AssociationId association, CallLimits limits) = 0;
};

}  // namespace berth::ports
