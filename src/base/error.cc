#include "base/error.h"

#include <fmt/format.h>

namespace berth {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
      return "NotFound";
    case ErrorKind::kConflict:
      return "Conflict";
    case ErrorKind::kAlreadyTaken:
      return "AlreadyTaken";
    case ErrorKind::kThrottled:
      return "Throttled";
    case ErrorKind::kUnavailable:
      return "Unavailable";
    case ErrorKind::kTimeout:
      return "Timeout";
    case ErrorKind::kUnauthorized:
      return "Unauthorized";
    case ErrorKind::kInvalid:
      return "Invalid";
    case ErrorKind::kExpired:
      return "Expired";
    case ErrorKind::kNotLeader:
      return "NotLeader";
    case ErrorKind::kCancelled:
      return "Cancelled";
    case ErrorKind::kInternal:
      return "Internal";
  }
  return "Internal";
}

std::string Error::message() const {
  std::string text = operation.empty() ? detail : fmt::format("{}: {}", operation, detail);
  if (!code.empty()) {
    text += fmt::format(" ({})", code);
  }
  return text;
}

Disposition disposition(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConflict:
    case ErrorKind::kAlreadyTaken:
    case ErrorKind::kNotFound:
    case ErrorKind::kExpired:
      return Disposition::kRefresh;
    case ErrorKind::kUnauthorized:
      return Disposition::kWait;
    case ErrorKind::kThrottled:
    case ErrorKind::kUnavailable:
    case ErrorKind::kTimeout:
    case ErrorKind::kInternal:
      return Disposition::kBackoff;
    case ErrorKind::kInvalid:
    case ErrorKind::kNotLeader:
    case ErrorKind::kCancelled:
      return Disposition::kTerminal;
  }
  return Disposition::kBackoff;
}

}  // namespace berth
