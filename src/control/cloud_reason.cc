#include "control/cloud_reason.h"

#include <chrono>

namespace berth::control {
namespace {

using model::Reason;
using model::ReasonCode;
using namespace std::chrono_literals;

/// Peers end their messages with and without a full stop.
std::string sentence(const Error& error) {
  std::string text = error.message();
  if (!text.ends_with('.')) {
    text += '.';
  }
  return text;
}

Reason denied(const Error& error) {
  return {
      ReasonCode::kDenied, sentence(error),
      "Give the operator's credentials the permission for this call; it is tried again every few minutes."};
}

Reason throttled(const Error& error) {
  return {ReasonCode::kThrottled, sentence(error),
          "It is tried again by itself; see who else uses up the account's API rate."};
}

Reason unavailable(const Error& error) {
  return {ReasonCode::kCloudUnavailable, sentence(error),
          "It is tried again by itself; check the operator's network and the cloud's status."};
}

}  // namespace

Reason reason_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kUnauthorized:
      return denied(error);
    case ErrorKind::kThrottled:
      return throttled(error);
    default:
      return unavailable(error);
  }
}

Reason reason_of(const ports::Refused& refused) {
  using ports::RefusalCause;
  switch (refused.cause) {
    case RefusalCause::kDenied:
      return denied(refused.error);
    case RefusalCause::kThrottled:
      return throttled(refused.error);
    case RefusalCause::kNoInternetGateway:
      return {ReasonCode::kNoInternetGateway, sentence(refused.error),
              "Attach an internet gateway to the node's VPC."};
    case RefusalCause::kTargetGone:
    case RefusalCause::kTargetNotReady:
      return {ReasonCode::kInstanceNotRunning, sentence(refused.error),
              "It is tried again once the instance runs."};
    case RefusalCause::kAddressTaken:
    case RefusalCause::kAddressGone:
      return {ReasonCode::kPoolExhausted, sentence(refused.error), "Another address is tried."};
    case RefusalCause::kAssociationGone:
    case RefusalCause::kUnavailable:
    case RefusalCause::kInvalid:
      return unavailable(refused.error);
  }
  return unavailable(refused.error);
}

mechanism::BackoffPolicy retry_policy(ReasonCode code) {
  switch (code) {
    case ReasonCode::kDenied:
    case ReasonCode::kNoInternetGateway:
      return {.base = 1min, .cap = 5min};
    default:
      return {.base = 1s, .cap = 1min};
  }
}

}  // namespace berth::control
