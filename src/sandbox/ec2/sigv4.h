#pragma once
// Verifies AWS Signature Version 4 in the Authorization header of a request, from the bytes that arrived.
// Does not know presigned URLs.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ports/http.h"
#include "sandbox/ec2/errors.h"

namespace berth::sandbox {

struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: a request must carry none
};

struct SigV4Scope {
  std::string region;
  std::string service;
};

/// Errors: MissingAuthenticationToken, IncompleteSignature, AuthFailure (unknown key, wrong session token),
/// RequestExpired (more than five minutes off), SignatureDoesNotMatch.
Outcome<> verify_sigv4(const ports::HttpRequest& request, const std::vector<AwsCredentials>& known,
                       const SigV4Scope& scope, WallTime now);

/// The parts, for tests against AWS's worked examples. `signed_headers` are lower case, in order.
std::string canonical_request(const ports::HttpRequest& request,
                              const std::vector<std::string>& signed_headers);
/// `day` is "20150830"; lower-case hexadecimal.
std::string sigv4_signature(std::string_view secret, std::string_view day, const SigV4Scope& scope,
                            std::string_view string_to_sign);
std::string sha256_hex(std::string_view data);

}  // namespace berth::sandbox
