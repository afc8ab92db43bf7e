#pragma once
// How long to wait before the next try: longer after each failure, up to a cap, and never in step with others
// that failed at the same moment. It does not wait, and it does not know what is tried.
//
//   next() = min(base * factor^n, cap) * (1 ± jitter)      n = number of next() since the last reset()

#include "base/prng.h"
#include "base/time.h"

namespace berth::mechanism {

struct BackoffPolicy {
  Duration base;
  double factor = 2;
  Duration cap;         // before jitter: at the cap, tries of many still spread out
  double jitter = 0.2;  // a share of the delay, to both sides; in [0, 1)
};

class Backoff {
 public:
  /// `base` is positive and not above `cap`; `factor` is at least 1.
  explicit Backoff(BackoffPolicy policy);

  Duration next(Prng& prng);

  /// After success: the next delay is `base` again.
  void reset() { delay_ = policy_.base; }

 private:
  BackoffPolicy policy_;
  Duration delay_;
};

}  // namespace berth::mechanism
