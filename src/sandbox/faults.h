#pragma once
// Faults that a person or a test asks for, and the count of all calls. An action is an EC2 action
// ("AssociateAddress") or a Kubernetes verb and resource ("patch:ciliumnodes/status", "watch:ciliumnodes",
// "list:nodes", "create:events").

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth::sandbox {

/// What is asked for. Parts that are absent do nothing.
struct Fault {
  struct Bucket {
    double burst = 0;  // tokens at the start, and at most
    double rate = 0;   // tokens a second
  };

  std::string error;                   // the peer's error code; empty: none
  std::optional<std::uint64_t> count;  // how many calls suffer it; none: all, until it is deleted
  Duration delay{};                    // before the effect
  Duration stale{};                    // reads show the world as it was so long ago
  bool lost_reply = false;             // the call has its effect, then the connection closes
  std::optional<Bucket> bucket;        // a call without a token is throttled; not bounded by count
};

/// What one call suffers, in this order: throttled, delay, error (no effect), stale read, lost reply.
struct Suffered {
  bool throttled = false;
  Duration delay{};
  std::string error;
  Duration stale{};
  bool lost_reply = false;
};

class Faults {
 public:
  /// Reads the JSON of PUT /faults/ACTION; kInvalid names the key that is wrong.
  static Result<Fault> parse(std::string_view json);

  void set(const std::string& action, Fault fault, MonoTime now);
  void clear();
  /// False where none was in force for the action.
  bool clear(std::string_view action);

  /// {"AssociateAddress": {"error": "InternalError", "count": 2}}: what is in force, as GET /faults shows it.
  std::string in_force_json() const;

  /// To be asked once at the start of each call; counts the fault down.
  Suffered on_call(std::string_view action, MonoTime now);

  /// The result of a finished call: "ok", or the error's code or reason.
  void record(std::string_view action, std::string_view result);

  /// {"AssociateAddress": {"ok": 3, "Resource.AlreadyAssociated": 1}}, as GET /calls shows it.
  std::string calls_json() const;
  void reset_calls() { calls_.clear(); }

 private:
  struct Active {
    Fault fault;
    double tokens = 0;
    MonoTime filled_at{};
  };

  std::map<std::string, Active, std::less<>> active_;
  std::map<std::string, std::map<std::string, std::uint64_t>, std::less<>> calls_;
};

}  // namespace berth::sandbox
