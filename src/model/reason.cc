#include "model/reason.h"

namespace berth::model {

std::string_view to_string(ReasonCode code) {
  switch (code) {
    case ReasonCode::kNoInstance:
      return "NoInstance";
    case ReasonCode::kInstanceMismatch:
      return "InstanceMismatch";
    case ReasonCode::kDuplicateInstance:
      return "DuplicateInstance";
    case ReasonCode::kNoPrimaryInterface:
      return "NoPrimaryInterface";
    case ReasonCode::kInstanceNotRunning:
      return "InstanceNotRunning";
    case ReasonCode::kPoolEmpty:
      return "PoolEmpty";
    case ReasonCode::kPoolExhausted:
      return "PoolExhausted";
    case ReasonCode::kWaiting:
      return "Waiting";
    case ReasonCode::kForeignAddress:
      return "ForeignAddress";
    case ReasonCode::kNotOfPool:
      return "NotOfPool";
    case ReasonCode::kDenied:
      return "Denied";
    case ReasonCode::kThrottled:
      return "Throttled";
    case ReasonCode::kCloudUnavailable:
      return "CloudUnavailable";
    case ReasonCode::kNoInternetGateway:
      return "NoInternetGateway";
    case ReasonCode::kUndecodable:
      return "Undecodable";
  }
  return "Undecodable";
}

std::string Reason::text() const {
  std::string text(to_string(code));
  text += ": " + sentence;
  if (!remedy.empty()) {
    text += " " + remedy;
  }
  return text;
}

}  // namespace berth::model
