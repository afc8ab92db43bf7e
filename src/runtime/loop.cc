#include "runtime/loop.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/check.h"

namespace berth::runtime {
namespace asio = boost::asio;

struct Loop::Reactor {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> stays_open{context.get_executor()};
  asio::steady_timer timer{context};
};

namespace {

std::chrono::steady_clock::time_point steady(MonoTime at) {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(at.time_since_epoch()));
}

ports::Task<void> keep_result(ports::Task<int> main, std::optional<int>& result) {
  result = co_await std::move(main);
}

}  // namespace

Loop::Loop() : reactor_(std::make_unique<Reactor>()) { std::signal(SIGPIPE, SIG_IGN); }

Loop::~Loop() = default;

MonoTime Loop::mono_now() const {
  return MonoTime(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime Loop::wall_now() const {
  return WallTime(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

ports::Clock::TimerId Loop::call_at(MonoTime at, std::function<void()> action) {
  // A time that has passed counts as now, so that it runs after what was asked for before it.
  const TimerId id = ++last_;
  const auto [entry, _] = timers_.emplace(std::pair(std::max(at, mono_now()), id), std::move(action));
  by_id_.emplace(id, entry);
  if (entry == timers_.begin()) {
    arm();
  }
  return id;
}

void Loop::cancel(TimerId timer) {
  // The reactor's timer stays as it is: a turn that finds nothing due is cheaper than a system call here.
  if (const auto found = by_id_.find(timer); found != by_id_.end()) {
    timers_.erase(found->second);
    by_id_.erase(found);
  }
}

void Loop::arm() {
  if (timers_.empty() || turn_posted_) {
    return;
  }
  const MonoTime first = timers_.begin()->first.first;
  if (first <= mono_now()) {
    turn_posted_ = true;
    asio::post(reactor_->context, [this] {
      turn_posted_ = false;
      run_due();
    });
    return;
  }
  if (armed_ && armed_for_ <= first) {
    return;
  }
  armed_ = true;
  armed_for_ = first;
  reactor_->timer.expires_at(steady(first));  // an earlier wait ends with an error
  reactor_->timer.async_wait([this](boost::system::error_code error) {
    if (!error) {
      armed_ = false;
      run_due();
    }
  });
}

void Loop::run_due() {
  // One turn: what was due when it began. What that asks for runs in the next, after sockets had their turn.
  const MonoTime now = mono_now();
  const TimerId last = last_;
  while (!timers_.empty()) {
    const auto first = timers_.begin();
    if (first->first.first > now || first->first.second > last) {
      break;
    }
    const std::function<void()> action = std::move(first->second);
    by_id_.erase(first->first.second);
    timers_.erase(first);
    action();
  }
  arm();
}

int Loop::run(ports::Task<int> main) {
  std::optional<int> result;
  ports::TaskScope scope;
  scope.spawn(keep_result(std::move(main), result));
  while (!result) {
    reactor_->context.run_one();
  }
  CHECK(scope.running() == 0);
  reactor_->context.poll();
  return *result;
}

asio::io_context& Loop::io_context() { return reactor_->context; }

}  // namespace berth::runtime
