#include <chrono>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/ip_address.h"
#include "base/log.h"
#include "base/prng.h"
#include "base/result.h"
#include "base/time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Time, rfc3339_round_trips_and_understands_offsets) {
  const auto time = parse_rfc3339("2026-11-30T03:38:13.042Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_rfc3339(*time, 3), "2026-11-30T03:38:13.042Z");
  EXPECT_EQ(format_rfc3339(*time, 0), "2026-11-30T03:38:13Z");
  EXPECT_EQ(format_rfc3339(*time, 6), "2026-11-30T03:38:13.042000Z");
  EXPECT_EQ(parse_rfc3339("2026-11-30T05:38:13.042+02:00"), time);
  EXPECT_EQ(parse_rfc3339("2026-11-29T22:08:13.042-05:30"), time);
}

TEST(Time, rfc3339_refuses_what_is_no_time) {
  for (const char* text :
       {"", "2026-11-30", "2026-13-30T03:38:13Z", "2026-02-30T03:38:13Z", "2026-11-30T24:38:13Z",
        "2026-11-30T03:38:13", "2026-11-30T03:38:13Zx", "2026-11-30T03:38:13.Z", "-026-11-30T03:38:13Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Time, durations_are_read_and_written_as_kubernetes_flags_do) {
  EXPECT_EQ(parse_duration("15s"), Duration(15s));
  EXPECT_EQ(parse_duration("1m30s"), Duration(90s));
  EXPECT_EQ(parse_duration("250ms"), Duration(250ms));
  EXPECT_EQ(parse_duration("1.5s"), Duration(1500ms));
  EXPECT_EQ(parse_duration("0"), Duration(0s));
  for (const char* text : {"", "15", "s", "-1s", "1x", "1s ", "1m-3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_EQ(format_duration(90s), "1m30s");
  EXPECT_EQ(format_duration(250ms), "250ms");
  EXPECT_EQ(format_duration(0s), "0s");
}

TEST(IpAddress, is_ordered_numerically) {
  EXPECT_LT(*IpAddress::parse("9.0.0.1"), *IpAddress::parse("10.0.0.1"));
  EXPECT_LT(*IpAddress::parse("255.255.255.255"), *IpAddress::parse("::1"));
}

TEST(IpAddress, reads_exactly_one_literal_address) {
  EXPECT_EQ(IpAddress::parse("18.213.0.7")->to_string(), "18.213.0.7");
  EXPECT_EQ(IpAddress::parse("2001:DB8::1")->to_string(), "2001:db8::1");
  EXPECT_TRUE(IpAddress::parse("18.213.0.7")->is_v4());
  EXPECT_FALSE(IpAddress::parse("2001:db8::1")->is_v4());
  for (const std::string& text :
       {std::string(""), std::string("1.2.3"), std::string("1.2.3.4/32"), std::string(" 1.2.3.4"),
        std::string("1.2.3.4\0x", 9), std::string("host")}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
}

TEST(Log, a_text_line_is_one_line_and_quotes_what_is_ambiguous) {
  const LogRecord record{
      LogLevel::kWarning, "agent", "half\nwritten", {{"file", "/etc/a b"}, {"node", "n1"}, {"empty", ""}}};
  EXPECT_EQ(format_log_text(record), R"(WARNING agent: half written file="/etc/a b" node=n1 empty="")");
}

TEST(Log, a_json_line_escapes_its_values) {
  const LogRecord record{LogLevel::kInfo, "operator", "say \"hi\"\x01", {{"tags", "a=b\\"}}};
  EXPECT_EQ(format_log_json(record, "T"),
            R"({"time":"T","level":"info","component":"operator","msg":"say \"hi\"\u0001","tags":"a=b\\"})");
}

TEST(Log, a_capture_takes_what_is_logged_while_it_lives) {
  const LogCapture outer;
  const Logger logger("test");
  {
    const LogCapture inner;
    logger.info("to the inner one", {{"k", "v"}});
    EXPECT_EQ(inner.count("inner"), 1U);
    EXPECT_EQ(inner.records().front().fields.front().second, "v");
  }
  logger.error("to the outer one");
  EXPECT_EQ(outer.records().size(), 1U);
}

TEST(Result, holds_a_value_or_an_error) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  const Result<int> bad =
      Error{ErrorKind::kNotFound, "DescribeAddresses", "no such address", "InvalidAllocationID.NotFound"};
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message(), "DescribeAddresses: no such address (InvalidAllocationID.NotFound)");
}

TEST(ResultDeathTest, looking_at_the_value_of_an_error_ends_the_process) {
  const Result<int> bad = Error{ErrorKind::kNotFound, "op", "gone"};
  EXPECT_DEATH((void)bad.value(), "internal invariant broken");
}

TEST(Prng, one_seed_gives_one_sequence_inside_its_bounds) {
  Prng first(42);
  Prng second(42);
  for (int i = 0; i < 1000; ++i) {
    const auto value = first.below(10);
    EXPECT_EQ(value, second.below(10));
    EXPECT_LT(value, 10U);
  }
}

}  // namespace
}  // namespace berth
