#include "sandbox/faults.h"

#include <chrono>

#include <gtest/gtest.h>

namespace berth::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string wrong(std::string_view text) {
  const auto fault = Faults::parse(text);
  return fault ? "ok" : fault.error().detail;
}

TEST(Faults, are_read_with_all_their_parts) {
  const auto fault =
      Faults::parse(R"({"error": "InternalError", "count": 3, "delay_ms": 1.5, "stale_ms": 2000,
                                      "lost_reply": true, "bucket": {"burst": 50, "rate": 0.5}})");
  ASSERT_TRUE(fault.ok());
  EXPECT_EQ(fault->error, "InternalError");
  EXPECT_EQ(fault->count, 3U);
  EXPECT_EQ(fault->delay, std::chrono::microseconds(1500));
  EXPECT_EQ(fault->stale, seconds(2));
  EXPECT_TRUE(fault->lost_reply);
  EXPECT_EQ(fault->bucket->burst, 50);
  EXPECT_EQ(fault->bucket->rate, 0.5);
}

TEST(Faults, say_which_key_is_wrong_what_was_found_and_what_is_expected) {
  EXPECT_EQ(
      wrong(R"({"eror": "x"})"),
      "the key \"eror\" is not known, expected any of error, count, delay_ms, stale_ms, lost_reply, bucket");
  EXPECT_EQ(wrong(R"({"count": "3"})"), "\"count\": found \"3\", expected a whole number of calls from 1 on");
  EXPECT_EQ(wrong(R"({"count": 0})"), "\"count\": found 0, expected a whole number of calls from 1 on");
  EXPECT_EQ(wrong(R"({"count": 1.5})"), "\"count\": found 1.5E0, expected a whole number of calls from 1 on");
  EXPECT_EQ(wrong(R"({"delay_ms": -1})"),
            "\"delay_ms\": found -1, expected a number of milliseconds from 0 to a day");
  EXPECT_EQ(wrong(R"({"lost_reply": 1})"), "\"lost_reply\": found 1, expected true or false");
  EXPECT_EQ(wrong(R"({"error": 500})"),
            "\"error\": found 500, expected a string with the peer's error code, as \"InternalError\"");
  EXPECT_EQ(wrong(R"({"bucket": {"burst": "1", "rate": 1}})"),
            "\"bucket.burst\": found \"1\", expected a number from 0 on");
  EXPECT_EQ(wrong(R"({"bucket": {"burst": 1, "refill": 1}})"),
            "\"bucket\": the key \"refill\" is not known, expected burst and rate");
  EXPECT_NE(wrong(R"({"bucket": {"burst": 1}})").find("expected both keys"), std::string::npos);
  EXPECT_NE(wrong("{").find("is not JSON"), std::string::npos);
  EXPECT_NE(wrong("{}").find("found {}"), std::string::npos);
  EXPECT_NE(wrong("[1]").find("found [1]"), std::string::npos);
}

TEST(Faults, count_down_and_end) {
  Faults faults;
  faults.set("a", {.error = "E", .count = 2}, MonoTime());
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "E");
  EXPECT_EQ(faults.on_call("b", MonoTime()).error, "") << "of one action only";
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "E");
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "");
  EXPECT_EQ(faults.in_force_json(), "{}");
}

TEST(Faults, without_a_count_last_until_they_are_deleted) {
  Faults faults;
  faults.set("a", {.error = "E"}, MonoTime());
  faults.set("b", {.error = "E"}, MonoTime());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(faults.on_call("a", MonoTime()).error, "E");
  }
  EXPECT_TRUE(faults.clear("a"));
  EXPECT_FALSE(faults.clear("a"));
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "");
  faults.clear();
  EXPECT_EQ(faults.on_call("b", MonoTime()).error, "");
}

TEST(Faults, have_a_bucket_that_fills_with_time_and_never_beyond_its_burst) {
  Faults faults;
  faults.set("a", {.bucket = Fault::Bucket{.burst = 2, .rate = 4}}, MonoTime());
  const auto passed = [&](Duration at) { return !faults.on_call("a", MonoTime(at)).throttled; };
  EXPECT_TRUE(passed(seconds(0)));
  EXPECT_TRUE(passed(seconds(0)));
  EXPECT_FALSE(passed(seconds(0)));
  EXPECT_FALSE(passed(milliseconds(249)));
  EXPECT_TRUE(passed(milliseconds(250)));
  EXPECT_FALSE(passed(milliseconds(250)));
  EXPECT_TRUE(passed(seconds(60)));
  EXPECT_TRUE(passed(seconds(60)));
  EXPECT_FALSE(passed(seconds(60)));
}

TEST(Faults, keep_the_bucket_when_the_count_is_spent) {
  Faults faults;
  faults.set("a", {.error = "E", .count = 1, .bucket = Fault::Bucket{.burst = 2, .rate = 0}}, MonoTime());
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "E");
  EXPECT_EQ(faults.on_call("a", MonoTime()).error, "");
  EXPECT_TRUE(faults.on_call("a", MonoTime()).throttled);
}

TEST(Faults, show_what_is_in_force_and_what_was_called) {
  Faults faults;
  faults.set("b", *Faults::parse(R"({"bucket": {"burst": 2, "rate": 0.5}})"), MonoTime());
  faults.set("a", *Faults::parse(R"({"error": "E", "count": 2, "delay_ms": 250, "lost_reply": true})"),
             MonoTime());
  EXPECT_EQ(faults.in_force_json(), R"({"a":{"error":"E","count":2,"delay_ms":250,"lost_reply":true},)"
                                    R"("b":{"bucket":{"burst":2,"rate":5E-1}}})");
  faults.record("x", "ok");
  faults.record("x", "ok");
  faults.record("x", "E");
  EXPECT_EQ(faults.calls_json(), R"({"x":{"E":1,"ok":2}})");
  faults.reset_calls();
  EXPECT_EQ(faults.calls_json(), "{}");
}

}  // namespace
}  // namespace berth::sandbox
