#pragma once
// Why a request is not served, in the same words everywhere: status, Event, log, metric, explain (R12).

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::model {

enum class ReasonCode : std::uint8_t {
  kNoInstance,          // spec.instance-id is empty or malformed
  kInstanceMismatch,    // the Node's providerID names another instance
  kDuplicateInstance,   // two nodes name one instance
  kNoPrimaryInterface,  // the instance has no interface at network card 0, device index 0
  kInstanceNotRunning,
  kPoolEmpty,       // no address has the tags
  kPoolExhausted,   // some have, none is usable
  kWaiting,         // in line
  kForeignAddress,  // the target holds an address that is not ours
  kNotOfPool,       // the node keeps an address that no longer matches
  kDenied,
  kThrottled,
  kCloudUnavailable,
  kNoInternetGateway,
  kUndecodable,
};

std::string_view to_string(ReasonCode code);

struct Reason {
  ReasonCode code;
  std::string sentence;  // what is the case, with the values; ends in a full stop
  std::string remedy;    // what to do about it; ends in a full stop

  /// "CODE: sentence. Remedy."
  std::string text() const;

  friend bool operator==(const Reason&, const Reason&) = default;
};

}  // namespace berth::model
