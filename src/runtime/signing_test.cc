// What libcurl signs, computed a second time from the request that arrived, as AWS describes it:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "runtime/test_world.h"

namespace berth::runtime {
namespace {

using namespace testing;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string sha256(std::string_view text) {
  std::string out(32, '\0');
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(out.data()), nullptr, EVP_sha256(),
             nullptr);
  return out;
}

std::string hmac(std::string_view key, std::string_view text) {
  std::string out(32, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t start = at + before.size();
  return text.substr(start, text.find(after, start) - start);
}

/// As AWS wants it of header values: one space for any number of them.
std::string single_spaced(std::string text) {
  const auto rest = std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(rest.begin(), rest.end());
  return text;
}

struct Keys {
  std::string secret;
  std::string region;
  std::string service;
};

/// The signature that the request should carry, over the headers that it says are signed.
std::string expected_signature(const std::string& request, const Keys& keys) {
  const std::size_t end = request.find("\r\n\r\n");
  const std::string body = request.substr(end + 4);
  const std::string method = request.substr(0, request.find(' '));
  const std::string target = between(request, " ", " ");
  std::map<std::string, std::string> headers;
  for (std::size_t at = request.find("\r\n") + 2; at < end + 2; at = request.find("\r\n", at) + 2) {
    const std::string line = request.substr(at, request.find("\r\n", at) - at);
    headers[lower(line.substr(0, line.find(':')))] = line.substr(line.find(':') + 2);
  }
  const std::string signed_names = between(request, "SignedHeaders=", ",");
  std::string canonical_headers;
  std::size_t at = 0;
  while (at <= signed_names.size()) {
    const std::size_t stop = std::min(signed_names.find(';', at), signed_names.size());
    const std::string name = signed_names.substr(at, stop - at);
    EXPECT_TRUE(headers.contains(name)) << name << " is signed but was not sent";
    canonical_headers += name + ":" + single_spaced(headers[name]) + "\n";
    at = stop + 1;
  }
  const std::string path = target.substr(0, target.find('?'));
  const std::string query = target.find('?') == std::string::npos ? "" : target.substr(target.find('?') + 1);
  const std::string canonical = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", method, path, query, canonical_headers,
                                            signed_names, hex(sha256(body)));
  const std::string time = headers["x-amz-date"];
  const std::string scope =
      fmt::format("{}/{}/{}/aws4_request", time.substr(0, 8), keys.region, keys.service);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, hex(sha256(canonical)));
  const std::string key = hmac(
      hmac(hmac(hmac("AWS4" + keys.secret, time.substr(0, 8)), keys.region), keys.service), "aws4_request");
  return hex(hmac(key, to_sign));
}

Task<void> take_request(RawServer& server, std::string& request) {
  const auto peer = co_await server.accept();
  request = co_await peer->receive_message();
  co_await peer->send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

Task<void> send_signed(World& world, HttpRequest request, ports::AwsSigning sign, std::string& arrived) {
  RawServer server(world.loop);
  ports::TaskScope scope;
  scope.spawn(take_request(server, arrived));
  request.target = server.url() + request.target;
  request.sign = sign;
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_TRUE(reply) << reply.error().message();
  co_await scope.join();
  EXPECT_EQ(between(arrived, "Signature=", "\r\n"),
            expected_signature(arrived, {sign.secret_access_key, sign.region, sign.service}))
      << arrived;
  EXPECT_EQ(between(arrived, "Credential=", "/"), sign.access_key_id);
}

const ports::AwsSigning kLongLived = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "",
                                      "eu-west-1", "ec2"};
const ports::AwsSigning kSession = {
    "ASIAEXAMPLE", "secret/with+signs=", "IQoJb3JpZ2luX2VjE//token+with==", "us-east-1", "sts"};
const std::string kForm =
    "Action=AssociateAddress&Version=2016-11-15&AllocationId=eipalloc-1&Filter.1.Name=tag%3Aa%20b";

Task<void> form_posts(World& world) {
  const HttpRequest plain{"POST", "/", {}, kForm};
  const HttpRequest typed{
      "POST", "/", {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}}, kForm};
  for (const HttpRequest& request : {plain, typed}) {
    std::string arrived;
    co_await send_signed(world, request, kLongLived, arrived);
    EXPECT_EQ(arrived.find("Security-Token"), std::string::npos);
    EXPECT_NE(arrived.find("Content-Type: application/x-www-form-urlencoded"), std::string::npos);
    co_await send_signed(world, request, kSession, arrived);
    EXPECT_NE(arrived.find("X-Amz-Security-Token: " + kSession.session_token + "\r\n"), std::string::npos);
    EXPECT_NE(between(arrived, "SignedHeaders=", ",").find("host;x-amz-date;x-amz-security-token"),
              std::string::npos)
        << arrived;
  }
}

TEST(Signing, a_form_post_carries_the_signature_that_aws_computes) { World().play(&form_posts); }

Task<void> other_requests(World& world) {
  std::string arrived;
  co_await send_signed(world, {"GET", "/?Action=GetCallerIdentity&Version=2011-06-15"}, kSession, arrived);
  co_await send_signed(world, {"POST", "/", {{"X-Spaces", "a   b"}}, ""}, kLongLived, arrived);
  co_await send_signed(world, {"PUT", "/some/path", {}, std::string(2 << 20, 'x')}, kLongLived, arrived);
}

TEST(Signing, other_requests_are_signed_too) { World().play(&other_requests); }

}  // namespace
}  // namespace berth::runtime
