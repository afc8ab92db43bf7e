#include "aws/ec2_client.h"

#include <chrono>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aws/scripted_http_for_test.h"

namespace berth::aws {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr auto kSecret = "hunter2-secret";

class FixedCredentials final : public CredentialsProvider {
 public:
  ports::Task<Result<Credentials>> fetch(ports::CallLimits) override { co_return answer; }

  Result<Credentials> answer = Credentials{"AKIA1", kSecret, "token"};
};

ports::HttpReply error_reply(int status, std::string_view code, std::string_view message = "Because.") {
  return {.status = status,
          .body = fmt::format("<Response><Errors><Error><Code>{}</Code><Message>{}</Message></Error></Errors>"
                              "<RequestID>req-77</RequestID></Response>",
                              code, message)};
}

ports::HttpReply page(std::string_view instance, std::string_view next_token) {
  return {.status = 200,
          .body = fmt::format(
              "<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>{}"
              "</instanceId></item></instancesSet></item></reservationSet><nextToken>{}</nextToken>"
              "</DescribeInstancesResponse>",
              instance, next_token)};
}

const ports::HttpReply kAssociated{
    .status = 200,
    .body = "<AssociateAddressResponse><associationId>eipassoc-1</associationId></AssociateAddressResponse>"};

class Ec2ClientTest : public testing::Test {
 protected:
  Ec2Client client(ScriptedHttp& http) {
    return Ec2Client(http, credentials_, {"https://ec2.test/", "us-east-1"});
  }

  Called<std::string> associate(Result<ports::HttpReply> reply) {
    ScriptedHttp http({std::move(reply)});
    Ec2Client ec2 = client(http);
    return value_of(ec2.associate_address({"eipalloc-1", "eni-1", "10.0.0.1"}, limits_));
  }

  FixedCredentials credentials_;
  ports::CallLimits limits_{MonoTime(7s)};
};

TEST_F(Ec2ClientTest, sends_a_signed_form_with_the_callers_deadline) {
  ScriptedHttp http({ports::HttpReply{
      .status = 200, .body = "<DescribeAddressesResponse><addressesSet/></DescribeAddressesResponse>"}});
  Ec2Client ec2 = client(http);
  ASSERT_TRUE(value_of(ec2.describe_addresses(limits_)));
  ASSERT_EQ(http.requests.size(), 1U);
  const ports::HttpRequest& request = http.requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "https://ec2.test/");
  EXPECT_EQ(request.headers.find("content-type"), "application/x-www-form-urlencoded; charset=utf-8");
  EXPECT_EQ(request.body, "Action=DescribeAddresses&Version=2016-11-15");
  ASSERT_TRUE(request.sign);
  EXPECT_EQ(request.sign->access_key_id, "AKIA1");
  EXPECT_EQ(request.sign->secret_access_key, kSecret);
  EXPECT_EQ(request.sign->session_token, "token");
  EXPECT_EQ(request.sign->region, "us-east-1");
  EXPECT_EQ(request.sign->service, "ec2");
  EXPECT_THAT(http.deadlines, ElementsAre(MonoTime(7s)));
}

TEST_F(Ec2ClientTest, R5_associate_names_the_interface_and_refuses_reassociation) {
  ScriptedHttp http({kAssociated});
  Ec2Client ec2 = client(http);
  EXPECT_EQ(value_of(ec2.associate_address({"eipalloc-1", "eni-1", "10.0.0.1"}, limits_)).value(),
            "eipassoc-1");
  EXPECT_EQ(http.requests[0].body,
            "Action=AssociateAddress&Version=2016-11-15&AllocationId=eipalloc-1&NetworkInterfaceId=eni-1"
            "&PrivateIpAddress=10.0.0.1&AllowReassociation=false");
}

