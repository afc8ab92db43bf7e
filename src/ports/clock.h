#pragma once
// Time, and with it the order in which things run. The real loop and a virtual clock implement the same four
// calls; all waiting in the product is built from them (sleep_until below, Event in event.h).

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/time.h"
#include "ports/task.h"

namespace berth::ports {

class Clock {
 public:
  using TimerId = std::uint64_t;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual MonoTime mono_now() const = 0;
  virtual WallTime wall_now() const = 0;

  /// Calls `action` from the loop, never from inside this call, at `at` or as soon as possible after it.
  /// Equal times run in the order in which they were asked for.
  virtual TimerId call_at(MonoTime at, std::function<void()> action) = 0;

  /// Does nothing where the timer has run or was cancelled before.
  virtual void cancel(TimerId timer) = 0;

  /// `action` on the next turn of the loop.
  TimerId post(std::function<void()> action) { return call_at(mono_now(), std::move(action)); }
};

/// True at `at`; false at once when `stop` asks to stop before that.
Task<bool> sleep_until(Clock& clock, MonoTime at, std::stop_token stop);

inline Task<bool> sleep_for(Clock& clock, Duration time, std::stop_token stop) {
  return sleep_until(clock, clock.mono_now() + time, std::move(stop));
}

}  // namespace berth::ports
