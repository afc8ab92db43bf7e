#include "mechanism/backoff.h"

#include <chrono>
#include <set>

#include <gtest/gtest.h>

namespace berth::mechanism {
namespace {

using namespace std::chrono_literals;

constexpr BackoffPolicy kExact{.base = 800ms, .factor = 2, .cap = 30s, .jitter = 0};

TEST(Backoff, doubles_up_to_its_cap_and_stays_there) {
  Prng prng(1);
  Backoff backoff(kExact);
  for (const Duration expected : {Duration(800ms), Duration(1600ms), Duration(3200ms), Duration(6400ms),
                                  Duration(12800ms), Duration(25600ms), Duration(30s), Duration(30s)}) {
    EXPECT_EQ(backoff.next(prng), expected);
  }
}

TEST(Backoff, starts_over_after_a_reset) {
  Prng prng(1);
  Backoff backoff(kExact);
  static_cast<void>(backoff.next(prng));
  static_cast<void>(backoff.next(prng));
  backoff.reset();
  EXPECT_EQ(backoff.next(prng), 800ms);
  EXPECT_EQ(backoff.next(prng), 1600ms);
}

TEST(Backoff, jitter_spreads_to_both_sides_also_at_the_cap) {
  Prng prng(7);
  Backoff backoff({.base = 10s, .factor = 2, .cap = 10s});
  std::set<Duration> seen;
  for (int i = 0; i < 1000; ++i) {
    const Duration delay = backoff.next(prng);
    EXPECT_GE(delay, 8s);
    EXPECT_LE(delay, 12s);
    seen.insert(delay);
  }
  EXPECT_LT(*seen.begin(), 8500ms);
  EXPECT_GT(*seen.rbegin(), 11500ms);
}

TEST(Backoff, one_seed_gives_one_sequence) {
  Prng a(3);
  Prng b(3);
  Backoff first({.base = 1s, .cap = 5min});
  Backoff second({.base = 1s, .cap = 5min});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(first.next(a), second.next(b));
  }
}

TEST(Backoff, never_overflows_however_often_it_is_asked) {
  Prng prng(1);
  Backoff backoff({.base = 1ns, .factor = 1e6, .cap = 24h, .jitter = 0});
  for (int i = 0; i < 100; ++i) {
    const Duration delay = backoff.next(prng);
    EXPECT_GT(delay, 0ns);
    EXPECT_LE(delay, 24h);
  }
}

}  // namespace
}  // namespace berth::mechanism
