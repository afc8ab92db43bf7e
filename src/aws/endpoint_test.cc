#include "aws/endpoint.h"

#include <map>

#include <gmock/gmock.h>

namespace berth::aws {
namespace {

using testing::HasSubstr;
using testing::Not;

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string url_with(std::map<std::string, std::string> variables) {
  variables.emplace("AWS_REGION", "us-east-1");
  const auto endpoint = ec2_endpoint(environment(std::move(variables)));
  return endpoint ? endpoint->url : endpoint.error().message();
}

TEST(Ec2Endpoint, a_missing_region_is_an_error_with_the_remedy) {
  const auto endpoint = ec2_endpoint(environment({{"AWS_REGION", ""}}));
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(endpoint.error().kind, ErrorKind::kInvalid);
  EXPECT_THAT(endpoint.error().message(), HasSubstr("set AWS_REGION"));
}

TEST(Ec2Endpoint, AWS_REGION_comes_before_AWS_DEFAULT_REGION) {
  EXPECT_EQ(
      ec2_endpoint(environment({{"AWS_REGION", "eu-west-1"}, {"AWS_DEFAULT_REGION", "us-east-1"}}))->region,
      "eu-west-1");
  EXPECT_EQ(ec2_endpoint(environment({{"AWS_REGION", ""}, {"AWS_DEFAULT_REGION", "us-east-1"}}))->region,
            "us-east-1");
}

TEST(Ec2Endpoint, a_zone_in_place_of_a_region_is_named_with_its_region) {
  const auto endpoint = ec2_endpoint(environment({{"AWS_REGION", "us-east-1a"}}));
  ASSERT_FALSE(endpoint);
  EXPECT_THAT(endpoint.error().detail, HasSubstr("names a zone"));
  EXPECT_THAT(endpoint.error().detail, HasSubstr("set it to \"us-east-1\""));
}

TEST(Ec2Endpoint, a_region_that_could_change_the_host_is_refused) {
  for (const auto* region : {"evil.example/", "us east 1", "a@b"}) {
    EXPECT_FALSE(ec2_endpoint(environment({{"AWS_REGION", region}}))) << region;
  }
}

TEST(Ec2Endpoint, the_public_one_depends_on_the_regions_partition) {
  EXPECT_EQ(public_ec2_url("us-east-1"), "https://ec2.us-east-1.amazonaws.com/");
  EXPECT_EQ(public_ec2_url("us-gov-west-1"), "https://ec2.us-gov-west-1.amazonaws.com/");
  EXPECT_EQ(public_ec2_url("cn-north-1"), "https://ec2.cn-north-1.amazonaws.com.cn/");
  EXPECT_EQ(public_ec2_url("us-iso-east-1"), "https://ec2.us-iso-east-1.c2s.ic.gov/");
  EXPECT_EQ(public_ec2_url("us-isob-east-1"), "https://ec2.us-isob-east-1.sc2s.sgov.gov/");
  EXPECT_EQ(public_ec2_url("us-isof-south-1"), "https://ec2.us-isof-south-1.csp.hci.ic.gov/");
  EXPECT_EQ(public_ec2_url("eu-isoe-west-1"), "https://ec2.eu-isoe-west-1.cloud.adc-e.uk/");
  EXPECT_EQ(public_ec2_url("eusc-de-east-1"), "https://ec2.eusc-de-east-1.amazonaws.eu/");
}

TEST(Ec2Endpoint, the_variable_for_EC2_comes_before_the_one_for_all_services) {
  EXPECT_EQ(url_with({{"AWS_ENDPOINT_URL", "http://all:1"}}), "http://all:1/");
  EXPECT_EQ(url_with({{"AWS_ENDPOINT_URL", "http://all:1"}, {"AWS_ENDPOINT_URL_EC2", "http://ec2:2/"}}),
            "http://ec2:2/");
  EXPECT_EQ(url_with({{"AWS_ENDPOINT_URL_EC2", ""}}), "https://ec2.us-east-1.amazonaws.com/");
  EXPECT_EQ(url_with({{"AWS_ENDPOINT_URL", "http://all:1/path"}}), "http://all:1/path/");
}

TEST(Ec2Endpoint, a_url_that_cannot_be_used_is_named_by_its_variable) {
  for (const auto* url :
       {"localhost:4566", "ftp://x", "http://", "http:///path", "http://a b", "http://x?y=z"}) {
    EXPECT_THAT(url_with({{"AWS_ENDPOINT_URL", url}}), HasSubstr("AWS_ENDPOINT_URL")) << url;
  }
}

TEST(Ec2Endpoint, a_password_in_a_url_is_not_repeated) {
  const std::string message = url_with({{"AWS_ENDPOINT_URL", "http://me:hunter2@host"}});
  EXPECT_THAT(message, HasSubstr("AWS_ENDPOINT_URL"));
  EXPECT_THAT(message, Not(HasSubstr("hunter2")));
}

TEST(ImdsEndpoint, is_the_link_local_address_unless_told_otherwise) {
  EXPECT_EQ(*imds_endpoint(environment({})), "http://169.254.169.254");
  EXPECT_EQ(*imds_endpoint(environment({{"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ipv6"}})),
            "http://[fd00:ec2::254]");
  EXPECT_EQ(
      *imds_endpoint(environment({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:99/node-1/"}})),
      "http://127.0.0.1:99/node-1");
}

TEST(ImdsEndpoint, a_setting_that_cannot_be_used_is_an_error) {
  EXPECT_FALSE(imds_endpoint(environment({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "169.254.169.254"}})));
  EXPECT_FALSE(imds_endpoint(environment({{"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "IPv5"}})));
}

}  // namespace
}  // namespace berth::aws
