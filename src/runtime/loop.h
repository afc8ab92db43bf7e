#pragma once
// The real clock and the one thread that everything runs on: one io_context, its timers, and the turn from
// start to end of a program. It knows nothing of sockets; those who do take io_context() from it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "ports/clock.h"
#include "ports/task.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): Asio's name
}

namespace berth::runtime {

class Loop final : public ports::Clock {
 public:
  /// Also makes the process ignore SIGPIPE: a peer that goes away is an error to handle, not a reason to die.
  Loop();
  ~Loop() override;

  MonoTime mono_now() const override;
  WallTime wall_now() const override;

  /// Exact to some tens of microseconds. What is due now costs no system call of its own.
  TimerId call_at(MonoTime at, std::function<void()> action) override;
  void cancel(TimerId timer) override;

  /// Runs `main` and whatever it waits for, until it ends; then what is ready, so that sockets and timers
  /// that were closed on the way out are done with their owners. Timers for later are kept for the next run
  /// and dropped with the loop.
  int run(ports::Task<int> main);

  /// For runtime/ alone; the type is incomplete to everybody else.
  boost::asio::io_context& io_context();

 private:
  struct Reactor;
  using Timers = std::map<std::pair<MonoTime, TimerId>, std::function<void()>>;

  /// Sees to it that run_due() is called when the first timer is due.
  void arm();
  void run_due();

  Timers timers_;
  std::unordered_map<TimerId, Timers::iterator> by_id_;
  TimerId last_ = 0;
  bool turn_posted_ = false;  // run_due() is queued for the next turn
  MonoTime armed_for_;        // when the reactor's timer fires
  bool armed_ = false;
  std::unique_ptr<Reactor> reactor_;
};

}  // namespace berth::runtime
