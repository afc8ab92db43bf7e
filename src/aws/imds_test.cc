#include "aws/imds.h"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aws/scripted_http_for_test.h"
#include "ports/fake_clock.h"

namespace berth::aws {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr auto kEndpoint = "http://imds.test";
constexpr std::string_view kDataPrefix = "http://imds.test/latest/meta-data/";

/// A metadata service: gives tokens, takes only the newest, and answers from a map.
struct FakeImds {
  Result<ports::HttpReply> answer(const ports::HttpRequest& request) {
    if (request.method == "PUT") {
      ++tokens;
      if (put_error) {
        return *put_error;
      }
      if (put_status != 200) {
        return ports::HttpReply{.status = put_status};
      }
      return ports::HttpReply{
          .status = 200,
          .headers = {{"x-aws-ec2-metadata-token-ttl-seconds", std::to_string(token_life_seconds)}},
          .body = put_body.value_or(fmt::format("token-{}", tokens))};
    }
    if (request.headers.find("X-aws-ec2-metadata-token") != fmt::format("token-{}", tokens) ||
        refuse_tokens > 0) {
      refuse_tokens = std::max(0, refuse_tokens - 1);
      return ports::HttpReply{.status = 401};
    }
    const auto found = values.find(request.target.substr(kDataPrefix.size()));
    if (!request.target.starts_with(kDataPrefix) || found == values.end()) {
      return ports::HttpReply{.status = 404};
    }
    return ports::HttpReply{.status = 200, .body = found->second};
  }

  std::map<std::string, std::string> values = {
      {"instance-id", "i-0123456789abcdef0"},
      {"instance-type", "m5.large"},
      {"placement/region", "us-east-1"},
      {"placement/availability-zone", "us-east-1a"},
      {"mac", "02:29:96:8f:6a:2d"},
      {"network/interfaces/macs/02:29:96:8f:6a:2d/vpc-id", "vpc-1"},
      {"network/interfaces/macs/02:29:96:8f:6a:2d/subnet-id", "subnet-1"},
  };
  int tokens = 0;
  int token_life_seconds = 21600;
  int refuse_tokens = 0;  // how many reads are answered 401, whatever their token
  int put_status = 200;
  std::optional<std::string> put_body;
  std::optional<Error> put_error;
};

class ImdsTest : public testing::Test {
 protected:
  Result<ports::InstanceFacts> fetch() { return value_of(imds_.fetch({MonoTime(9s)})); }

  FakeImds service_;
  ports::FakeClock clock_;
  ScriptedHttp http_{[this](const ports::HttpRequest& request) { return service_.answer(request); }};
  Imds imds_{http_, clock_, kEndpoint};
};

TEST_F(ImdsTest, tells_the_facts_of_the_instance_and_its_primary_interface) {
  const auto facts = fetch();
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_EQ(*facts, (ports::InstanceFacts{model::InstanceId("i-0123456789abcdef0"), "m5.large", "us-east-1",
                                          "us-east-1a", "vpc-1", "subnet-1"}));
}

TEST_F(ImdsTest, asks_for_a_token_first_and_sends_it_with_every_read) {
  ASSERT_TRUE(fetch());
  ASSERT_EQ(http_.requests.size(), 8U);
  EXPECT_EQ(http_.requests[0].method, "PUT");
  EXPECT_EQ(http_.requests[0].target, "http://imds.test/latest/api/token");
  EXPECT_EQ(http_.requests[0].headers.find("X-aws-ec2-metadata-token-ttl-seconds"), "21600");
  for (std::size_t i = 1; i < http_.requests.size(); ++i) {
    EXPECT_EQ(http_.requests[i].method, "GET");
    EXPECT_EQ(http_.requests[i].headers.find("X-aws-ec2-metadata-token"), "token-1");
    EXPECT_EQ(http_.deadlines[i], MonoTime(9s));
  }
}

TEST_F(ImdsTest, keeps_its_token_until_shortly_before_its_end) {
  ASSERT_TRUE(fetch());
  clock_.advance(21600s - 61s);
  ASSERT_TRUE(fetch());
  EXPECT_EQ(service_.tokens, 1);
  clock_.advance(2s);
  ASSERT_TRUE(fetch());
  EXPECT_EQ(service_.tokens, 2);
}

TEST_F(ImdsTest, believes_the_life_that_the_service_gave_the_token) {
  service_.token_life_seconds = 120;
  ASSERT_TRUE(fetch());
  clock_.advance(61s);
  ASSERT_TRUE(fetch());
  EXPECT_EQ(service_.tokens, 2);
}

TEST_F(ImdsTest, a_token_that_is_no_longer_taken_is_renewed_once) {
  ASSERT_TRUE(fetch());
  service_.refuse_tokens = 1;
  const auto facts = fetch();
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_EQ(service_.tokens, 2);
}

TEST_F(ImdsTest, a_new_token_that_is_not_taken_either_is_an_error) {
  service_.refuse_tokens = 2;
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kUnauthorized);
  EXPECT_EQ(service_.tokens, 2) << "and not one after the other";
}

