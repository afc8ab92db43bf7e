#include "sandbox/ec2/sigv4.h"

#include <gtest/gtest.h>

#include "sandbox/ec2/client_for_test.h"

namespace berth::sandbox {
namespace {

// The key of AWS's published examples and test suite.
const AwsCredentials kWho{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
const WallTime kThen = *parse_rfc3339("2015-08-30T12:36:00Z");

struct Vector {
  const char* name;
  ports::HttpRequest request;
  std::string signed_headers;
  std::string service;
  std::string signature;
};

ports::HttpRequest vector_request(std::string method, std::string target, ports::HttpHeaders more = {},
                                  std::string body = "", std::string host = "example.amazonaws.com") {
  ports::HttpRequest request{
      .method = std::move(method), .target = std::move(target), .headers = std::move(more)};
  request.headers.add("Host", std::move(host));
  request.headers.add("X-Amz-Date", "20150830T123600Z");
  request.body = std::move(body);
  return request;
}

std::vector<Vector> published_vectors() {
  const std::string vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
  return {
      {"the worked example of the user guide",
       vector_request("GET", "/?Action=ListUsers&Version=2010-05-08",
                      {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}}, "",
                      "iam.amazonaws.com"),
       "content-type;host;x-amz-date", "iam",
       "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
      {"get-vanilla", vector_request("GET", "/"), "host;x-amz-date", "service", vanilla},
      {"get-slash", vector_request("GET", "//"), "host;x-amz-date", "service", vanilla},
      {"get-relative", vector_request("GET", "/example/.."), "host;x-amz-date", "service", vanilla},
      {"get-slash-dot-slash", vector_request("GET", "/./"), "host;x-amz-date", "service", vanilla},
      {"get-vanilla-query-order-key-case", vector_request("GET", "/?Param2=value2&Param1=value1"),
       "host;x-amz-date", "service", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"post-vanilla", vector_request("POST", "/"), "host;x-amz-date", "service",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post-x-www-form-urlencoded",
       vector_request("POST", "/", {{"Content-Type", "application/x-www-form-urlencoded"}}, "Param1=value1"),
       "content-type;host;x-amz-date", "service",
       "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
      {"get-header-value-trim",
       vector_request("GET", "/", {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}}),
       "host;my-header1;my-header2;x-amz-date", "service",
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"get-header-key-duplicate",
       vector_request("GET", "/",
                      {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}}),
       "host;my-header1;x-amz-date", "service",
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
  };
}

Outcome<> verify(Vector vector, WallTime now = kThen) {
  vector.request.headers.add(
      "Authorization",
      fmt::format("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/{}/aws4_request, "
                  "SignedHeaders={}, Signature={}",
                  vector.service, vector.signed_headers, vector.signature));
  return verify_sigv4(vector.request, {kWho}, {"us-east-1", vector.service}, now);
}

std::string code(const Outcome<>& outcome) { return outcome ? "ok" : outcome.error().code; }

const SigV4Scope kScope{"us-east-1", "ec2"};

ports::HttpRequest describe() {
  return {.method = "POST",
          .target = "/",
          .headers = {{"Host", "127.0.0.1:1"}},
          .body = "Action=DescribeAddresses"};
}

TEST(SigV4, what_AWS_published_as_signed_is_accepted) {
  for (const Vector& vector : published_vectors()) {
    EXPECT_EQ(code(verify(vector)), "ok") << vector.name;
  }
}

TEST(SigV4, the_canonical_request_of_the_worked_example_has_the_published_hash) {
  const Vector example = published_vectors().front();
  EXPECT_EQ(sha256_hex(canonical_request(example.request, {"content-type", "host", "x-amz-date"})),
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
}

TEST(SigV4, one_changed_byte_anywhere_is_noticed) {
  for (const Vector& vector : published_vectors()) {
    Vector changed = vector;
    changed.request.body += "x";
    EXPECT_EQ(code(verify(changed)), "SignatureDoesNotMatch") << vector.name;
    changed = vector;
    changed.request.method = "PUT";
    EXPECT_EQ(code(verify(changed)), "SignatureDoesNotMatch") << vector.name;
    changed = vector;
    changed.signature[5] = changed.signature[5] == '0' ? '1' : '0';
    EXPECT_EQ(code(verify(changed)), "SignatureDoesNotMatch") << vector.name;
  }
}

TEST(SigV4, a_request_is_good_for_five_minutes_either_way) {
  const Vector vector = published_vectors()[1];
  EXPECT_EQ(code(verify(vector, kThen + std::chrono::minutes(5))), "ok");
  EXPECT_EQ(code(verify(vector, kThen - std::chrono::minutes(5))), "ok");
  EXPECT_EQ(code(verify(vector, kThen + std::chrono::seconds(301))), "RequestExpired");
  EXPECT_EQ(code(verify(vector, kThen - std::chrono::seconds(301))), "RequestExpired");
}

TEST(SigV4, what_is_missing_or_malformed_has_its_own_code) {
  EXPECT_EQ(code(verify_sigv4(describe(), {kWho}, kScope, kThen)), "MissingAuthenticationToken");
  const auto with = [](std::string authorization) {
    ports::HttpRequest request = describe();
    request.headers.add("X-Amz-Date", "20150830T123600Z");
    request.headers.add("Authorization", std::move(authorization));
    return code(verify_sigv4(request, {kWho}, kScope, kThen));
  };
  EXPECT_EQ(with("Bearer abc"), "IncompleteSignature");
  EXPECT_EQ(with("AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=0"), "IncompleteSignature");
  EXPECT_EQ(with("AWS4-HMAC-SHA256 SignedHeaders=host, Signature=0"), "IncompleteSignature");
  ports::HttpRequest undated = signed_request(describe(), kWho, kScope, kThen);
  undated.headers = {{"Host", "127.0.0.1:1"},
                     {"Authorization", std::string(*undated.headers.find("Authorization"))}};
  EXPECT_EQ(code(verify_sigv4(undated, {kWho}, kScope, kThen)), "IncompleteSignature");
}

TEST(SigV4, a_key_that_nobody_has_and_a_scope_of_elsewhere_are_refused) {
  const auto by = [](const AwsCredentials& who, const SigV4Scope& scope) {
    return code(verify_sigv4(signed_request(describe(), who, scope, kThen), {kWho}, kScope, kThen));
  };
  EXPECT_EQ(by(kWho, kScope), "ok");
  EXPECT_EQ(by({"AKIDOTHER", kWho.secret_access_key, ""}, kScope), "AuthFailure");
  EXPECT_EQ(by({kWho.access_key_id, "another secret", ""}, kScope), "SignatureDoesNotMatch");
  EXPECT_EQ(by(kWho, {"eu-west-1", "ec2"}), "SignatureDoesNotMatch");
  EXPECT_EQ(by(kWho, {"us-east-1", "sts"}), "SignatureDoesNotMatch");
}

TEST(SigV4, a_session_token_must_be_the_right_one_and_signed) {
  const AwsCredentials temporary{"ASIAEXAMPLE", "secret", "token/with+signs=="};
  const auto send = [&](const AwsCredentials& who) {
    return code(
        verify_sigv4(signed_request(describe(), who, kScope, kThen), {kWho, temporary}, kScope, kThen));
  };
  EXPECT_EQ(send(temporary), "ok");
  EXPECT_EQ(send({"ASIAEXAMPLE", "secret", ""}), "AuthFailure");
  EXPECT_EQ(send({"ASIAEXAMPLE", "secret", "another"}), "AuthFailure");
  EXPECT_EQ(send({kWho.access_key_id, kWho.secret_access_key, "unasked"}), "AuthFailure");

  ports::HttpRequest request = signed_request(describe(), {"ASIAEXAMPLE", "secret", ""}, kScope, kThen);
  request.headers.add("X-Amz-Security-Token", temporary.session_token);
  EXPECT_EQ(code(verify_sigv4(request, {temporary}, kScope, kThen)), "SignatureDoesNotMatch");
}

}  // namespace
}  // namespace berth::sandbox
