#include "aws/provider.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aws/scripted_http_for_test.h"

namespace berth::aws {
namespace {

using testing::HasSubstr;

class FixedCredentials final : public CredentialsProvider {
 public:
  ports::Task<Result<Credentials>> fetch(ports::CallLimits) override {
    co_return Credentials{"AKIA1", "s", ""};
  }
};

ports::HttpReply addresses(std::string_view items) {
  return {
      .status = 200,
      .body = fmt::format(
          "<DescribeAddressesResponse><addressesSet>{}</addressesSet></DescribeAddressesResponse>", items)};
}

ports::HttpReply instances(std::string_view items) {
  return {.status = 200,
          .body = fmt::format(
              "<DescribeInstancesResponse><reservationSet><item><instancesSet>{}</instancesSet></item>"
              "</reservationSet></DescribeInstancesResponse>",
              items)};
}

ports::HttpReply refusal(int status, std::string_view code) {
  return {
      .status = status,
      .body = fmt::format(
          "<Response><Errors><Error><Code>{}</Code><Message>m</Message></Error></Errors></Response>", code)};
}

class Ec2CloudTest : public testing::Test {
 protected:
  std::vector<model::Address> listed(std::string_view items) {
    ScriptedHttp http({addresses(items)});
    Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
    auto list = value_of(ec2.list_addresses({}));
    EXPECT_TRUE(list);
    return *std::move(list);
  }

  std::optional<model::Instance> instance(std::string_view item) {
    ScriptedHttp http({instances(item)});
    Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
    auto list = value_of(ec2.list_instances({model::InstanceId("i-0aaa")}, {}));
    EXPECT_TRUE(list);
    return list->empty() ? std::nullopt : std::optional(list->front());
  }

  FixedCredentials credentials_;
};

TEST_F(Ec2CloudTest, addresses_are_ordered_by_number_and_carry_their_tags) {
  const auto list = listed(
      "<item><publicIp>18.213.0.10</publicIp><allocationId>eipalloc-b</allocationId><domain>vpc</domain></"
      "item>"
      "<item><publicIp>18.213.0.9</publicIp><allocationId>eipalloc-a</allocationId><domain>vpc</domain>"
      "<tagSet><item><key>k</key><value>v*</value></item></tagSet></item>");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].id.str(), "eipalloc-a");
  EXPECT_EQ(list[0].tags, (model::TagMap{{"k", "v*"}}));
  EXPECT_TRUE(list[0].in_vpc);
  EXPECT_FALSE(list[0].association);
  EXPECT_EQ(list[1].ip, IpAddress::parse("18.213.0.10"));
}

TEST_F(Ec2CloudTest, an_association_shows_target_instance_and_owner) {
  const auto list = listed(
      "<item><publicIp>18.213.0.9</publicIp><allocationId>eipalloc-a</allocationId><associationId>eipassoc-1"
      "</associationId><networkInterfaceId>eni-1</networkInterfaceId><privateIpAddress>10.0.0.5</"
      "privateIpAddress>"
      "<instanceId>i-0aaa</instanceId><networkInterfaceOwnerId>111122223333</networkInterfaceOwnerId></"
      "item>");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].association,
            (model::Association{model::AssociationId("eipassoc-1"),
                                {model::InterfaceId("eni-1"), *IpAddress::parse("10.0.0.5")},
                                model::InstanceId("i-0aaa"),
                                "111122223333"}));
}

TEST_F(Ec2CloudTest, R5_any_sign_of_a_holder_makes_an_address_not_free) {
  for (const auto* sign : {"<associationId>x</associationId>", "<networkInterfaceId>x</networkInterfaceId>",
                           "<instanceId>x</instanceId>"}) {
    const auto list = listed(
        fmt::format("<item><publicIp>18.0.0.1</publicIp><allocationId>a</allocationId>{}</item>", sign));
    EXPECT_TRUE(list.at(0).association) << sign;
  }
  const auto empty = listed(
      "<item><publicIp>18.0.0.1</publicIp><allocationId>a</allocationId><associationId/><networkInterfaceId/>"
      "<instanceId/></item>");
  EXPECT_FALSE(empty.at(0).association) << "empty elements say nothing";
}

TEST_F(Ec2CloudTest, R1_what_makes_an_address_no_candidate_is_kept) {
  const auto list = listed(
      "<item><publicIp>18.0.0.1</publicIp><allocationId>a</allocationId><serviceManaged>alb</serviceManaged>"
      "<networkBorderGroup>us-west-2-lax-1</networkBorderGroup></item>"
      "<item><publicIp>18.0.0.2</publicIp><allocationId>b</allocationId><domain>standard</domain>"
      "<networkBorderGroup>us-west-2</networkBorderGroup></item>");
  EXPECT_EQ(list.at(0).service_managed, "alb");
  EXPECT_EQ(list.at(0).network_border_group, "us-west-2-lax-1");
  EXPECT_FALSE(list.at(1).in_vpc);
  EXPECT_EQ(list.at(1).network_border_group, "") << "the region's own group";
}

