#include "aws/imds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "aws/names.h"

namespace berth::aws {
namespace {

using namespace std::chrono_literals;

/// The longest life that the service grants (6 hours).
constexpr std::chrono::seconds kTokenLife = 21600s;
/// A token is not used in its last minute: the read would race with its end.
constexpr std::chrono::seconds kTokenMargin = 60s;
constexpr std::size_t kLongestValue = 255;
constexpr std::size_t kMacLength = 17;
constexpr std::size_t kShownLength = 40;  // of a value in an error

constexpr std::string_view kTokenPath = "/latest/api/token";
constexpr std::string_view kDataPath = "/latest/meta-data/";

Error failure(ErrorKind kind, std::string operation, std::string detail) {
  return Error{.kind = kind, .operation = std::move(operation), .detail = std::move(detail)};
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= kLongestValue &&
         std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

/// Six pairs of hexadecimal digits; it becomes part of a URL.
bool is_mac(std::string_view text) {
  if (text.size() != kMacLength) {
    return false;
  }
  for (std::size_t i = 0; i < kMacLength; ++i) {
    const bool good = i % 3 == 2 ? text[i] == ':' : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!good) {
      return false;
    }
  }
  return true;
}

std::string shown(std::string_view value) {
  std::string text(value.substr(0, kShownLength));
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c >= 0x7f; }, '?');
  return value.size() > kShownLength ? text + "…" : text;
}

