#pragma once
// Who signs the calls. Callers hold a CredentialsProvider and ask it before every call; where the keys come
// from, and when they are renewed, is its own affair. Keys are never logged and never part of an error.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/environment.h"
#include "base/result.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::aws {

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: long-lived keys, which have none
};

class CredentialsProvider {
 public:
  CredentialsProvider() = default;
  CredentialsProvider(const CredentialsProvider&) = delete;
  CredentialsProvider& operator=(const CredentialsProvider&) = delete;
  virtual ~CredentialsProvider() = default;

  /// Credentials that are good now. kUnauthorized where there are none, with what was looked at and what to
  /// set.
  virtual ports::Task<Result<Credentials>> fetch(ports::CallLimits limits) = 0;
};

/// One place where credentials can be.
class CredentialsSource {
 public:
  CredentialsSource() = default;
  CredentialsSource(const CredentialsSource&) = delete;
  CredentialsSource& operator=(const CredentialsSource&) = delete;
  virtual ~CredentialsSource() = default;

  /// What it looks at and what to set, for the error when no source has any: "the environment (set …)".
  virtual std::string_view place() const = 0;

  /// Nothing where this place is not in use; an error where it is in use and cannot be, which ends the
  /// search: going on to the next place would sign as somebody else than was meant.
  virtual ports::Task<Result<std::optional<Credentials>>> fetch(ports::CallLimits limits) = 0;
};

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
class EnvironmentSource final : public CredentialsSource {
 public:
  explicit EnvironmentSource(Environment environment) : environment_(std::move(environment)) {}

  std::string_view place() const override;
  ports::Task<Result<std::optional<Credentials>>> fetch(ports::CallLimits limits) override;

 private:
  Environment environment_;
};

/// Asks its sources in order; the first that has credentials wins.
class CredentialsChain final : public CredentialsProvider {
 public:
  explicit CredentialsChain(std::vector<std::unique_ptr<CredentialsSource>> sources)
      : sources_(std::move(sources)) {}

  ports::Task<Result<Credentials>> fetch(ports::CallLimits limits) override;

 private:
  std::vector<std::unique_ptr<CredentialsSource>> sources_;
};

/// The chain with every source there is, in AWS's order.
/// https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
std::unique_ptr<CredentialsProvider> default_credentials(Environment environment);

}  // namespace berth::aws
