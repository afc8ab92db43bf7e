#pragma once
// For tests: a signing caller in front of a handler, without sockets. Time is a FakeClock's.

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ports/fake_clock.h"
#include "ports/http.h"
#include "ports/task.h"
#include "sandbox/ec2/sigv4.h"

namespace berth::sandbox {

/// Keeps what a handler does with it.
class RecordingResponder final : public ports::HttpResponder {
 public:
  ports::Task<Result<void>> reply(ports::HttpReply reply) override {
    reply_ = std::move(reply);
    co_return Result<void>();
  }
  ports::Task<Result<void>> begin(int, ports::HttpHeaders) override { co_return Result<void>(); }
  ports::Task<Result<void>> write(std::string) override { co_return Result<void>(); }
  void drop() override { dropped_ = true; }
  std::stop_token stop() const override { return stop_.get_token(); }

  void peer_goes() { stop_.request_stop(); }
  bool dropped() const { return dropped_; }
  const std::optional<ports::HttpReply>& reply() const { return reply_; }

 private:
  std::optional<ports::HttpReply> reply_;
  bool dropped_ = false;
  std::stop_source stop_;
};

/// One exchange under way.
struct Exchange {
  RecordingResponder responder;
  bool done = false;

  int status() const { return responder.reply() ? responder.reply()->status : 0; }
  const std::string& body() const { return responder.reply()->body; }
};

/// Starts exchanges with one handler, and lets time pass for them.
class TestCaller {
 public:
  TestCaller(ports::FakeClock& clock, ports::HttpHandler& handler) : clock_(clock), handler_(handler) {}

  std::shared_ptr<Exchange> start(ports::HttpRequest request) {
    auto exchange = std::make_shared<Exchange>();
    scope_.spawn(run(std::move(request), exchange));
    return exchange;
  }

  /// Starts one that must end without time passing.
  std::shared_ptr<Exchange> call(ports::HttpRequest request) {
    auto exchange = start(std::move(request));
    clock_.settle();
    CHECK(exchange->done);
    return exchange;
  }

 private:
  ports::Task<void> run(ports::HttpRequest request, std::shared_ptr<Exchange> exchange) {
    co_await handler_.handle(std::move(request), exchange->responder);
    exchange->done = true;
  }

  ports::FakeClock& clock_;
  ports::HttpHandler& handler_;
  ports::TaskScope scope_;
};

/// "20260101T000000Z"
inline std::string amz_date(WallTime time) {
  std::string text = format_rfc3339(time, 0);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

inline ports::HttpRequest signed_request(ports::HttpRequest request, const AwsCredentials& who,
                                         const SigV4Scope& scope, WallTime now) {
  const std::string date = amz_date(now);
  request.headers.add("X-Amz-Date", date);
  std::vector<std::string> names = {"host", "x-amz-date"};
  if (!who.session_token.empty()) {
    request.headers.add("X-Amz-Security-Token", who.session_token);
    names.emplace_back("x-amz-security-token");
  }
  const std::string credential =
      fmt::format("{}/{}/{}/aws4_request", date.substr(0, 8), scope.region, scope.service);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, credential,
                                          sha256_hex(canonical_request(request, names)));
  request.headers.add("Authorization",
                      fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                                  who.access_key_id, credential, fmt::join(names, ";"),
                                  sigv4_signature(who.secret_access_key, date.substr(0, 8), scope, to_sign)));
  return request;
}

/// Every text of <name>…</name>, in order.
inline std::vector<std::string> texts(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name);
  const std::string close = fmt::format("</{}>", name);
  std::vector<std::string> found;
  for (std::size_t at = xml.find(open); at != std::string_view::npos; at = xml.find(open, at)) {
    at += open.size();
    found.emplace_back(xml.substr(at, xml.find(close, at) - at));
  }
  return found;
}

inline std::string text(std::string_view xml, std::string_view name) {
  const auto all = texts(xml, name);
  return all.empty() ? std::string("(none)") : all.front();
}

}  // namespace berth::sandbox
