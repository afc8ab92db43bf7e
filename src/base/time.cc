#include "base/time.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace berth {
namespace {

using std::chrono::duration_cast;
using std::chrono::floor;

/// Takes exactly `count` digits from the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) {
    return std::nullopt;
  }
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + count, value);
  if (status != std::errc{} || end != text.data() + count || text[0] == '-') {
    return std::nullopt;
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char wanted) {
  if (text.empty() || std::toupper(static_cast<unsigned char>(text.front())) != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<Duration> take_fraction(std::string_view& text) {
  if (!take_char(text, '.')) {
    return Duration::zero();
  }
  std::int64_t nanoseconds = 0;
  std::int64_t scale = 100'000'000;
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    nanoseconds += scale * (text[digits] - '0');
    scale /= 10;
    ++digits;
  }
  if (digits == 0) {
    return std::nullopt;
  }
  text.remove_prefix(digits);
  return Duration(nanoseconds);
}

std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take_char(text, 'Z')) {
    return std::chrono::minutes::zero();
  }
  const bool west = !text.empty() && text.front() == '-';
  if (!west && (text.empty() || text.front() != '+')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  if (!hours || !take_char(text, ':')) {
    return std::nullopt;
  }
  const auto minutes = take_digits(text, 2);
  if (!minutes) {
    return std::nullopt;
  }
  const std::chrono::minutes offset{*hours * 60 + *minutes};
  return west ? -offset : offset;
}

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array kUnits = {
    Unit{"h", std::chrono::hours(1)},         Unit{"m", std::chrono::minutes(1)},
    Unit{"s", std::chrono::seconds(1)},       Unit{"ms", std::chrono::milliseconds(1)},
    Unit{"us", std::chrono::microseconds(1)}, Unit{"ns", std::chrono::nanoseconds(1)},
};

}  // namespace

std::string format_rfc3339(WallTime time, int fraction_digits) {
  const auto seconds = floor<std::chrono::seconds>(time.time_since_epoch());
  const auto days = floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date{std::chrono::sys_days(days)};
  const std::chrono::hh_mm_ss clock{seconds - days};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (fraction_digits > 0) {
    const auto nanoseconds = (time.time_since_epoch() - seconds).count();
    text += "." + fmt::format("{:09}", nanoseconds).substr(0, static_cast<std::size_t>(fraction_digits));
  }
  return text + "Z";
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, '-')) {
    return std::nullopt;
  }
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, '-')) {
    return std::nullopt;
  }
  const auto day = take_digits(text, 2);
  if (!day || !take_char(text, 'T')) {
    return std::nullopt;
  }
  const auto hour = take_digits(text, 2);
  if (!hour || !take_char(text, ':')) {
    return std::nullopt;
  }
  const auto minute = take_digits(text, 2);
  if (!minute || !take_char(text, ':')) {
    return std::nullopt;
  }
  const auto second = take_digits(text, 2);
  const auto fraction = second ? take_fraction(text) : std::nullopt;
  const auto offset = fraction ? take_offset(text) : std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const auto since_epoch = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                           std::chrono::minutes(*minute) + std::chrono::seconds(*second) - *offset;
  return WallTime(duration_cast<Duration>(since_epoch) + *fraction);
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") {
    return Duration::zero();
  }
  Duration total{};
  if (text.empty()) {
    return std::nullopt;
  }
  while (!text.empty()) {
    double amount = 0;
    const auto [end, status] =
        std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
    if (status != std::errc{} || amount < 0 || amount > 1e6 || text.front() == '-') {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
    const Unit* unit = nullptr;
    for (const Unit& candidate : kUnits) {
      if (candidate.name == name) {
        unit = &candidate;
      }
    }
    if (unit == nullptr) {
      return std::nullopt;
    }
    total += Duration(static_cast<Duration::rep>(amount * static_cast<double>(unit->length.count())));
    text.remove_prefix(name.size());
  }
  return total;
}

std::string format_duration(Duration duration) {
  if (duration == Duration::zero()) {
    return "0s";
  }
  std::string text;
  for (const Unit& unit : kUnits) {
    const auto count = duration / unit.length;
    if (count > 0) {
      text += fmt::format("{}{}", count, unit.name);
      duration -= count * unit.length;
    }
  }
  return text;
}

}  // namespace berth
