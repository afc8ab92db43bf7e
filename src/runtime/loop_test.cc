#include "runtime/loop.h"

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ports/event.h"
#include "runtime/signals.h"

namespace berth::runtime {
namespace {

using namespace std::chrono_literals;
using ports::Task;

Task<int> value(int number) { co_return number; }

TEST(Loop, gives_the_value_of_its_task_and_can_run_again) {
  Loop loop;
  EXPECT_EQ(loop.run(value(7)), 7);
  EXPECT_EQ(loop.run(value(8)), 8);
}

Task<int> wait_turns(Loop& loop, int turns) {
  for (int i = 0; i < turns; ++i) {
    co_await ports::sleep_for(loop, 0s, {});
  }
  co_return 0;
}

Task<int> wait_until(Loop& loop, MonoTime at) {
  EXPECT_TRUE(co_await ports::sleep_until(loop, at, {}));
  co_return 0;
}

TEST(Loop, equal_times_run_in_the_order_asked_for) {
  Loop loop;
  std::vector<int> order;
  const MonoTime at = loop.mono_now() + 2ms;
  loop.call_at(at + 1ns, [&] { order.push_back(4); });
  loop.call_at(at, [&] { order.push_back(1); });
  loop.call_at(at, [&] { order.push_back(2); });
  loop.call_at(at, [&] { order.push_back(3); });
  loop.run(wait_until(loop, at + 1ns));
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST(Loop, a_time_that_has_passed_counts_as_now) {
  Loop loop;
  std::vector<int> order;
  loop.post([&] { order.push_back(1); });
  loop.call_at(loop.mono_now() - 1s, [&] { order.push_back(2); });
  loop.post([&] { order.push_back(3); });
  EXPECT_TRUE(order.empty()) << "never from inside the call";
  loop.run(wait_turns(loop, 2));
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(Loop, what_an_action_posts_runs_in_a_later_turn) {
  Loop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] { order.push_back(3); });
    order.push_back(1);
  });
  loop.post([&] { order.push_back(2); });
  loop.run(wait_turns(loop, 3));
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(Loop, a_cancelled_timer_does_not_run_and_cancelling_twice_is_harmless) {
  Loop loop;
  bool ran = false;
  const auto timer = loop.post([&] { ran = true; });
  loop.cancel(timer);
  loop.cancel(timer);
  loop.cancel(12345);
  loop.run(wait_turns(loop, 2));
  EXPECT_FALSE(ran);
}

TEST(Loop, an_action_may_cancel_another_that_is_due_in_the_same_turn) {
  Loop loop;
  bool ran = false;
  ports::Clock::TimerId second = 0;
  loop.post([&] { loop.cancel(second); });
  second = loop.post([&] { ran = true; });
  loop.run(wait_turns(loop, 2));
  EXPECT_FALSE(ran);
}

TEST(Loop, an_earlier_timer_overtakes_one_that_is_armed) {
  Loop loop;
  std::vector<int> order;
  const MonoTime start = loop.mono_now();
  loop.call_at(start + 1h, [&] { order.push_back(2); });
  loop.call_at(start + 2ms, [&] { order.push_back(1); });
  loop.run(wait_until(loop, start + 2ms));
  EXPECT_EQ(order, std::vector{1});
}

Task<int> note_time(Loop& loop, MonoTime at, MonoTime& woken) {
  EXPECT_TRUE(co_await ports::sleep_until(loop, at, {}));
  woken = loop.mono_now();
  co_return 0;
}

TEST(Loop, a_timer_never_fires_early) {
  Loop loop;
  const MonoTime at = loop.mono_now() + 300us;
  MonoTime woken{};
  loop.run(note_time(loop, at, woken));
  EXPECT_GE(woken, at);
}

TEST(Loop, thousands_of_timers_are_set_and_cancelled_in_no_time) {
  Loop loop;
  std::vector<ports::Clock::TimerId> timers;
  constexpr int many = 200'000;  // quadratic work would take minutes
  timers.reserve(many);
  for (int i = 0; i < many; ++i) {
    timers.push_back(loop.call_at(loop.mono_now() + 1h - i * 1us, [] {}));
  }
  for (const auto timer : timers) {
    loop.cancel(timer);
  }
  EXPECT_EQ(loop.run(value(0)), 0);
}

Task<int> raise_and_wait(Loop& loop, std::stop_token stop, int number) {
  // The signal comes while the wait is under way.
  if (number != 0) {
    loop.post([number] { std::raise(number); });
  }
  co_return co_await wait_for_signal(loop, {SIGUSR1, SIGUSR2}, std::move(stop));
}

TEST(Signals, the_number_of_the_signal_that_came_is_given) {
  Loop loop;
  EXPECT_EQ(loop.run(raise_and_wait(loop, {}, SIGUSR2)), SIGUSR2);
  EXPECT_EQ(loop.run(raise_and_wait(loop, {}, SIGUSR1)), SIGUSR1);
}

TEST(Signals, a_wait_ends_with_0_when_asked_to_stop) {
  Loop loop;
  std::stop_source stop;
  loop.post([&] { stop.request_stop(); });
  EXPECT_EQ(loop.run(raise_and_wait(loop, stop.get_token(), 0)), 0);
  EXPECT_EQ(loop.run(raise_and_wait(loop, stop.get_token(), 0)), 0) << "and when that was before";
}

}  // namespace
}  // namespace berth::runtime
