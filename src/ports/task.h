#pragma once
// Task<T>: a coroutine that does its work when it is awaited, once, and hands T to its awaiter.
//
// Everything runs on one thread. Parameters of a coroutine go by value, or by reference to something that
// outlives the loop; a lambda that is a coroutine captures nothing (its captures die before its first
// resumption). A task that nobody awaits is given to a TaskScope, which keeps it and is joined by its owner.

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "base/check.h"

namespace berth::ports {

template <class T>
class Task;

namespace detail {

class PromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }

  auto final_suspend() noexcept {
    struct Final {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept { return continuation; }
      void await_resume() const noexcept {}
      std::coroutine_handle<> continuation;
    };
    return Final{continuation_};
  }

  /// Nothing of ours throws, and what a library throws is caught at the edge; so this is a broken invariant.
  [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }

  void set_continuation(std::coroutine_handle<> continuation) { continuation_ = continuation; }

 private:
  std::coroutine_handle<> continuation_ = std::noop_coroutine();
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object();
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() {
    CHECK(value_.has_value());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() {}
  void take() {}
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        handle.promise().set_continuation(awaiting);
        return handle;
      }
      T await_resume() const { return handle.promise().take(); }
      Handle handle;
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace detail

/// Owns tasks that run side by side. Its owner joins it before it goes.
class TaskScope {
 public:
  TaskScope() = default;
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  ~TaskScope() { CHECK(running_ == 0); }

  /// Runs `task` up to its first suspension now, the rest as it goes.
  void spawn(Task<void> task) {
    ++running_;
    run(std::move(task));
  }

  std::size_t running() const { return running_; }

  /// Returns once nothing runs any more. One joiner at a time.
  auto join() {
    struct Awaiter {
      bool await_ready() const { return scope.running_ == 0; }
      void await_suspend(std::coroutine_handle<> handle) const {
        CHECK(!scope.joiner_);
        scope.joiner_ = handle;
      }
      void await_resume() const {}
      TaskScope& scope;
    };
    return Awaiter{*this};
  }

 private:
  /// A frame that frees itself at its end.
  struct Detached {
    struct promise_type {
      Detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
    };
  };

  Detached run(Task<void> task) {
    {
      Task<void> owned = std::move(task);
      co_await std::move(owned);
    }
    // The joiner may destroy this scope: nothing of it is touched after the resumption.
    if (--running_ == 0 && joiner_) {
      std::exchange(joiner_, {}).resume();
    }
  }

  std::size_t running_ = 0;
  std::coroutine_handle<> joiner_;
};

}  // namespace berth::ports
