#pragma once
// Result<T>: a value or the error that stands in its place. Must be looked at; nothing here throws.

#include <utility>

#include <tl/expected.hpp>

#include "base/check.h"
#include "base/error.h"

namespace berth {

template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(tl::unexpected<Error>(std::move(error))) {}

  bool ok() const { return state_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & { return checked(), *state_; }
  const T& value() const& { return checked(), *state_; }
  T value() && { return checked(), *std::move(state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    CHECK(!ok());
    return state_.error();
  }
  Error error() && {
    CHECK(!ok());
    return std::move(state_).error();
  }

 private:
  void checked() const { CHECK(ok()); }

  tl::expected<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(tl::unexpected<Error>(std::move(error))) {}

  bool ok() const { return state_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const& {
    CHECK(!ok());
    return state_.error();
  }
  Error error() && {
    CHECK(!ok());
    return std::move(state_).error();
  }

 private:
  tl::expected<void, Error> state_;
};

}  // namespace berth
