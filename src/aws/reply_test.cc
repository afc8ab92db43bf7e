#include "aws/reply.h"

#include <gmock/gmock.h>

namespace berth::aws {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

// As EC2 lays it out, with line breaks between elements.
constexpr auto kEc2Addresses = R"(<?xml version="1.0" encoding="UTF-8"?>
<DescribeAddressesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
    <requestId>f7de5e98-491a-4c19-a92d-908d6EXAMPLE</requestId>
    <addressesSet>
        <item>
            <publicIp>203.0.113.41</publicIp>
            <allocationId>eipalloc-08229861</allocationId>
            <domain>vpc</domain>
            <instanceId>i-0598c7d356eba48d7</instanceId>
            <associationId>eipassoc-f0229899</associationId>
            <networkInterfaceId>eni-ef229886</networkInterfaceId>
            <networkInterfaceOwnerId>053230519467</networkInterfaceOwnerId>
            <privateIpAddress>10.0.0.228</privateIpAddress>
            <publicIpv4Pool>amazon</publicIpv4Pool>
            <networkBorderGroup>us-east-1</networkBorderGroup>
            <tagSet>
                <item><key>anton</key><value>test</value></item>
                <item><key>a&amp;b</key><value>&lt;ü&gt;</value></item>
                <item><key>blank</key><value> </value></item>
                <item><key>edges</key><value> x </value></item>
                <item><key>empty</key><value></value></item>
            </tagSet>
            <somethingNew><item>1</item></somethingNew>
        </item>
        <item>
            <publicIp>198.51.100.2</publicIp>
            <allocationId>eipalloc-2</allocationId>
            <domain>vpc</domain>
            <serviceManaged>nlb</serviceManaged>
        </item>
    </addressesSet>
</DescribeAddressesResponse>)";

// As moto answers: one line, and empty elements where EC2 has none.
constexpr auto kMotoAddresses =
    R"(<?xml version="1.0" encoding="utf-8"?>
<DescribeAddressesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15"><addressesSet><item><allocationId>eipalloc-5f657312bc4444e36</allocationId><domain>vpc</domain><networkInterfaceId/><tagSet/><instanceId/><publicIp>127.224.19.43</publicIp></item><item><allocationId>eipalloc-e2c9f80ef2a03f691</allocationId><associationId>eipassoc-4f7d440ea218f70a5</associationId><domain>vpc</domain><networkInterfaceId>eni-cf525433911e24f85</networkInterfaceId><networkInterfaceOwnerId>123456789012</networkInterfaceOwnerId><privateIpAddress>10.21.38.108</privateIpAddress><tagSet><item><key>empty</key><value/></item></tagSet><instanceId/><publicIp>127.149.187.226</publicIp></item></addressesSet><requestId>request-id</requestId></DescribeAddressesResponse>)";

TEST(DecodeDescribeAddresses, reads_what_EC2_sends_and_passes_over_the_rest) {
  const auto addresses = decode_describe_addresses(kEc2Addresses);
  ASSERT_TRUE(addresses) << addresses.error().message();
  ASSERT_EQ(addresses->size(), 2U);
  const AddressItem& held = addresses->front();
  EXPECT_EQ(held.public_ip, "203.0.113.41");
  EXPECT_EQ(held.allocation_id, "eipalloc-08229861");
  EXPECT_EQ(held.domain, "vpc");
  EXPECT_EQ(held.instance_id, "i-0598c7d356eba48d7");
  EXPECT_EQ(held.association_id, "eipassoc-f0229899");
  EXPECT_EQ(held.network_interface_id, "eni-ef229886");
  EXPECT_EQ(held.network_interface_owner_id, "053230519467");
  EXPECT_EQ(held.private_ip_address, "10.0.0.228");
  EXPECT_EQ(held.network_border_group, "us-east-1");
  EXPECT_EQ(held.service_managed, "");
  EXPECT_EQ(addresses->back().service_managed, "nlb");
  EXPECT_EQ(addresses->back().association_id, "");
}

