#include "aws/credentials.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::aws {
namespace {

constexpr auto kId = "AWS_ACCESS_KEY_ID";
constexpr auto kSecret = "AWS_SECRET_ACCESS_KEY";
constexpr auto kToken = "AWS_SESSION_TOKEN";

Error unauthorized(std::string detail) {
  return Error{
      .kind = ErrorKind::kUnauthorized, .operation = "find AWS credentials", .detail = std::move(detail)};
}

/// A line break at the end of a key is what a carelessly made Kubernetes Secret brings along; it would break
/// the signature, or the header.
bool is_clean(std::string_view key) {
  return std::ranges::all_of(key, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

Result<std::optional<Credentials>> from_environment(const Environment& environment) {
  const auto id = setting(environment, kId);
  const auto secret = setting(environment, kSecret);
  const auto token = setting(environment, kToken);
  if (!id && !secret) {
    return std::optional<Credentials>();
  }
  if (!id || !secret) {
    return unauthorized(fmt::format("{} is set, but {} is not; set both, or neither", id ? kId : kSecret,
                                    id ? kSecret : kId));
  }
  const std::array keys = {std::pair(kId, *id), std::pair(kSecret, *secret),
                           std::pair(kToken, token.value_or(""))};
  for (const auto& [name, key] : keys) {
    if (!is_clean(key)) {
      return unauthorized(
          fmt::format("{} holds a blank or a line break; set it again without (a Secret made from a file "
                      "often ends in a line break)",
                      name));
    }
  }
  return std::optional(Credentials{*id, *secret, token.value_or("")});
}

}  // namespace

std::string_view EnvironmentSource::place() const {
  return "the environment (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where the "
         "keys "
         "are temporary)";
}

ports::Task<Result<std::optional<Credentials>>> EnvironmentSource::fetch(ports::CallLimits) {
  co_return from_environment(environment_);
}

ports::Task<Result<Credentials>> CredentialsChain::fetch(ports::CallLimits limits) {
  std::string places;
  for (const auto& source : sources_) {
    Result<std::optional<Credentials>> found = co_await source->fetch(limits);
    if (!found) {
      co_return std::move(found).error();
    }
    if (*found) {
      co_return **std::move(found);
    }
    places += places.empty() ? "" : ", ";
    places += source->place();
  }
  co_return unauthorized("there are none; looked at: " + places);
}

std::unique_ptr<CredentialsProvider> default_credentials(Environment environment) {
  std::vector<std::unique_ptr<CredentialsSource>> sources;
  sources.push_back(std::make_unique<EnvironmentSource>(std::move(environment)));
  return std::make_unique<CredentialsChain>(std::move(sources));
}

}  // namespace berth::aws