TEST_F(Ec2ClientTest, R4_every_call_whose_effect_is_not_known_has_no_refusal) {
  const auto transport = [](ErrorKind kind) {
    return Error{.kind = kind, .operation = "POST", .detail = "x"};
  };
  const std::vector<Result<ports::HttpReply>> doubtful = {
      transport(ErrorKind::kTimeout),
      transport(ErrorKind::kCancelled),
      transport(ErrorKind::kInternal),
      error_reply(500, "InternalError"),
      error_reply(503, "Unavailable"),
      ports::HttpReply{.status = 502, .body = "<html>bad gateway</html>"},
      ports::HttpReply{.status = 200,
                       .body = "<AssociateAddressResponse><return>true</return></AssociateAddressResponse>"},
      ports::HttpReply{.status = 200, .body = "garbage"},
      ports::HttpReply{.status = 302, .body = ""},
  };
  for (const auto& reply : doubtful) {
    const auto associated = associate(reply);
    ASSERT_FALSE(associated);
    EXPECT_EQ(associated.error().refusal, std::nullopt) << associated.error().error.message();
    EXPECT_EQ(associated.error().error.operation, "AssociateAddress");
  }
}

TEST_F(Ec2ClientTest, a_request_that_was_never_delivered_was_refused) {
  const auto unreachable = associate(
      Error{.kind = ErrorKind::kUnavailable, .operation = "POST https://ec2.test/", .detail = "no route"});
  ASSERT_FALSE(unreachable);
  EXPECT_EQ(unreachable.error().refusal, ports::RefusalCause::kUnavailable);
  EXPECT_EQ(unreachable.error().error.message(), "AssociateAddress: POST https://ec2.test/: no route");
}

TEST_F(Ec2ClientTest, throttling_with_status_503_is_a_definite_refusal_and_carries_retry_after) {
  ports::HttpReply reply = error_reply(503, "RequestLimitExceeded", "Request limit exceeded.");
  reply.headers.add("retry-after", "3");
  const auto throttled = associate(reply);
  ASSERT_FALSE(throttled);
  EXPECT_EQ(throttled.error().refusal, ports::RefusalCause::kThrottled);
  EXPECT_EQ(throttled.error().error.kind, ErrorKind::kThrottled);
  EXPECT_EQ(throttled.error().error.retry_after, Duration(3s));
}

TEST_F(Ec2ClientTest, an_error_says_EC2s_words_the_meaning_and_the_code) {
  const auto denied = associate(error_reply(
      403, "UnauthorizedOperation",
      "You are not authorized to perform this operation. Encoded authorization failure message: " +
          std::string(900, 'Z')));
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().refusal, ports::RefusalCause::kDenied);
  const std::string message = denied.error().error.message();
  EXPECT_THAT(message,
              HasSubstr("AssociateAddress: You are not authorized to perform this operation: allow"));
  EXPECT_THAT(message, HasSubstr("(UnauthorizedOperation)"));
  EXPECT_THAT(message, Not(HasSubstr("ZZ")));
}

TEST_F(Ec2ClientTest, the_same_failure_gives_the_same_error_whatever_its_request_id) {
  EXPECT_THAT(associate(error_reply(400, "AuthFailure")).error().error.message(), Not(HasSubstr("req-77")));
}

TEST_F(Ec2ClientTest, without_credentials_nothing_is_sent) {
  credentials_.answer = Error{
      .kind = ErrorKind::kUnauthorized, .operation = "find AWS credentials", .detail = "there are none"};
  ScriptedHttp http(std::vector<Result<ports::HttpReply>>{});
  Ec2Client ec2 = client(http);
  const auto associated = value_of(ec2.associate_address({"eipalloc-1", "eni-1", "10.0.0.1"}, limits_));
  ASSERT_FALSE(associated);
  EXPECT_EQ(associated.error().refusal, ports::RefusalCause::kDenied);
  EXPECT_TRUE(http.requests.empty());
  const auto listed = value_of(ec2.describe_addresses(limits_));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message(), "DescribeAddresses: find AWS credentials: there are none");
}

