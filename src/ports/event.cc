#include "ports/event.h"

#include "base/check.h"

namespace berth::ports {

Event::~Event() { CHECK(waiters_.empty()); }

struct Event::Suspend {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    waiter.handle = handle;
    event.waiters_.push_back(&waiter);
  }
  void await_resume() const {}

  Event& event;
  Waiter& waiter;
};

void Event::wake(Waiter& waiter, Wake result) {
  if (waiter.woken) {
    return;
  }
  waiter.woken = true;
  waiter.result = result;
  waiters_.remove(&waiter);
  clock_.post([handle = waiter.handle] { handle.resume(); });
}

void Event::set() {
  set_ = true;
  while (!waiters_.empty()) {
    wake(*waiters_.front(), Wake::kSet);
  }
}

Task<Wake> Event::wait(std::optional<MonoTime> deadline, std::stop_token stop) {
  if (stop.stop_requested()) {
    co_return Wake::kStopped;
  }
  if (set_) {
    co_return Wake::kSet;
  }
  Waiter waiter;
  std::optional<Clock::TimerId> timer;
  if (deadline) {
    timer = clock_.call_at(*deadline, [this, &waiter] { wake(waiter, Wake::kDeadline); });
  }
  {
    const std::stop_callback on_stop(stop, [this, &waiter] { wake(waiter, Wake::kStopped); });
    co_await Suspend{*this, waiter};
  }
  if (timer) {
    clock_.cancel(*timer);
  }
  co_return waiter.result;
}

Task<bool> sleep_until(Clock& clock, MonoTime at, std::stop_token stop) {
  Event never(clock);
  co_return co_await never.wait(at, std::move(stop)) == Wake::kDeadline;
}

}  // namespace berth::ports
