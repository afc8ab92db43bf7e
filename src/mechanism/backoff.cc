#include "mechanism/backoff.h"

#include <algorithm>

#include "base/check.h"

namespace berth::mechanism {
namespace {

Duration scaled(Duration duration, double by) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * by));
}

}  // namespace

Backoff::Backoff(BackoffPolicy policy) : policy_(policy), delay_(policy.base) {
  CHECK(policy_.base > Duration::zero() && policy_.base <= policy_.cap);
  CHECK(policy_.factor >= 1);
  CHECK(policy_.jitter >= 0 && policy_.jitter < 1);
}

Duration Backoff::next(Prng& prng) {
  const Duration delay = delay_;
  // The comparison comes before the product, which could be more than a Duration holds.
  delay_ = delay_ >= scaled(policy_.cap, 1 / policy_.factor) ? policy_.cap : scaled(delay_, policy_.factor);
  return scaled(delay, 1 + policy_.jitter * (2 * prng.unit() - 1));
}

}  // namespace berth::mechanism
