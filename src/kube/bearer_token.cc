#include "kube/bearer_token.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

constexpr Duration kReadAgainAfter = std::chrono::minutes(1);

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string trimmed(std::string text) {
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_blank).base(), text.end());
  text.erase(text.begin(), std::ranges::find_if_not(text, is_blank));
  return text;
}

/// Whether it can stand in a header; a control character there would begin another header.
bool fits_header(const std::string& token) {
  return !token.empty() && std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

BearerToken::BearerToken(std::string fixed, std::string file, const ports::Files& files, ports::Clock& clock)
    : token_(std::move(fixed)), file_(std::move(file)), files_(files), clock_(clock) {}

Result<std::string> BearerToken::current() {
  if (!file_.empty() && (!read_at_ || clock_.mono_now() - *read_at_ >= kReadAgainAfter)) {
    read_file();
  }
  if (token_.empty() && !file_.empty()) {
    return Error{.kind = ErrorKind::kUnauthorized, .operation = "read token " + file_, .detail = trouble_};
  }
  if (!token_.empty() && !fits_header(token_)) {
    return Error{.kind = ErrorKind::kUnauthorized,
                 .operation = "bearer token",
                 .detail = "it contains blanks or control characters; expected one word of printable ASCII"};
  }
  return token_;
}

bool BearerToken::changed_after_refusal() {
  const MonoTime now = clock_.mono_now();
  if (file_.empty() || (refused_at_ && now - *refused_at_ < kReadAgainAfter)) {
    return false;
  }
  refused_at_ = now;
  const std::string before = token_;
  read_file();
  return token_ != before;
}

void BearerToken::read_file() {
  read_at_ = clock_.mono_now();
  auto text = files_.read(file_);
  std::string trouble;
  if (!text) {
    trouble = text.error().detail;
  } else if (std::string token = trimmed(*std::move(text)); fits_header(token)) {
    token_ = std::move(token);
  } else {
    trouble = "it holds no token: expected one word of printable ASCII";
  }
  if (!trouble.empty() && trouble != trouble_) {
    log_.warning(fmt::format("The token file {} cannot be used: {}.{}", file_, trouble,
                             token_.empty() ? "" : " The token from before stays in use."));
  }
  trouble_ = std::move(trouble);
}

}  // namespace berth::kube
