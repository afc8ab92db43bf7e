#include "mechanism/work_queue.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace berth::mechanism {
namespace {

using namespace std::chrono_literals;

MonoTime at(Duration time) { return MonoTime(time); }

class WorkQueueTest : public testing::Test {
 protected:
  WorkQueue<std::string> queue;
};

TEST_F(WorkQueueTest, gives_each_ready_key_once_in_order) {
  queue.add("a");
  queue.add("b");
  queue.add("a");
  EXPECT_EQ(queue.take(at(0s)), "a");
  EXPECT_EQ(queue.take(at(0s)), "b");
  EXPECT_EQ(queue.take(at(0s)), std::nullopt);
}

TEST_F(WorkQueueTest, a_key_added_while_in_flight_is_given_once_more_afterwards_and_not_before) {
  queue.add("a");
  EXPECT_EQ(queue.take(at(0s)), "a");
  queue.add("a");
  queue.add("a");
  EXPECT_EQ(queue.take(at(0s)), std::nullopt);
  queue.done("a");
  EXPECT_EQ(queue.take(at(0s)), "a");
  queue.done("a");
  EXPECT_TRUE(queue.idle());
}

TEST_F(WorkQueueTest, of_two_delays_the_earlier_counts_and_an_add_ends_both) {
  queue.add_at("a", at(5s));
  queue.add_at("a", at(9s));
  EXPECT_EQ(queue.next_due(), at(5s));
  queue.add_at("a", at(3s));
  EXPECT_EQ(queue.next_due(), at(3s));
  EXPECT_EQ(queue.take(at(2s)), std::nullopt);
  queue.add("a");
  EXPECT_EQ(queue.next_due(), std::nullopt);
  EXPECT_EQ(queue.take(at(2s)), "a");
}

TEST_F(WorkQueueTest, a_delayed_key_is_ready_at_its_time) {
  queue.add_at("b", at(2s));
  queue.add_at("a", at(2s));
  queue.add_at("c", at(1s));
  EXPECT_EQ(queue.take(at(2s)), "c");
  EXPECT_EQ(queue.take(at(2s)), "a");
  EXPECT_EQ(queue.take(at(2s)), "b");
}

}  // namespace
}  // namespace berth::mechanism