Error unreachable(const std::string& operation, const Error& error) {
  if (error.kind == ErrorKind::kTimeout) {
    return failure(error.kind, operation,
                   error.detail +
                       "; in a container this is what a hop limit of 1 looks like: set the instance's "
                       "http-put-response-hop-limit to 2, or run with hostNetwork");
  }
  if (error.kind == ErrorKind::kUnavailable) {
    return failure(error.kind, operation,
                   error.detail +
                       "; is this machine an EC2 instance? If it is elsewhere by intent, set "
                       "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  }
  return failure(error.kind, operation, error.detail);
}

Error refused(const std::string& operation, int status) {
  switch (status) {
    case 401:
      return failure(ErrorKind::kUnauthorized, operation,
                     "the service does not take the token that it has just given");
    case 403:
      return failure(
          ErrorKind::kUnavailable, operation,
          "HTTP status 403: instance metadata is switched off for this instance, or this process may not "
          "use it; switch it on (aws ec2 modify-instance-metadata-options --http-endpoint enabled)");
    case 404:
      return failure(ErrorKind::kNotFound, operation, "HTTP status 404: the service has no such value");
    case 429:
      return failure(ErrorKind::kThrottled, operation,
                     "HTTP status 429: too many requests from this instance");
    default:
      return failure(status >= 500 ? ErrorKind::kUnavailable : ErrorKind::kInternal, operation,
                     fmt::format("HTTP status {}, expected was 200", status));
  }
}

Duration token_life(const ports::HttpHeaders& headers) {
  const std::string_view text = headers.find("X-aws-ec2-metadata-token-ttl-seconds").value_or("");
  int seconds = 0;
  const auto [end, parse_failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool good =
      !text.empty() && parse_failure == std::errc() && end == text.data() + text.size() && seconds > 0;
  return good ? std::min(std::chrono::seconds(seconds), kTokenLife) : kTokenLife;
}

}  // namespace

Imds::Imds(ports::HttpClient& http, ports::Clock& clock, std::string endpoint)
    : http_(http), clock_(clock), endpoint_(std::move(endpoint)) {}

ports::Task<Result<void>> Imds::renew_token(ports::CallLimits limits) {
  const std::string url = endpoint_ + std::string(kTokenPath);
  const std::string operation = "PUT " + url;
  token_.clear();
  // Its life counts from before the service made it.
  const MonoTime asked = clock_.mono_now();
  ports::HttpRequest request{
      .method = "PUT",
      .target = url,
      .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", std::to_string(kTokenLife.count())}},
  };
  Result<ports::HttpReply> reply = co_await http_.fetch(std::move(request), std::move(limits));
  if (!reply) {
    co_return unreachable(operation, reply.error());
  }
  if (reply->status != 200) {
    co_return refused(operation, reply->status);
  }
  if (reply->body.empty() ||
      std::ranges::any_of(reply->body, [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    co_return failure(ErrorKind::kInternal, operation, "the reply is no session token");
  }
  token_good_until_ = asked + token_life(reply->headers) - kTokenMargin;
  token_ = std::move(reply->body);
  co_return Result<void>();
}

ports::Task<Result<ports::HttpReply>> Imds::send_get(std::string path, ports::CallLimits limits) {
  if (token_.empty() || clock_.mono_now() >= token_good_until_) {
    Result<void> renewed = co_await renew_token(limits);
    if (!renewed) {
      co_return std::move(renewed).error();
    }
  }
  const std::string url = endpoint_ + std::string(kDataPath) + path;
  ports::HttpRequest request{.target = url, .headers = {{"X-aws-ec2-metadata-token", token_}}};
  Result<ports::HttpReply> reply = co_await http_.fetch(std::move(request), std::move(limits));
  if (!reply) {
    co_return failure(reply.error().kind, "GET " + url, reply.error().detail);
  }
  co_return reply;
}

ports::Task<Result<std::string>> Imds::fetch_value(std::string path, ports::CallLimits limits) {
  Result<ports::HttpReply> reply = co_await send_get(path, limits);
  if (reply && reply->status == 401) {
    // The token has ended before its time, as after a change of the instance's metadata options.
    token_.clear();
    reply = co_await send_get(path, limits);
  }
  if (!reply) {
    co_return std::move(reply).error();
  }
  const std::string operation = "GET " + endpoint_ + std::string(kDataPath) + path;
  if (reply->status != 200) {
    co_return refused(operation, reply->status);
  }
  std::string value = std::move(reply->body);
  while (value.ends_with('\n')) {
    value.pop_back();
  }
  if (!is_plain(value)) {
    co_return failure(ErrorKind::kInternal, operation,
                      value.empty() ? "the value is empty"
                                    : fmt::format("the value is not one word of text: \"{}\"", shown(value)));
  }
  co_return value;
}

ports::Task<Result<ports::InstanceFacts>> Imds::fetch(ports::CallLimits limits) {
  Result<std::string> id = co_await fetch_value("instance-id", limits);
  if (!id) {
    co_return std::move(id).error();
  }
  if (!is_instance_id(*id)) {
    co_return failure(
        ErrorKind::kInternal, "GET " + endpoint_ + std::string(kDataPath) + "instance-id",
        fmt::format("\"{}\" is no instance id, expected was one like i-0123456789abcdef0", shown(*id)));
  }
  // The service's "mac" is that of the primary interface.
  Result<std::string> mac = co_await fetch_value("mac", limits);
  if (!mac) {
    co_return std::move(mac).error();
  }
  if (!is_mac(*mac)) {
    co_return failure(ErrorKind::kInternal, "GET " + endpoint_ + std::string(kDataPath) + "mac",
                      fmt::format("\"{}\" is no MAC address", shown(*mac)));
  }
  const std::string interface = "network/interfaces/macs/" + *mac + "/";

  ports::InstanceFacts facts;
  facts.instance = model::InstanceId(*std::move(id));
  const std::array<std::pair<std::string, std::string*>, 5> values = {{
      {"instance-type", &facts.instance_type},
      {"placement/region", &facts.region},
      {"placement/availability-zone", &facts.availability_zone},
      {interface + "vpc-id", &facts.vpc_id},
      {interface + "subnet-id", &facts.subnet_id},
  }};
  for (const auto& [path, place] : values) {
    Result<std::string> value = co_await fetch_value(path, limits);
    if (!value) {
      co_return std::move(value).error();
    }
    *place = *std::move(value);
  }
  co_return facts;
}

}  // namespace berth::aws
