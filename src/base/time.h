#pragma once
// Two clocks that cannot be mixed up: MonoTime for deadlines and ages (never goes back, means nothing outside
// this process), WallTime for what people and other machines read.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

using Duration = std::chrono::nanoseconds;

struct MonoTag {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonoTag, duration>;
  static constexpr bool is_steady = true;
};
struct WallTag {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<WallTag, duration>;
  static constexpr bool is_steady = false;
};

using MonoTime = MonoTag::time_point;  // nanoseconds since an unnamed start
using WallTime = WallTag::time_point;  // nanoseconds since 1970-01-01T00:00:00Z

/// RFC 3339 in UTC, with `fraction_digits` (0 to 9) digits of a second: "2026-11-30T03:38:13.042Z".
std::string format_rfc3339(WallTime time, int fraction_digits);

/// Any RFC 3339 time; nothing where the text is none.
std::optional<WallTime> parse_rfc3339(std::string_view text);

/// "15s", "1m30s", "250ms", as Kubernetes flags write a duration. Nothing where the text is none, negative or
/// empty.
std::optional<Duration> parse_duration(std::string_view text);

/// The shortest such text: "1m30s", "250ms", "0s".
std::string format_duration(Duration duration);

}  // namespace berth
