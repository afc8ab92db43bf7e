#include "sandbox/ec2/sigv4.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <map>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "sandbox/ec2/query.h"

namespace berth::sandbox {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr Duration kWindow = std::chrono::minutes(5);

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string hmac(std::string_view key, std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string_view::npos; start = end + 1) {
    end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
  }
  return parts;
}

std::string uri_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_unreserved = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                               std::string_view("-._~").find(c) != std::string_view::npos;
    out += is_unreserved ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// The path without "." and "..", each segment encoded once more than it came (S3 alone does otherwise).
std::string canonical_path(std::string_view path) {
  std::vector<std::string> kept;
  const auto segments = split(path, '/');
  for (const std::string& segment : segments) {
    if (segment == "..") {
      if (!kept.empty()) {
        kept.pop_back();
      }
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(uri_encoded(segment));
    }
  }
  std::string out = "/" + fmt::format("{}", fmt::join(kept, "/"));
  if (!kept.empty() && (segments.back().empty() || segments.back() == ".")) {
    out += "/";
  }
  return out;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& pair : split(query, '&')) {
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = pair.find('=');
    const auto encoded = [](std::string_view text) {
      return uri_encoded(percent_decoded(text, false).value_or(std::string(text)));
    };
    pairs.emplace_back(encoded(pair.substr(0, equals)),
                       equals == std::string::npos ? "" : encoded(pair.substr(equals + 1)));
  }
  std::ranges::sort(pairs);
  std::vector<std::string> joined;
  joined.reserve(pairs.size());
  for (const auto& [name, value] : pairs) {
    joined.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(joined, "&"));
}

/// Trimmed, and each run of blanks made one.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

struct Authorization {
  std::string access_key_id;
  std::string day;
  std::string region;
  std::string service;
  std::vector<std::string> signed_headers;
  std::string signature;
};

Outcome<Authorization> parse_authorization(std::string_view header) {
  if (!header.starts_with(kAlgorithm)) {
    return refuse("IncompleteSignature",
                  fmt::format("The Authorization header must begin with {}.", kAlgorithm));
  }
  std::map<std::string, std::string> parts;
  for (const std::string& part : split(header.substr(kAlgorithm.size()), ',')) {
    const std::string trimmed = canonical_value(part);
    const std::size_t equals = trimmed.find('=');
    if (equals != std::string::npos) {
      parts[trimmed.substr(0, equals)] = trimmed.substr(equals + 1);
    }
  }
  for (const char* name : {"Credential", "SignedHeaders", "Signature"}) {
    if (!parts.contains(name)) {
      return refuse("IncompleteSignature",
                    fmt::format("Authorization header requires '{}' parameter.", name));
    }
  }
  const auto scope = split(parts["Credential"], '/');
  if (scope.size() != 5 || scope[4] != "aws4_request") {
    return refuse("IncompleteSignature",
                  "Credential must have exactly 5 slash-delimited elements, as in "
                  "keyid/date/region/service/aws4_request.");
  }
  return Authorization{scope[0],          scope[1], scope[2], scope[3], split(parts["SignedHeaders"], ';'),
                       parts["Signature"]};
}

/// "20150830T123600Z"
std::optional<WallTime> parse_amz_date(std::string_view text) {
  if (text.size() != 16) {
    return std::nullopt;
  }
  return parse_rfc3339(fmt::format("{}-{}-{}T{}:{}:{}Z", text.substr(0, 4), text.substr(4, 2),
                                   text.substr(6, 2), text.substr(9, 2), text.substr(11, 2),
                                   text.substr(13, 2)));
}

