#include "kube/status_error.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/json.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string status(int code, const std::string& reason, const std::string& more = "") {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the message",)"
         R"("reason":")" +
         reason + R"(","code":)" + std::to_string(code) + more + "}";
}

struct Case {
  int code;
  const char* reason;
  ErrorKind kind;
};

TEST(StatusError, each_reason_has_its_kind) {
  const std::vector<Case> table{
      {401, "Unauthorized", ErrorKind::kUnauthorized},
      {403, "Forbidden", ErrorKind::kUnauthorized},
      {404, "NotFound", ErrorKind::kNotFound},
      {409, "AlreadyExists", ErrorKind::kConflict},
      {409, "Conflict", ErrorKind::kConflict},
      {410, "Gone", ErrorKind::kExpired},
      {410, "Expired", ErrorKind::kExpired},
      {422, "Invalid", ErrorKind::kInvalid},
      {400, "BadRequest", ErrorKind::kInvalid},
      {405, "MethodNotAllowed", ErrorKind::kInvalid},
      {406, "NotAcceptable", ErrorKind::kInvalid},
      {413, "RequestEntityTooLarge", ErrorKind::kInvalid},
      {415, "UnsupportedMediaType", ErrorKind::kInvalid},
      {429, "TooManyRequests", ErrorKind::kThrottled},
      {500, "ServerTimeout", ErrorKind::kTimeout},
      {504, "Timeout", ErrorKind::kTimeout},
      {503, "ServiceUnavailable", ErrorKind::kUnavailable},
      {500, "InternalError", ErrorKind::kInternal},
      {418, "SomethingNew", ErrorKind::kInternal},
      {404, "", ErrorKind::kNotFound},
  };
  for (const Case& one : table) {
    SCOPED_TRACE(one.reason);
    const Error error = status_error(one.code, {}, status(one.code, one.reason), "get nodes/a");
    EXPECT_EQ(error.kind, one.kind);
    EXPECT_EQ(error.operation, "get nodes/a");
    EXPECT_EQ(error.detail, "the message");
    EXPECT_EQ(error.code, *one.reason == '\0' ? std::to_string(one.code) : one.reason);
    EXPECT_EQ(status_error(*parse_object(status(one.code, one.reason)), "get nodes/a"), error)
        << "the same table for the ERROR event of a watch";
  }
}

TEST(StatusError, without_a_status_the_http_code_decides_and_the_body_is_shown) {
  const std::vector<Case> table{
      {400, "", ErrorKind::kInvalid},      {401, "", ErrorKind::kUnauthorized},
      {403, "", ErrorKind::kUnauthorized}, {404, "", ErrorKind::kNotFound},
      {409, "", ErrorKind::kConflict},     {410, "", ErrorKind::kExpired},
      {429, "", ErrorKind::kThrottled},    {500, "", ErrorKind::kInternal},
      {502, "", ErrorKind::kTimeout},      {503, "", ErrorKind::kUnavailable},
      {504, "", ErrorKind::kTimeout},      {302, "", ErrorKind::kInternal},
  };
  for (const Case& one : table) {
    const Error error = status_error(one.code, {}, "<html>\nBad \x01 Gateway", "list nodes");
    EXPECT_EQ(error.kind, one.kind) << one.code;
    EXPECT_THAT(error.detail, HasSubstr("\"<html> Bad   Gateway\""));
    EXPECT_EQ(error.code, std::to_string(one.code));
  }
  EXPECT_EQ(status_error(503, {}, "", "list nodes").detail, "the server answered HTTP 503 and nothing else");
}

TEST(StatusError, a_version_the_server_has_not_reached_is_expired) {
  const Error error = status_error(
      504, {}, status(504, "Timeout", R"(,"details":{"causes":[7,{"reason":"ResourceVersionTooLarge"}]})"),
      "list");
  EXPECT_EQ(error.kind, ErrorKind::kExpired);
}

TEST(StatusError, the_longer_of_header_and_details_says_when_to_come_back) {
  const std::string body = status(429, "TooManyRequests", R"(,"details":{"retryAfterSeconds":7})");
  EXPECT_EQ(status_error(429, {}, body, "list").retry_after, 7s);
  EXPECT_EQ(status_error(429, {{"retry-after", "3"}}, body, "list").retry_after, 7s);
  EXPECT_EQ(status_error(429, {{"Retry-After", "9"}}, body, "list").retry_after, 9s);
  EXPECT_EQ(status_error(503, {{"Retry-After", "9"}}, "", "list").retry_after, 9s);
  EXPECT_FALSE(status_error(429, {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}}, "", "list").retry_after);
  EXPECT_FALSE(status_error(429, {{"Retry-After", "99999999999"}}, "", "list").retry_after);
}

TEST(StatusError, a_status_of_wrong_types_is_read_as_far_as_it_goes) {
  const Error error = status_error(
      409, {},
      R"({"kind":"Status","message":[],"reason":{},"code":"x","details":{"retryAfterSeconds":"1","causes":{}}})",
      "patch");
  EXPECT_EQ(error.kind, ErrorKind::kConflict);
  EXPECT_EQ(error.detail, "the server answered 409 and gave no message");
}

TEST(Json, an_object_may_be_nested_deeper_than_the_librarys_default) {
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    deep += R"({"a":)";
  }
  deep += "1" + std::string(200, '}');
  EXPECT_TRUE(parse_object(deep).ok());
  EXPECT_FALSE(parse_object(std::string(100'000, '[')).ok()) << "and is refused before the stack ends";
}

TEST(Json, what_is_no_object_is_described) {
  EXPECT_EQ(parse_object("").error().detail, "nothing");
  EXPECT_THAT(parse_object("[1]").error().detail, HasSubstr("a list, not an object"));
  EXPECT_THAT(parse_object("{\"a\":").error().detail, HasSubstr("not JSON"));
  EXPECT_THAT(parse_object(std::string(5000, 'x')).error().detail, Not(HasSubstr(std::string(200, 'x'))));
}

}  // namespace
}  // namespace berth::kube