TEST_F(ImdsTest, an_instance_id_that_is_none_is_an_error_that_shows_it) {
  service_.values["instance-id"] = "";
  auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kInternal);
  EXPECT_THAT(facts.error().message(), HasSubstr("meta-data/instance-id: the value is empty"));

  service_.values["instance-id"] = "<html>login</html>";
  facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kInternal);
  EXPECT_THAT(facts.error().message(), HasSubstr("\"<html>login</html>\" is no instance id"));

  service_.values["instance-id"] = "two words\x01" + std::string(100, 'x');
  facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().message(), HasSubstr("\"two words?xxx"));
}

TEST_F(ImdsTest, a_line_break_at_the_end_of_a_value_is_not_part_of_it) {
  service_.values["instance-id"] = "i-0aaa\n";
  EXPECT_EQ(fetch()->instance.str(), "i-0aaa");
}

TEST_F(ImdsTest, a_mac_that_would_change_the_path_is_refused) {
  for (const auto* mac : {"../../secret", "02:29:96:8f:6a", "02-29-96-8f-6a-2d", "02:29:96:8f:6a:zz"}) {
    service_.values["mac"] = mac;
    const auto facts = fetch();
    ASSERT_FALSE(facts) << mac;
    EXPECT_THAT(facts.error().message(), HasSubstr("is no MAC address"));
  }
}

TEST_F(ImdsTest, a_missing_value_is_named) {
  service_.values.erase("placement/region");
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(facts.error().message(), HasSubstr("placement/region"));
}

TEST_F(ImdsTest, a_token_request_without_reply_hints_at_the_hop_limit) {
  service_.put_error = Error{.kind = ErrorKind::kTimeout, .operation = "PUT", .detail = "no reply within 2s"};
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(facts.error().message(), HasSubstr("no reply within 2s"));
  EXPECT_THAT(facts.error().message(), HasSubstr("hop-limit"));
}

TEST_F(ImdsTest, a_service_that_is_not_there_asks_whether_this_is_an_instance) {
  service_.put_error =
      Error{.kind = ErrorKind::kUnavailable, .operation = "PUT", .detail = "connection refused"};
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(facts.error().message(), HasSubstr("AWS_EC2_METADATA_SERVICE_ENDPOINT"));
}

TEST_F(ImdsTest, a_service_that_is_switched_off_says_how_to_switch_it_on) {
  service_.put_status = 403;
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(facts.error().message(), HasSubstr("--http-endpoint enabled"));
}

TEST_F(ImdsTest, without_a_token_nothing_is_read_as_version_one_would) {
  for (const int status : {400, 404, 405, 500}) {
    service_.put_status = status;
    EXPECT_FALSE(fetch()) << status;
  }
  service_.put_status = 200;
  service_.put_body = "<html>\n";
  const auto facts = fetch();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind, ErrorKind::kInternal);
  for (const auto& request : http_.requests) {
    EXPECT_EQ(request.method, "PUT");
  }
}

TEST_F(ImdsTest, a_token_is_in_no_error) {
  service_.values.erase("instance-type");
  service_.put_body = std::nullopt;
  EXPECT_THAT(fetch().error().message(), Not(HasSubstr("token-1")));
}

}  // namespace
}  // namespace berth::aws
