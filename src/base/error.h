#pragma once
// What went wrong, in words that every layer shares. A peer's own codes (EC2, Kubernetes) are mapped to a
// kind at the edge, once, in that peer's table; nothing above the edge looks at a peer's code to decide.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace berth {

enum class ErrorKind : std::uint8_t {
  kNotFound,      // the thing named does not exist (or is not visible yet)
  kConflict,      // somebody changed it meanwhile; read again
  kAlreadyTaken,  // what was asked for belongs to another
  kThrottled,     // too many calls; retry_after if the peer said when
  kUnavailable,   // the peer cannot serve now; the request had no effect
  kTimeout,       // sent, and no reply is known: it may have had its effect
  kUnauthorized,  // credentials are missing, refused or not sufficient
  kInvalid,       // the request, or an input file, is wrong; repeating it cannot help
  kExpired,       // a resource version or page token is too old; start over
  kNotLeader,     // this process may not write now
  kCancelled,     // this process is stopping
  kInternal,      // a peer broke its protocol
};

std::string_view to_string(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string operation;  // what was tried, as its peer calls it: "AssociateAddress", "read /etc/cni/net.d"
  std::string detail;     // one sentence for a person: what, where, what was expected, what to do
  std::string code = {};  // the peer's own code, for logs: "UnauthorizedOperation"
  std::optional<Duration> retry_after = std::nullopt;

  /// "AssociateAddress: the address is associated already (Resource.AlreadyAssociated)".
  std::string message() const;

  friend bool operator==(const Error&, const Error&) = default;
};

/// What a caller does about an error, decided in one place.
enum class Disposition : std::uint8_t {
  kBackoff,   // try again, later and later
  kWait,      // try again after retry_after, or after a long pause: only somebody else can mend it
  kRefresh,   // our picture is stale: read again, then decide anew
  kTerminal,  // trying again cannot help
};

Disposition disposition(ErrorKind kind);

}  // namespace berth