TEST(DecodeDescribeAddresses, R1_tags_are_read_to_the_character) {
  const auto addresses = decode_describe_addresses(kEc2Addresses);
  ASSERT_TRUE(addresses);
  EXPECT_THAT(addresses->front().tags,
              UnorderedElementsAre(Pair("anton", "test"), Pair("a&b", "<ü>"), Pair("blank", " "),
                                   Pair("edges", " x "), Pair("empty", "")));
}

TEST(DecodeDescribeAddresses, an_empty_element_is_a_missing_one) {
  const auto addresses = decode_describe_addresses(kMotoAddresses);
  ASSERT_TRUE(addresses) << addresses.error().message();
  ASSERT_EQ(addresses->size(), 2U);
  EXPECT_EQ(addresses->front().network_interface_id, "");
  EXPECT_TRUE(addresses->front().tags.empty());
  EXPECT_THAT(addresses->back().tags, UnorderedElementsAre(Pair("empty", "")));
}

TEST(DecodeDescribeAddresses, an_empty_set_is_none_and_a_missing_set_is_an_error) {
  const auto none =
      decode_describe_addresses("<DescribeAddressesResponse><addressesSet/></DescribeAddressesResponse>");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  const auto broken = decode_describe_addresses("<DescribeAddressesResponse/>");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, ErrorKind::kInternal);
  EXPECT_THAT(broken.error().message(), HasSubstr("DescribeAddresses: the reply has no <addressesSet>"));
}

TEST(DecodeDescribeAddresses, a_reply_that_is_cut_off_anywhere_is_an_error) {
  const std::string whole = kMotoAddresses;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto cut = decode_describe_addresses(whole.substr(0, length));
    ASSERT_FALSE(cut) << "cut after " << length;
    ASSERT_EQ(cut.error().kind, ErrorKind::kInternal);
  }
}

TEST(DecodeDescribeAddresses, a_page_of_something_else_says_what_it_is) {
  const auto page = decode_describe_addresses("<html><body>Welcome</body></html>");
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().detail,
              HasSubstr("the reply is <html>, expected was <DescribeAddressesResponse>"));
  EXPECT_THAT(decode_describe_addresses("{\"json\":true}").error().detail, HasSubstr("not XML"));
  EXPECT_THAT(decode_describe_addresses("").error().detail, HasSubstr("not XML"));
}

TEST(DecodeDescribeAddresses, a_reply_beyond_the_bound_is_not_read) {
  const auto large = decode_describe_addresses(std::string(kLargestReplyBytes + 1, ' '));
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().detail, HasSubstr("bytes, more than"));
}

TEST(DecodeDescribeAddresses, very_deep_nesting_does_no_harm) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) {
    deep += "<a>";
  }
  EXPECT_FALSE(decode_describe_addresses(deep));
  for (int i = 0; i < 200'000; ++i) {
    deep += "</a>";
  }
  EXPECT_FALSE(decode_describe_addresses(deep));
}

constexpr auto kInstances = R"(<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
  <requestId>1</requestId>
  <reservationSet>
    <item>
      <reservationId>r-1</reservationId>
      <instancesSet>
        <item>
          <instanceId>i-0aaa</instanceId>
          <instanceState><code>16</code><name>running</name></instanceState>
          <placement><availabilityZone>us-west-2-lax-1a</availabilityZone><tenancy>default</tenancy></placement>
          <ipAddress>54.214.58.228</ipAddress>
          <networkInterfaceSet>
            <item>
              <networkInterfaceId>eni-second</networkInterfaceId>
              <privateIpAddress>10.0.1.5</privateIpAddress>
              <attachment><deviceIndex>1</deviceIndex><networkCardIndex>0</networkCardIndex></attachment>
            </item>
            <item>
              <networkInterfaceId>eni-first</networkInterfaceId>
              <privateIpAddress>10.0.0.5</privateIpAddress>
              <attachment><deviceIndex>0</deviceIndex></attachment>
              <privateIpAddressesSet>
                <item><privateIpAddress>10.0.0.9</privateIpAddress><primary>false</primary></item>
                <item><privateIpAddress>10.0.0.6</privateIpAddress><primary>true</primary></item>
              </privateIpAddressesSet>
            </item>
            <item><networkInterfaceId>eni-odd</networkInterfaceId>
              <attachment><deviceIndex>zero</deviceIndex></attachment></item>
          </networkInterfaceSet>
        </item>
        <item><instanceId>i-0bbb</instanceId><instanceState><name>terminated</name></instanceState>
          <networkInterfaceSet/></item>
      </instancesSet>
    </item>
    <item><instancesSet><item><instanceId>i-0ccc</instanceId></item></instancesSet></item>
  </reservationSet>
  <nextToken>more</nextToken>
