#pragma once
// For tests: an HttpClient whose answers the test writes, and which keeps what was sent. Nothing suspends.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/http.h"
#include "ports/task.h"

namespace berth::aws {

class ScriptedHttp final : public ports::HttpClient {
 public:
  using Answer = std::function<Result<ports::HttpReply>(const ports::HttpRequest&)>;

  explicit ScriptedHttp(Answer answer) : answer_(std::move(answer)) {}

  /// These answers, in this order.
  explicit ScriptedHttp(std::vector<Result<ports::HttpReply>> replies)
      : answer_([replies = std::move(replies), next = std::size_t{0}](const ports::HttpRequest&) mutable {
          CHECK(next < replies.size());
          return replies[next++];
        }) {}

  ports::Task<Result<ports::HttpReply>> fetch(ports::HttpRequest request, ports::CallLimits limits) override {
    requests.push_back(std::move(request));
    deadlines.push_back(limits.deadline);
    co_return answer_(requests.back());
  }

  ports::Task<Result<std::unique_ptr<ports::HttpStream>>> open(ports::HttpRequest,
                                                               ports::CallLimits) override {
    co_return Error{.kind = ErrorKind::kInternal, .operation = "open", .detail = "nothing here streams"};
  }

  std::vector<ports::HttpRequest> requests;
  std::vector<MonoTime> deadlines;

 private:
  Answer answer_;
};

namespace detail {
template <class T>
ports::Task<void> keep(ports::Task<T> task, std::optional<T>& value) {
  value.emplace(co_await std::move(task));
}
}  // namespace detail

/// The value of a task that never waits.
template <class T>
T value_of(ports::Task<T> task) {
  std::optional<T> value;
  ports::TaskScope scope;
  scope.spawn(detail::keep(std::move(task), value));
  CHECK(value.has_value());
  return *std::move(value);
}

}  // namespace berth::aws
