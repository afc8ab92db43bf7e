#include "kube/status_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "kube/json.h"

namespace berth::kube {
namespace {

template <class Key>
struct Row {
  Key key;
  ErrorKind kind;
};

// A reason says more than its HTTP code: "AlreadyExists" and "Conflict" are both 409.
// The outcome of a mutation that ended in a time-out is unknown, and kTimeout says so.
constexpr std::array kByReason{
    Row<std::string_view>{"Unauthorized", ErrorKind::kUnauthorized},
    Row<std::string_view>{"Forbidden", ErrorKind::kUnauthorized},
    Row<std::string_view>{"NotFound", ErrorKind::kNotFound},
    Row<std::string_view>{"AlreadyExists", ErrorKind::kConflict},
    Row<std::string_view>{"Conflict", ErrorKind::kConflict},
    Row<std::string_view>{"Gone", ErrorKind::kExpired},
    Row<std::string_view>{"Expired", ErrorKind::kExpired},
    Row<std::string_view>{"Invalid", ErrorKind::kInvalid},
    Row<std::string_view>{"BadRequest", ErrorKind::kInvalid},
    Row<std::string_view>{"MethodNotAllowed", ErrorKind::kInvalid},
    Row<std::string_view>{"NotAcceptable", ErrorKind::kInvalid},
    Row<std::string_view>{"RequestEntityTooLarge", ErrorKind::kInvalid},
    Row<std::string_view>{"UnsupportedMediaType", ErrorKind::kInvalid},
    Row<std::string_view>{"TooManyRequests", ErrorKind::kThrottled},
    Row<std::string_view>{"ServerTimeout", ErrorKind::kTimeout},
    Row<std::string_view>{"Timeout", ErrorKind::kTimeout},
    Row<std::string_view>{"ServiceUnavailable", ErrorKind::kUnavailable},
    Row<std::string_view>{"InternalError", ErrorKind::kInternal},
};

// For replies without a reason we know: proxies and load balancers speak HTTP only.
constexpr std::array kByCode{
    Row<int>{400, ErrorKind::kInvalid},      Row<int>{401, ErrorKind::kUnauthorized},
    Row<int>{403, ErrorKind::kUnauthorized}, Row<int>{404, ErrorKind::kNotFound},
    Row<int>{405, ErrorKind::kInvalid},      Row<int>{406, ErrorKind::kInvalid},
    Row<int>{409, ErrorKind::kConflict},     Row<int>{410, ErrorKind::kExpired},
    Row<int>{413, ErrorKind::kInvalid},      Row<int>{415, ErrorKind::kInvalid},
    Row<int>{422, ErrorKind::kInvalid},      Row<int>{429, ErrorKind::kThrottled},
    Row<int>{502, ErrorKind::kTimeout},      Row<int>{503, ErrorKind::kUnavailable},
    Row<int>{504, ErrorKind::kTimeout},
};

// A cause inside the details that overrides the reason: the server is behind the version that was asked for.
constexpr std::string_view kTooLargeCause = "ResourceVersionTooLarge";

ErrorKind kind_of(std::string_view reason, int code) {
  if (const auto* row = std::ranges::find(kByReason, reason, &Row<std::string_view>::key);
      row != kByReason.end()) {
    return row->kind;
  }
  if (const auto* row = std::ranges::find(kByCode, code, &Row<int>::key); row != kByCode.end()) {
    return row->kind;
  }
  return ErrorKind::kInternal;
}

bool has_cause(const boost::json::object& status, std::string_view reason) {
  const boost::json::value* causes = value_at(status, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) {
    return false;
  }
  return std::ranges::any_of(causes->get_array(), [reason](const boost::json::value& cause) {
    return cause.is_object() && string_at(cause.get_object(), {"reason"}) == reason;
  });
}

std::optional<Duration> seconds_at(const boost::json::object& status, JsonPath path) {
  const boost::json::value* value = value_at(status, path);
  if (value == nullptr || !value->is_int64() || value->get_int64() <= 0 || value->get_int64() > 86400) {
    return std::nullopt;
  }
  return std::chrono::seconds(value->get_int64());
}

int code_of(const boost::json::object& status) {
  const boost::json::value* code = value_at(status, {"code"});
  const bool plausible =
      code != nullptr && code->is_int64() && code->get_int64() > 0 && code->get_int64() < 1000;
  return plausible ? static_cast<int>(code->get_int64()) : 0;
}

std::optional<Duration> retry_after_header(const ports::HttpHeaders& headers) {
  const std::string_view text = headers.find("Retry-After").value_or("");
  unsigned seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc() || end != text.data() + text.size() || seconds > 86400) {
    return std::nullopt;  // the other form, a date, is not used by Kubernetes
  }
  return std::chrono::seconds(seconds);
}

Error from_status(const boost::json::object& status, int code, std::string operation) {
  Error error;
  error.code = string_at(status, {"reason"});
  error.kind = has_cause(status, kTooLargeCause) ? ErrorKind::kExpired : kind_of(error.code, code);
  error.operation = std::move(operation);
  error.detail = string_at(status, {"message"});
  error.retry_after = seconds_at(status, {"details", "retryAfterSeconds"});
  if (error.code.empty()) {
    error.code = std::to_string(code);
  }
  if (error.detail.empty()) {
    error.detail = fmt::format("the server answered {} and gave no message", code);
  }
  return error;
}

}  // namespace

Error status_error(int http_status, const ports::HttpHeaders& headers, std::string_view body,
                   std::string operation) {
  const auto parsed = parse_object(body);
  Error error;
  if (parsed && string_at(*parsed, {"kind"}) == "Status") {
    error = from_status(*parsed, http_status, std::move(operation));
  } else {
    error = {.kind = kind_of("", http_status),
             .operation = std::move(operation),
             .detail = body.empty() ? fmt::format("the server answered HTTP {} and nothing else", http_status)
                                    : fmt::format("the server answered HTTP {} with something that is no "
                                                  "Kubernetes Status: \"{}\"",
                                                  http_status, excerpt(body)),
             .code = std::to_string(http_status)};
  }
  if (const auto seconds = retry_after_header(headers)) {
    error.retry_after = std::max(*seconds, error.retry_after.value_or(Duration::zero()));
  }
  return error;
}

Error status_error(const boost::json::object& status, std::string operation) {
  return from_status(status, code_of(status), std::move(operation));
}

bool is_forbidden(const Error& error) { return error.code == "Forbidden" || error.code == "403"; }

}  // namespace berth::kube
