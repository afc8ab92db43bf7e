#pragma once
// From what the cloud answered to what a person reads (R12), and to how soon it is worth trying again.

#include "base/error.h"
#include "mechanism/backoff.h"
#include "model/reason.h"
#include "ports/cloud.h"

namespace berth::control {

/// Why the cloud cannot be read.
model::Reason reason_of(const Error& error);

/// Why an address could not be associated or disassociated.
model::Reason reason_of(const ports::Refused& refused);

/// Permissions and networks are mended by people, in minutes; the rest heals by itself.
mechanism::BackoffPolicy retry_policy(model::ReasonCode code);

}  // namespace berth::control