constexpr auto kWithUnusableEntries =
    "<item><carrierIp>155.0.0.1</carrierIp><allocationId>carrier</allocationId></item>"
    "<item><publicIp>18.0.0.9</publicIp><customerOwnedIp>198.0.0.1</customerOwnedIp><allocationId>coip</"
    "allocationId></item>"
    "<item><publicIp>not-an-ip</publicIp><allocationId>garbage</allocationId></item>"
    "<item><publicIp>18.0.0.3</publicIp></item>"
    "<item><publicIp>18.0.0.1</publicIp><allocationId>good</allocationId></item>";

TEST_F(Ec2CloudTest, an_entry_that_no_target_could_use_is_left_out_and_logged_once) {
  ScriptedHttp http([](const ports::HttpRequest&) { return addresses(kWithUnusableEntries); });
  Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
  const LogCapture log;
  for (int round = 0; round < 3; ++round) {
    const auto list = value_of(ec2.list_addresses({}));
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ(list->front().id.str(), "good");
  }
  EXPECT_EQ(log.count("left out"), 4U);
  EXPECT_EQ(log.count("155.0.0.1 (carrier)"), 1U);
  EXPECT_EQ(log.count("not-an-ip"), 1U);
}

constexpr auto kRunning =
    "<instanceId>i-0aaa</instanceId><instanceState><name>running</name></instanceState>"
    "<placement><availabilityZone>us-west-2b</availabilityZone></placement>";

TEST_F(Ec2CloudTest, the_target_is_on_the_interface_with_device_and_card_zero) {
  const auto found = instance(fmt::format(
      "<item>{}<networkInterfaceSet>"
      "<item><networkInterfaceId>eni-card1</networkInterfaceId><privateIpAddress>10.0.0.7</privateIpAddress>"
      "<attachment><deviceIndex>0</deviceIndex><networkCardIndex>1</networkCardIndex></attachment></item>"
      "<item><networkInterfaceId>eni-second</networkInterfaceId><privateIpAddress>10.0.0.8</privateIpAddress>"
      "<attachment><deviceIndex>1</deviceIndex><networkCardIndex>0</networkCardIndex></attachment></item>"
      "<item><networkInterfaceId>eni-primary</networkInterfaceId><privateIpAddress>10.0.0.9</"
      "privateIpAddress>"
      "<attachment><deviceIndex>0</deviceIndex></attachment></item>"
      "</networkInterfaceSet></item>",
      kRunning));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id.str(), "i-0aaa");
  EXPECT_EQ(found->state, model::InstanceState::kRunning);
  EXPECT_EQ(found->target, (model::Target{model::InterfaceId("eni-primary"), *IpAddress::parse("10.0.0.9")}));
  EXPECT_EQ(found->network_border_group, "");
}

TEST_F(Ec2CloudTest, without_a_primary_interface_there_is_no_target) {
  EXPECT_FALSE(instance(fmt::format("<item>{}<networkInterfaceSet/></item>", kRunning))->target);
  EXPECT_FALSE(
      instance(
          fmt::format("<item>{}<networkInterfaceSet><item><networkInterfaceId>e</networkInterfaceId>"
                      "<privateIpAddress>10.0.0.1</privateIpAddress></item></networkInterfaceSet></item>",
                      kRunning))
          ->target)
      << "no attachment";
  EXPECT_FALSE(
      instance(
          fmt::format("<item>{}<networkInterfaceSet><item><networkInterfaceId>e</networkInterfaceId>"
                      "<attachment><deviceIndex>0</deviceIndex></attachment></item></networkInterfaceSet>"
                      "</item>",
                      kRunning))
          ->target)
      << "no private IPv4 address";
}

TEST_F(Ec2CloudTest, every_state_of_EC2_is_known_and_another_is_left_out_with_a_warning) {
  for (const auto* state : {"pending", "running", "shutting-down", "terminated", "stopping", "stopped"}) {
    const auto found = instance(fmt::format(
        "<item><instanceId>i-0aaa</instanceId><instanceState><name>{}</name></instanceState></item>", state));
    ASSERT_TRUE(found) << state;
    EXPECT_EQ(to_string(found->state), state);
  }
  const LogCapture log;
  EXPECT_FALSE(instance(
      "<item><instanceId>i-0aaa</instanceId><instanceState><name>dreaming</name></instanceState></item>"));
  EXPECT_EQ(log.count("\"dreaming\" is not known"), 1U);
}

TEST_F(Ec2CloudTest, an_instance_in_a_local_zone_belongs_to_the_zones_border_group) {
  const auto found = instance(
      "<item><instanceId>i-0aaa</instanceId><instanceState><name>running</name></instanceState>"
      "<placement><availabilityZone>us-west-2-lax-1a</availabilityZone></placement></item>");
  EXPECT_EQ(found->network_border_group, "us-west-2-lax-1");
}

