#pragma once
// For tests: an HttpClient whose answers a test writes down beforehand, and which keeps what was asked. An
// answer is taken by the first request whose target contains its text; where there is none left, the request
// hangs until its deadline, as a dead peer would.

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ports/event.h"
#include "ports/http.h"

namespace berth::kube {

/// The test's end of a stream.
class StreamScript {
 public:
  explicit StreamScript(ports::Clock& clock, int status = 200) : news_(clock), status_(status) {}

  void send(std::string piece) { put(std::move(piece)); }
  void end() { put(std::string()); }
  void fail(ErrorKind kind) {
    put(Error{.kind = kind, .operation = "read", .detail = "the connection was reset"});
  }

 private:
  friend class ScriptedStream;

  void put(Result<std::string> piece) {
    pieces_.push_back(std::move(piece));
    news_.set();
  }

  ports::Event news_;
  int status_;
  std::deque<Result<std::string>> pieces_;
};

class ScriptedStream final : public ports::HttpStream {
 public:
  explicit ScriptedStream(std::shared_ptr<StreamScript> script) : script_(std::move(script)) {}

  int status() const override { return script_->status_; }
  const ports::HttpHeaders& headers() const override { return headers_; }

  ports::Task<Result<std::string>> read(ports::CallLimits limits) override {
    while (script_->pieces_.empty()) {
      script_->news_.reset();
      const ports::Wake wake = co_await script_->news_.wait(limits.deadline, limits.stop);
      if (wake == ports::Wake::kDeadline) {
        co_return Error{.kind = ErrorKind::kTimeout, .operation = "read", .detail = "nothing came"};
      }
      if (wake == ports::Wake::kStopped) {
        co_return Error{.kind = ErrorKind::kCancelled, .operation = "read", .detail = "stopping"};
      }
    }
    Result<std::string> piece = std::move(script_->pieces_.front());
    script_->pieces_.pop_front();
    co_return piece;
  }

 private:
  std::shared_ptr<StreamScript> script_;
  ports::HttpHeaders headers_;
};

class ScriptedHttp final : public ports::HttpClient {
 public:
  explicit ScriptedHttp(ports::Clock& clock) : clock_(clock) {}

  void reply(std::string target_part, int status, std::string body, ports::HttpHeaders headers = {}) {
    answers_.push_back(
        {std::move(target_part),
         ports::HttpReply{.status = status, .headers = std::move(headers), .body = std::move(body)}});
  }
  void fail(std::string target_part, ErrorKind kind) {
    answers_.push_back({std::move(target_part),
                        Error{.kind = kind, .operation = "connect", .detail = "it does not answer"}});
  }
  std::shared_ptr<StreamScript> stream(std::string target_part, int status = 200) {
    auto script = std::make_shared<StreamScript>(clock_, status);
    answers_.push_back({std::move(target_part), script});
    return script;
  }

  const std::vector<ports::HttpRequest>& requests() const { return requests_; }
  const ports::HttpRequest& last() const { return requests_.back(); }
  std::size_t answers_left() const { return answers_.size(); }

  ports::Task<Result<ports::HttpReply>> fetch(ports::HttpRequest request, ports::CallLimits limits) override {
    auto answer = co_await take(std::move(request), std::move(limits));
    if (auto* failure = std::get_if<Error>(&answer)) {
      co_return std::move(*failure);
    }
    auto* whole = std::get_if<ports::HttpReply>(&answer);
    CHECK(whole != nullptr);
    co_return std::move(*whole);
  }

  ports::Task<Result<std::unique_ptr<ports::HttpStream>>> open(ports::HttpRequest request,
                                                               ports::CallLimits limits) override {
    auto answer = co_await take(std::move(request), std::move(limits));
    if (auto* failure = std::get_if<Error>(&answer)) {
      co_return std::move(*failure);
    }
    if (auto* whole = std::get_if<ports::HttpReply>(&answer)) {
      auto script = std::make_shared<StreamScript>(clock_, whole->status);
      script->send(whole->body);
      script->end();
      co_return std::unique_ptr<ports::HttpStream>(new ScriptedStream(std::move(script)));
    }
    co_return std::unique_ptr<ports::HttpStream>(
        new ScriptedStream(std::get<std::shared_ptr<StreamScript>>(answer)));
  }

 private:
  using Answer = std::variant<ports::HttpReply, Error, std::shared_ptr<StreamScript>>;

  ports::Task<Answer> take(ports::HttpRequest request, ports::CallLimits limits) {
    requests_.push_back(request);
    for (auto answer = answers_.begin(); answer != answers_.end(); ++answer) {
      if (request.target.find(answer->first) != std::string::npos) {
        Answer found = std::move(answer->second);
        answers_.erase(answer);
        co_return found;
      }
    }
    const bool expired = co_await ports::sleep_until(clock_, limits.deadline, limits.stop);
    co_return Error{.kind = expired ? ErrorKind::kTimeout : ErrorKind::kCancelled,
                    .operation = "wait",
                    .detail = "no answer"};
  }

  ports::Clock& clock_;
  std::deque<std::pair<std::string, Answer>> answers_;
  std::vector<ports::HttpRequest> requests_;
};

}  // namespace berth::kube