</DescribeInstancesResponse>)";

TEST(DecodeDescribeInstances, reads_instances_of_all_reservations_with_their_interfaces) {
  const auto page = decode_describe_instances(kInstances);
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->next_token, "more");
  ASSERT_EQ(page->instances.size(), 3U);
  const InstanceItem& first = page->instances[0];
  EXPECT_EQ(first.instance_id, "i-0aaa");
  EXPECT_EQ(first.state, "running");
  EXPECT_EQ(first.availability_zone, "us-west-2-lax-1a");
  ASSERT_EQ(first.interfaces.size(), 3U);
  EXPECT_EQ(first.interfaces[0].device_index, 1);
  EXPECT_EQ(first.interfaces[0].network_card_index, 0);
  EXPECT_EQ(first.interfaces[0].private_ip_address, "10.0.1.5");
  EXPECT_EQ(first.interfaces[1].device_index, 0);
  EXPECT_EQ(first.interfaces[1].network_card_index, std::nullopt);
  EXPECT_EQ(first.interfaces[1].private_ip_address, "10.0.0.6") << "the one that is marked as primary";
  EXPECT_EQ(first.interfaces[2].device_index, std::nullopt);
  EXPECT_EQ(page->instances[1].state, "terminated");
  EXPECT_TRUE(page->instances[1].interfaces.empty());
  EXPECT_EQ(page->instances[2].instance_id, "i-0ccc");
}

TEST(DecodeDescribeInstances, a_missing_set_is_an_error) {
  EXPECT_FALSE(decode_describe_instances("<DescribeInstancesResponse/>"));
}

TEST(DecodeAssociateAddress, gives_the_associations_id) {
  const auto association = decode_associate_address(
      R"(<AssociateAddressResponse><requestId>1</requestId><return>true</return><associationId>eipassoc-1</associationId></AssociateAddressResponse>)");
  ASSERT_TRUE(association);
  EXPECT_EQ(*association, "eipassoc-1");
  EXPECT_FALSE(
      decode_associate_address("<AssociateAddressResponse><return>true</return></AssociateAddressResponse>"));
}

TEST(DecodeDisassociateAddress, is_done_unless_the_reply_says_false) {
  EXPECT_TRUE(decode_disassociate_address(
      "<DisassociateAddressResponse><return>true</return></DisassociateAddressResponse>"));
  EXPECT_TRUE(decode_disassociate_address(
      "<DisassociateAddressResponse><requestId>1</requestId></DisassociateAddressResponse>"));
  EXPECT_FALSE(decode_disassociate_address(
      "<DisassociateAddressResponse><return>false</return></DisassociateAddressResponse>"));
}

TEST(DecodeError, reads_both_layouts_that_AWS_uses) {
  const auto ec2 = decode_error(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<Response><Errors><Error><Code>Resource.AlreadyAssociated</Code><Message>resource eipalloc-1 is already associated</Message></Error></Errors><RequestID>a-b</RequestID></Response>)");
  ASSERT_TRUE(ec2);
  EXPECT_EQ(ec2->code, "Resource.AlreadyAssociated");
  EXPECT_EQ(ec2->message, "resource eipalloc-1 is already associated");
  EXPECT_EQ(ec2->request_id, "a-b");
  const auto other = decode_error(
      "<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate "
      "exceeded</Message></Error>"
      "<RequestId>c</RequestId></ErrorResponse>");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->code, "Throttling");
  EXPECT_EQ(other->request_id, "c");
}

TEST(DecodeError, what_is_no_error_of_AWSs_is_nothing) {
  for (const auto* body : {"", "upstream connect error", "<html><h1>502</h1></html>", "<Response/>",
                           "<Response><Errors><Error><Code/></Error></Errors></Response>"}) {
    EXPECT_FALSE(decode_error(body)) << body;
  }
}

}  // namespace
}  // namespace berth::aws
