#pragma once
// HTTP as a caller and as a server see it. The real world (runtime/) and a simulated one (sim/) implement
// both sides, so that clients and the sandbox's handlers never know whether a socket lies between them.

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ports/task.h"

namespace berth::ports {

/// In order of arrival; names compare without regard to case.
class HttpHeaders {
 public:
  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<std::pair<std::string, std::string>> list) : list_(list) {}

  void add(std::string name, std::string value) { list_.emplace_back(std::move(name), std::move(value)); }
  /// The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;

  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

/// What AWS Signature Version 4 needs; whoever sends the request signs it.
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
struct AwsSigning {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: none
  std::string region;
  std::string service;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target;  // of a client: the absolute URL; of a server: path and query as they came
  HttpHeaders headers = {};
  std::string body = {};
  std::optional<AwsSigning> sign = std::nullopt;
};

struct HttpReply {
  int status = 0;
  HttpHeaders headers = {};
  std::string body = {};
};

/// How long a call may take and what ends it early. There is no call without a deadline.
struct CallLimits {
  MonoTime deadline;
  std::stop_token stop = {};
};

/// A reply whose body comes piece by piece. Destroying it closes the connection if the body has not ended.
class HttpStream {
 public:
  HttpStream() = default;
  HttpStream(const HttpStream&) = delete;
  HttpStream& operator=(const HttpStream&) = delete;
  virtual ~HttpStream() = default;

  virtual int status() const = 0;
  virtual const HttpHeaders& headers() const = 0;

  /// The next bytes of the body; empty at its end. kTimeout at the deadline, after which read may be called
  /// again; kUnavailable where the connection broke; kCancelled on stop.
  virtual Task<Result<std::string>> read(CallLimits limits) = 0;
};

/// Any status is a reply, not an error. Errors: kUnavailable where the request was never delivered (no
/// connection, TLS refused, name not found), kTimeout where it may have been (deadline after the connection
/// stood, connection lost), kCancelled on stop, kInvalid for a URL or certificate file that cannot be used,
/// kInternal for a reply that is not HTTP.
class HttpClient {
 public:
  HttpClient() = default;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  virtual ~HttpClient() = default;

  virtual Task<Result<HttpReply>> fetch(HttpRequest request, CallLimits limits) = 0;

  /// Returns when the headers are there; `limits` bound only that, each read has its own.
  virtual Task<Result<std::unique_ptr<HttpStream>>> open(HttpRequest request, CallLimits limits) = 0;
};

/// The server's side of one exchange. A handler either replies once, or begins and writes pieces, or drops.
class HttpResponder {
 public:
  HttpResponder() = default;
  HttpResponder(const HttpResponder&) = delete;
  HttpResponder& operator=(const HttpResponder&) = delete;
  virtual ~HttpResponder() = default;

  virtual Task<Result<void>> reply(HttpReply reply) = 0;

  /// Starts a body of unknown length; it ends when the handler returns. kUnavailable once the peer has gone.
  virtual Task<Result<void>> begin(int status, HttpHeaders headers) = 0;
  virtual Task<Result<void>> write(std::string piece) = 0;

  /// Closes the connection without a reply: how a lost reply looks to the client.
  virtual void drop() = 0;

  /// Asks to stop when the peer has gone or the server closes.
  virtual std::stop_token stop() const = 0;
};

class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;

  /// Many run at a time, one per request under way. The responder lives until the task ends.
  virtual Task<void> handle(HttpRequest request, HttpResponder& responder) = 0;
};

}  // namespace berth::ports