/// What must be signed: Host, and every X-Amz-… header that is there.
Outcome<> check_signed_headers(const ports::HttpRequest& request,
                               const std::vector<std::string>& signed_headers) {
  const auto is_signed = [&](const std::string& name) {
    return std::ranges::find(signed_headers, name) != signed_headers.end();
  };
  if (!is_signed("host")) {
    return refuse("SignatureDoesNotMatch",
                  "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  for (const auto& [name, value] : request.headers) {
    if (lower(name).starts_with("x-amz-") && !is_signed(lower(name))) {
      return refuse("SignatureDoesNotMatch",
                    fmt::format("'{}' must be a 'SignedHeader' in the AWS Authorization.", lower(name)));
    }
  }
  return {};
}

Outcome<> check_scope(const Authorization& authorization, const SigV4Scope& scope, std::string_view date) {
  if (authorization.region != scope.region) {
    return refuse(
        "SignatureDoesNotMatch",
        fmt::format("Credential should be scoped to a valid region, not '{}'.", authorization.region));
  }
  if (authorization.service != scope.service) {
    return refuse("SignatureDoesNotMatch",
                  fmt::format("Credential should be scoped to correct service: '{}'.", scope.service));
  }
  if (authorization.day != date.substr(0, 8)) {
    return refuse("SignatureDoesNotMatch",
                  fmt::format("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
                              "date from HTTP: '{}' != '{}'.",
                              authorization.day, date.substr(0, 8)));
  }
  return {};
}

}  // namespace

std::string sha256_hex(std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest.data());
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string canonical_request(const ports::HttpRequest& request,
                              const std::vector<std::string>& signed_headers) {
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  std::string headers;
  for (const std::string& wanted : signed_headers) {
    std::vector<std::string> values;
    for (const auto& [name, value] : request.headers) {
      if (lower(name) == wanted) {
        values.push_back(canonical_value(value));
      }
    }
    headers += fmt::format("{}:{}\n", wanted, fmt::join(values, ","));
  }
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, canonical_path(target.substr(0, mark)),
                     mark == std::string_view::npos ? "" : canonical_query(target.substr(mark + 1)), headers,
                     fmt::join(signed_headers, ";"), sha256_hex(request.body));
}

std::string sigv4_signature(std::string_view secret, std::string_view day, const SigV4Scope& scope,
                            std::string_view string_to_sign) {
  std::string key = hmac(fmt::format("AWS4{}", secret), day);
  for (const std::string_view part :
       {std::string_view(scope.region), std::string_view(scope.service), std::string_view("aws4_request")}) {
    key = hmac(key, part);
  }
  return hex(hmac(key, string_to_sign));
}

Outcome<> verify_sigv4(const ports::HttpRequest& request, const std::vector<AwsCredentials>& known,
                       const SigV4Scope& scope, WallTime now) {
  const auto header = request.headers.find("Authorization");
  if (!header) {
    return refuse("MissingAuthenticationToken", usual_message("MissingAuthenticationToken"));
  }
  const auto authorization = parse_authorization(*header);
  if (!authorization) {
    return tl::unexpected(authorization.error());
  }
  const auto date = request.headers.find("X-Amz-Date");
  const auto signed_at = date ? parse_amz_date(*date) : std::nullopt;
  if (!signed_at) {
    return refuse(
        "IncompleteSignature",
        "Authorization header requires existence of an 'X-Amz-Date' header, as in 20150830T123600Z.");
  }
  const auto who = std::ranges::find(known, authorization->access_key_id, &AwsCredentials::access_key_id);
  if (who == known.end() || request.headers.find("X-Amz-Security-Token").value_or("") != who->session_token) {
    return refuse("AuthFailure", usual_message("AuthFailure"));
  }
  if (std::chrono::abs(now - *signed_at) > kWindow) {
    return refuse("RequestExpired", usual_message("RequestExpired"));
  }
  if (const auto checked = check_scope(*authorization, scope, *date); !checked) {
    return checked;
  }
  if (const auto checked = check_signed_headers(request, authorization->signed_headers); !checked) {
    return checked;
  }
  const std::string string_to_sign =
      fmt::format("{}\n{}\n{}/{}/{}/aws4_request\n{}", kAlgorithm, *date, authorization->day, scope.region,
                  scope.service, sha256_hex(canonical_request(request, authorization->signed_headers)));
  const std::string expected =
      sigv4_signature(who->secret_access_key, authorization->day, scope, string_to_sign);
  if (expected.size() != authorization->signature.size() ||
      CRYPTO_memcmp(expected.data(), authorization->signature.data(), expected.size()) != 0) {
    return refuse("SignatureDoesNotMatch", usual_message("SignatureDoesNotMatch"));
  }
  return {};
}

}  // namespace berth::sandbox
