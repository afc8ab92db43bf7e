#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ports/clock.h"
#include "ports/completion.h"
#include "ports/event.h"
#include "ports/fake_clock.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::ports {
namespace {

using namespace std::chrono_literals;

Task<int> add(int a, int b) { co_return a + b; }
Task<void> add_into(int& sum) { sum = co_await add(co_await add(1, 2), 4); }

Task<void> note_wake(Event& event, std::optional<MonoTime> deadline, std::stop_token stop,
                     std::vector<Wake>& wakes) {
  wakes.push_back(co_await event.wait(deadline, stop));
}

Task<void> join_then(TaskScope& scope, bool& joined) {
  co_await scope.join();
  joined = true;
}

TEST(Task, hands_its_value_to_whoever_awaits_it) {
  int sum = 0;
  TaskScope scope;
  scope.spawn(add_into(sum));
  EXPECT_EQ(sum, 7);
  EXPECT_EQ(scope.running(), 0U);
}

Task<void> count_down(int n, int& reached) {
  for (int i = 0; i < n; ++i) {
    reached = co_await add(reached, 1);
  }
}

TEST(Task, a_long_chain_of_awaits_does_not_grow_the_stack) {
  int reached = 0;
  TaskScope scope;
  scope.spawn(count_down(200'000, reached));
  EXPECT_EQ(reached, 200'000);
}

TEST(TaskScope, join_returns_when_the_last_task_ends) {
  FakeClock clock;
  Event event(clock);
  std::vector<Wake> wakes;
  bool joined = false;
  TaskScope scope;
  TaskScope outer;
  scope.spawn(note_wake(event, std::nullopt, {}, wakes));
  outer.spawn(join_then(scope, joined));
  EXPECT_FALSE(joined);
  event.set();
  EXPECT_FALSE(joined) << "waiters resume from the loop";
  clock.advance(0s);
  EXPECT_TRUE(joined);
}

TEST(Event, wakes_all_waiters_and_stays_set_until_reset) {
  FakeClock clock;
  Event event(clock);
  std::vector<Wake> wakes;
  TaskScope scope;
  scope.spawn(note_wake(event, std::nullopt, {}, wakes));
  scope.spawn(note_wake(event, std::nullopt, {}, wakes));
  event.set();
  clock.advance(0s);
  scope.spawn(note_wake(event, std::nullopt, {}, wakes));
  EXPECT_EQ(wakes, (std::vector{Wake::kSet, Wake::kSet, Wake::kSet}));
  event.reset();
  EXPECT_FALSE(event.is_set());
}

TEST(Event, a_wait_ends_at_its_deadline_or_when_asked_to_stop_and_leaves_no_timer) {
  FakeClock clock;
  Event event(clock);
  const std::stop_source stop;
  std::vector<Wake> wakes;
  TaskScope scope;
  scope.spawn(note_wake(event, clock.mono_now() + 5s, stop.get_token(), wakes));
  clock.advance(5s);
  EXPECT_EQ(wakes, std::vector{Wake::kDeadline});
  scope.spawn(note_wake(event, clock.mono_now() + 5s, stop.get_token(), wakes));
  stop.request_stop();
  clock.advance(0s);
  EXPECT_EQ(wakes, (std::vector{Wake::kDeadline, Wake::kStopped}));
  scope.spawn(note_wake(event, clock.mono_now() + 5s, stop.get_token(), wakes));
  EXPECT_EQ(wakes.back(), Wake::kStopped);
  EXPECT_EQ(clock.timers(), 0U);
}

TEST(HttpHeaders, names_compare_without_regard_to_case) {
  const HttpHeaders headers{{"Content-Type", "text/plain"}};
  EXPECT_EQ(headers.find("content-TYPE"), "text/plain");
  EXPECT_FALSE(headers.find("content"));
}

}  // namespace
}  // namespace berth::ports