TEST_F(Ec2ClientTest, no_error_and_no_log_line_holds_a_key) {
  const LogCapture log;
  const auto failed = associate(error_reply(403, "SignatureDoesNotMatch"));
  EXPECT_THAT(failed.error().error.message(), Not(HasSubstr(kSecret)));
  for (const LogRecord& record : log.records()) {
    EXPECT_THAT(format_log_text(record), Not(HasSubstr(kSecret)));
  }
}

TEST_F(Ec2ClientTest, R13_instances_are_asked_for_by_filter_and_pages_are_followed) {
  ScriptedHttp http({page("i-1", "t/1"), page("i-2", "")});
  Ec2Client ec2 = client(http);
  const auto instances = value_of(ec2.describe_instances({"i-1", "i-2*"}, limits_));
  ASSERT_TRUE(instances);
  ASSERT_EQ(instances->size(), 2U);
  const std::string first =
      "Action=DescribeInstances&Version=2016-11-15&Filter.1.Name=instance-id&Filter.1.Value.1=i-1"
      "&Filter.1.Value.2=i-2%5C%2A&MaxResults=1000";
  EXPECT_EQ(http.requests[0].body, first);
  EXPECT_EQ(http.requests[1].body, first + "&NextToken=t%2F1");
  EXPECT_THAT(http.deadlines, ElementsAre(MonoTime(7s), MonoTime(7s)));
}

TEST_F(Ec2ClientTest, no_ids_ask_nothing_because_an_empty_filter_would_list_everything) {
  ScriptedHttp http(std::vector<Result<ports::HttpReply>>{});
  Ec2Client ec2 = client(http);
  const auto instances = value_of(ec2.describe_instances({}, limits_));
  ASSERT_TRUE(instances);
  EXPECT_TRUE(instances->empty());
}

TEST_F(Ec2ClientTest, a_page_token_that_comes_again_is_an_error) {
  ScriptedHttp http({page("i-1", "a"), page("i-2", "b"), page("i-3", "a")});
  Ec2Client ec2 = client(http);
  const auto instances = value_of(ec2.describe_instances({"i-1"}, limits_));
  ASSERT_FALSE(instances);
  EXPECT_EQ(instances.error().kind, ErrorKind::kInternal);
  EXPECT_THAT(instances.error().detail, HasSubstr("read before"));
}

TEST_F(Ec2ClientTest, pages_without_end_are_an_error) {
  int pages = 0;
  ScriptedHttp http([&pages](const ports::HttpRequest&) { return page("i-1", std::to_string(++pages)); });
  Ec2Client ec2 = client(http);
  const auto instances = value_of(ec2.describe_instances({"i-1"}, limits_));
  ASSERT_FALSE(instances);
  EXPECT_THAT(instances.error().detail, HasSubstr("201 pages for 1 ids"));
  EXPECT_EQ(pages, 201);
}

TEST_F(Ec2ClientTest, a_failed_page_fails_the_list) {
  ScriptedHttp http({page("i-1", "a"), error_reply(503, "RequestLimitExceeded")});
  Ec2Client ec2 = client(http);
  const auto instances = value_of(ec2.describe_instances({"i-1"}, limits_));
  ASSERT_FALSE(instances);
  EXPECT_EQ(instances.error().kind, ErrorKind::kThrottled);
}

TEST_F(Ec2ClientTest, disassociate_names_the_association_alone) {
  ScriptedHttp http({ports::HttpReply{
      .status = 200,
      .body = "<DisassociateAddressResponse><return>true</return></DisassociateAddressResponse>"}});
  Ec2Client ec2 = client(http);
  EXPECT_TRUE(value_of(ec2.disassociate_address("eipassoc-1", limits_)));
  EXPECT_EQ(http.requests[0].body, "Action=DisassociateAddress&Version=2016-11-15&AssociationId=eipassoc-1");
}

}  // namespace
}  // namespace berth::aws
