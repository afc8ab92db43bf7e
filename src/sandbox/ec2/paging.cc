#include "sandbox/ec2/paging.h"

#include <charconv>

#include <fmt/format.h>

namespace berth::sandbox {
namespace {

constexpr int kLeast = 5;
constexpr int kMost = 1000;
// Turns the id into something that nobody is tempted to read or to make up.
constexpr unsigned char kMask = 0x5a;
constexpr std::string_view kMark = "page:";

std::optional<std::string> read_token(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i + 1 < token.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(token.data() + i, token.data() + i + 2, byte, 16);
    if (error != std::errc() || end != token.data() + i + 2) {
      return std::nullopt;
    }
    text += static_cast<char>(byte ^ kMask);
  }
  return text.starts_with(kMark) ? std::optional(text.substr(kMark.size())) : std::nullopt;
}

}  // namespace

std::string page_token(std::string_view last_id) {
  std::string token;
  for (const char c : fmt::format("{}{}", kMark, last_id)) {
    token += fmt::format("{:02x}", static_cast<unsigned char>(c) ^ kMask);
  }
  return token;
}

Outcome<Paging> parse_paging(const Query& query, bool ids_named, std::string_view ids_parameter) {
  const auto max_results = query.get_int("MaxResults");
  if (!max_results) {
    return tl::unexpected(max_results.error());
  }
  Paging paging{*max_results, ""};
  if (paging.max_results && ids_named) {
    return refuse(
        "InvalidParameterCombination",
        fmt::format("The parameter {} cannot be used with the parameter maxResults", ids_parameter));
  }
  if (paging.max_results && (*paging.max_results < kLeast || *paging.max_results > kMost)) {
    return refuse(
        "InvalidParameterValue",
        fmt::format("Value ( {} ) for parameter maxResults is invalid. Expecting a value from {} to {}.",
                    *paging.max_results, kLeast, kMost));
  }
  if (const auto token = query.find("NextToken"); token && !token->empty()) {
    const auto after = read_token(*token);
    if (!after) {
      return refuse("InvalidPaginationToken", "The specified pagination token is not valid or has expired.");
    }
    paging.after = *after;
  }
  return paging;
}

}  // namespace berth::sandbox
