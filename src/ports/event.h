#pragma once
// Event: stays set until it is reset; any number of waiters. The loop's way of saying "look again".
//
//   while (!stop.stop_requested()) {
//     co_await dirty.wait(deadline, stop);
//     dirty.reset();
//     … look at the world as it is …
//   }
//
// Waiters resume from the loop, never from inside set(), so a set() in the middle of an edit is safe.

#include <coroutine>
#include <list>
#include <optional>
#include <stop_token>

#include "ports/clock.h"
#include "ports/task.h"

namespace berth::ports {

enum class Wake : std::uint8_t { kSet, kDeadline, kStopped };

class Event {
 public:
  explicit Event(Clock& clock) : clock_(clock) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void set();
  void reset() { set_ = false; }
  bool is_set() const { return set_; }

  /// Returns when it is set, at `deadline` (none: never), or when `stop` asks to stop, whichever is first.
  Task<Wake> wait(std::optional<MonoTime> deadline, std::stop_token stop);

 private:
  struct Waiter {
    std::coroutine_handle<> handle;
    Wake result = Wake::kSet;
    bool woken = false;
  };
  struct Suspend;

  void wake(Waiter& waiter, Wake result);

  Clock& clock_;
  bool set_ = false;
  std::list<Waiter*> waiters_;
};

}  // namespace berth::ports