TEST_F(Ec2CloudTest, R2_an_auto_assigned_public_ip_is_no_association) {
  // The shape in which moto and EC2 show one: on the interface and its private address, without an
  // allocation.
  const auto found = instance(fmt::format(
      "<item>{}<ipAddress>54.214.58.228</ipAddress><networkInterfaceSet><item>"
      "<association><ipOwnerId>amazon</ipOwnerId><publicIp>54.214.58.228</publicIp></association>"
      "<networkInterfaceId>eni-1</networkInterfaceId><privateIpAddress>10.0.0.9</privateIpAddress>"
      "<privateIpAddressesSet><item><association><publicIp>54.214.58.228</publicIp></association>"
      "<primary>true</primary><privateIpAddress>10.0.0.9</privateIpAddress></item></privateIpAddressesSet>"
      "<attachment><deviceIndex>0</deviceIndex><networkCardIndex>0</networkCardIndex></attachment>"
      "</item></networkInterfaceSet></item>",
      kRunning));
  EXPECT_EQ(found->target, (model::Target{model::InterfaceId("eni-1"), *IpAddress::parse("10.0.0.9")}));
}

TEST_F(Ec2CloudTest, R11_a_text_that_is_no_instance_id_is_not_asked_for) {
  ScriptedHttp http([](const ports::HttpRequest&) { return instances(""); });
  Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
  ASSERT_TRUE(value_of(ec2.list_instances(
      {model::InstanceId("i-*"), model::InstanceId("i-0bbb"), model::InstanceId(std::string(3000, 'x'))},
      {})));
  ASSERT_EQ(http.requests.size(), 1U);
  EXPECT_THAT(http.requests[0].body, HasSubstr("Filter.1.Value.1=i-0bbb&MaxResults"));
  ASSERT_TRUE(value_of(ec2.list_instances({model::InstanceId("")}, {})));
  EXPECT_EQ(http.requests.size(), 1U) << "nothing left to ask for";
}

TEST_F(Ec2CloudTest, R13_two_hundred_instances_are_one_call) {
  ScriptedHttp http([](const ports::HttpRequest&) { return instances(""); });
  Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
  ASSERT_EQ(ec2.max_instances_per_list(), 200U);
  std::vector<model::InstanceId> ids;
  ids.reserve(200);
  for (int i = 0; i < 200; ++i) {
    ids.emplace_back(fmt::format("i-{:017x}", i));
  }
  ASSERT_TRUE(value_of(ec2.list_instances(ids, {})));
  EXPECT_EQ(http.requests.size(), 1U);
}

TEST_F(Ec2CloudTest, associate_gives_one_of_three_outcomes) {
  ScriptedHttp http({
      ports::HttpReply{.status = 200,
                       .body = "<AssociateAddressResponse><associationId>eipassoc-1</associationId></"
                               "AssociateAddressResponse>"},
      refusal(400, "Resource.AlreadyAssociated"),
      refusal(500, "InternalError"),
  });
  Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
  const model::Target target{model::InterfaceId("eni-1"), *IpAddress::parse("10.0.0.5")};
  const auto associate = [&] {
    return value_of(ec2.associate(model::AllocationId("eipalloc-1"), target, {}));
  };
  const auto done = associate();
  ASSERT_TRUE(std::holds_alternative<ports::Associated>(done));
  EXPECT_EQ(std::get<ports::Associated>(done).association.str(), "eipassoc-1");
  EXPECT_THAT(http.requests[0].body, HasSubstr("&NetworkInterfaceId=eni-1&PrivateIpAddress=10.0.0.5&"));
  const auto taken = associate();
  ASSERT_TRUE(std::holds_alternative<ports::Refused>(taken));
  EXPECT_EQ(std::get<ports::Refused>(taken).cause, ports::RefusalCause::kAddressTaken);
  EXPECT_EQ(std::get<ports::Refused>(taken).error.code, "Resource.AlreadyAssociated");
  EXPECT_TRUE(std::holds_alternative<ports::OutcomeUnknown>(associate()));
}

TEST_F(Ec2CloudTest, disassociate_gives_one_of_three_outcomes) {
  ScriptedHttp http({
      ports::HttpReply{.status = 200, .body = "<DisassociateAddressResponse/>"},
      refusal(400, "InvalidAssociationID.NotFound"),
      Error{.kind = ErrorKind::kTimeout, .operation = "POST", .detail = "no reply"},
  });
  Ec2Cloud ec2(http, credentials_, {"https://ec2.test/", "us-west-2"});
  const auto disassociate = [&] {
    return value_of(ec2.disassociate(model::AssociationId("eipassoc-1"), {}));
  };
  EXPECT_TRUE(std::holds_alternative<ports::Disassociated>(disassociate()));
  const auto gone = disassociate();
  ASSERT_TRUE(std::holds_alternative<ports::Refused>(gone));
  EXPECT_EQ(std::get<ports::Refused>(gone).cause, ports::RefusalCause::kAssociationGone);
  EXPECT_TRUE(std::holds_alternative<ports::OutcomeUnknown>(disassociate()));
}

}  // namespace
}  // namespace berth::aws
