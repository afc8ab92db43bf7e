#include "sandbox/faults.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace berth::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kOperation = "read a fault";
constexpr std::array<std::string_view, 6> kKeys = {"error",    "count",      "delay_ms",
                                                   "stale_ms", "lost_reply", "bucket"};
constexpr double kMostMilliseconds = 24.0 * 60 * 60 * 1000;

Error invalid(std::string detail) {
  return {.kind = ErrorKind::kInvalid, .operation = std::string(kOperation), .detail = std::move(detail)};
}

Error wrong_value(std::string_view key, const json::value& found, std::string_view expected) {
  return invalid(fmt::format("\"{}\": found {}, expected {}", key, json::serialize(found), expected));
}

Result<double> read_number(std::string_view key, const json::value& value, double most,
                           std::string_view expected) {
  if (!value.is_number()) {
    return wrong_value(key, value, expected);
  }
  const double number = value.to_number<double>();
  if (!std::isfinite(number) || number < 0 || number > most) {
    return wrong_value(key, value, expected);
  }
  return number;
}

Result<Duration> read_milliseconds(std::string_view key, const json::value& value) {
  const auto number = read_number(key, value, kMostMilliseconds, "a number of milliseconds from 0 to a day");
  if (!number) {
    return number.error();
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(*number));
}

Result<Fault::Bucket> read_bucket(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) {
    return wrong_value("bucket", value, R"(an object like {"burst": 50, "rate": 5})");
  }
  Fault::Bucket bucket;
  for (const auto& [key, member] : *object) {
    if (key != "burst" && key != "rate") {
      return invalid(fmt::format("\"bucket\": the key \"{}\" is not known, expected burst and rate",
                                 std::string_view(key)));
    }
    const auto number =
        read_number(fmt::format("bucket.{}", std::string_view(key)), member, 1e9, "a number from 0 on");
    if (!number) {
      return number.error();
    }
    (key == "burst" ? bucket.burst : bucket.rate) = *number;
  }
  if (!object->contains("burst") || !object->contains("rate")) {
    return wrong_value("bucket", value, R"(both keys, as in {"burst": 50, "rate": 5})");
  }
  return bucket;
}

Result<void> read_member(std::string_view key, const json::value& value, Fault& fault) {
  if (key == "error") {
    if (!value.is_string() || value.get_string().empty()) {
      return wrong_value(key, value, R"(a string with the peer's error code, as "InternalError")");
    }
    fault.error = std::string(value.get_string());
  } else if (key == "count") {
    const std::int64_t* integer = value.if_int64();
    if (integer == nullptr || *integer < 1) {
      return wrong_value(key, value, "a whole number of calls from 1 on");
    }
    fault.count = static_cast<std::uint64_t>(*integer);
  } else if (key == "delay_ms" || key == "stale_ms") {
    const auto time = read_milliseconds(key, value);
    if (!time) {
      return time.error();
    }
    (key == "delay_ms" ? fault.delay : fault.stale) = *time;
  } else if (key == "lost_reply") {
    if (!value.is_bool()) {
      return wrong_value(key, value, "true or false");
    }
    fault.lost_reply = value.get_bool();
  } else if (key == "bucket") {
    const auto bucket = read_bucket(value);
    if (!bucket) {
      return bucket.error();
    }
    fault.bucket = *bucket;
  } else {
    return invalid(
        fmt::format("the key \"{}\" is not known, expected any of {}", key, fmt::join(kKeys, ", ")));
  }
  return {};
}

/// 50 and not 5E1, where it is a whole number.
json::value as_json(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? json::value(whole) : json::value(number);
}

double milliseconds(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

json::object as_json(const Fault& fault) {
  json::object object;
  if (!fault.error.empty()) {
    object["error"] = fault.error;
  }
  if (fault.count) {
    object["count"] = *fault.count;
  }
  if (fault.delay != Duration::zero()) {
    object["delay_ms"] = as_json(milliseconds(fault.delay));
  }
  if (fault.stale != Duration::zero()) {
    object["stale_ms"] = as_json(milliseconds(fault.stale));
  }
  if (fault.lost_reply) {
    object["lost_reply"] = true;
  }
  if (fault.bucket) {
    object["bucket"] = {{"burst", as_json(fault.bucket->burst)}, {"rate", as_json(fault.bucket->rate)}};
  }
  return object;
}

}  // namespace

Result<Fault> Faults::parse(std::string_view text) {
  json::error_code code;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), code);
  if (code) {
    return invalid(
        fmt::format("the body is not JSON ({}), expected an object like {{\"error\": \"InternalError\"}}",
                    code.message()));
  }
  const json::object* object = value.if_object();
  if (object == nullptr || object->empty()) {
    return invalid(fmt::format("found {}, expected a JSON object with any of {}", json::serialize(value),
                               fmt::join(kKeys, ", ")));
  }
  Fault fault;
  for (const auto& [key, member] : *object) {
    if (const auto read = read_member(key, member, fault); !read) {
      return read.error();
    }
  }
  return fault;
}

void Faults::set(const std::string& action, Fault fault, MonoTime now) {
  const double tokens = fault.bucket ? fault.bucket->burst : 0;
  active_[action] = {std::move(fault), tokens, now};
}

void Faults::clear() { active_.clear(); }

bool Faults::clear(std::string_view action) {
  const auto found = active_.find(action);
  if (found == active_.end()) {
    return false;
  }
  active_.erase(found);
  return true;
}

Suffered Faults::on_call(std::string_view action, MonoTime now) {
  const auto found = active_.find(action);
  if (found == active_.end()) {
    return {};
  }
  Active& active = found->second;
  const auto bucket = active.fault.bucket;
  if (bucket) {
    const double seconds = std::chrono::duration<double>(now - active.filled_at).count();
    active.tokens = std::min(bucket->burst, active.tokens + seconds * bucket->rate);
    active.filled_at = now;
    // A token that lacks only what rounding took counts as whole.
    if (active.tokens < 1 - 1e-9) {
      return {.throttled = true};
    }
    active.tokens -= 1;
  }
  const Fault& fault = active.fault;
  if (fault.count == 0U) {
    return {};  // spent; only its bucket is in force
  }
  Suffered suffered{
      .delay = fault.delay, .error = fault.error, .stale = fault.stale, .lost_reply = fault.lost_reply};
  if (active.fault.count && --*active.fault.count == 0 && !bucket) {
    active_.erase(found);
  }
  return suffered;
}

void Faults::record(std::string_view action, std::string_view result) {
  auto at_action = calls_.find(action);
  if (at_action == calls_.end()) {
    at_action = calls_.try_emplace(std::string(action)).first;
  }
  ++at_action->second[std::string(result)];
}

std::string Faults::in_force_json() const {
  json::object all;
  for (const auto& [action, active] : active_) {
    all[action] = as_json(active.fault);
  }
  return json::serialize(all);
}

std::string Faults::calls_json() const {
  json::object all;
  for (const auto& [action, results] : calls_) {
    json::object of_action;
    for (const auto& [result, count] : results) {
      of_action[result] = count;
    }
    all[action] = std::move(of_action);
  }
  return json::serialize(all);
}

}  // namespace berth::sandbox
