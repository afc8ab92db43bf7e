#pragma once
// Completion<T>: the bridge from a callback to a coroutine. Set once, awaited once, in either order.

#include <coroutine>
#include <optional>
#include <utility>

#include "base/check.h"

namespace berth::ports {

template <class T>
class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  bool is_set() const { return value_.has_value(); }

  /// Resumes the awaiter before it returns. Call it from the loop only, as the last thing a callback does.
  void set(T value) {
    CHECK(!value_.has_value());
    value_.emplace(std::move(value));
    if (awaiting_) {
      std::exchange(awaiting_, {}).resume();
    }
  }

  bool await_ready() const { return value_.has_value(); }
  void await_suspend(std::coroutine_handle<> handle) { awaiting_ = handle; }
  T await_resume() {
    CHECK(value_.has_value());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  std::coroutine_handle<> awaiting_;
};

}  // namespace berth::ports
