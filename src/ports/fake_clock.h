#pragma once
// For tests: time that moves only when the test moves it. Nothing runs but inside advance() and settle().

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "ports/clock.h"

namespace berth::ports {

class FakeClock final : public Clock {
 public:
  MonoTime mono_now() const override { return now_; }
  WallTime wall_now() const override { return wall_start_ + now_.time_since_epoch(); }

  TimerId call_at(MonoTime at, std::function<void()> action) override {
    const TimerId id = ++last_;
    timers_.emplace(std::pair(std::max(at, now_), id), std::move(action));
    return id;
  }

  void cancel(TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
  }

  /// Runs what is due now, and what that makes due now.
  void settle() { advance(Duration::zero()); }

  void advance(Duration time) {
    const MonoTime end = now_ + time;
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      now_ = timers_.begin()->first.first;
      auto due = timers_.extract(timers_.begin());
      due.mapped()();
    }
    now_ = end;
  }

  std::size_t timers() const { return timers_.size(); }

 private:
  MonoTime now_{};
  WallTime wall_start_ = *parse_rfc3339("2026-01-01T00:00:00Z");
  TimerId last_ = 0;
  std::map<std::pair<MonoTime, TimerId>, std::function<void()>> timers_;
};

}  // namespace berth::ports
