#include "sandbox/ec2/actions.h"

#include "sandbox/ec2/ec2_for_test.h"

namespace berth::sandbox {
namespace {

TEST_F(Ec2, allocates_with_tags_and_releases) {
  const std::string made = body("AllocateAddress",
                                "Domain=vpc&TagSpecification.1.ResourceType=elastic-ip&"
                                "TagSpecification.1.Tag.1.Key=k+1&TagSpecification.1.Tag.1.Value=%3Cv%26%3E");
  EXPECT_EQ(text(made, "publicIp"), "18.213.0.3");
  EXPECT_EQ(text(made, "domain"), "vpc");
  EXPECT_EQ(text(made, "networkBorderGroup"), "us-east-1");
  const std::string id = text(made, "allocationId");
  const std::string seen = body("DescribeAddresses", "AllocationId.1=" + id);
  EXPECT_EQ(text(seen, "key"), "k 1");
  EXPECT_EQ(text(seen, "value"), "&lt;v&amp;&gt;");
  EXPECT_EQ(code("AllocateAddress", "TagSpecification.1.ResourceType=instance"), "InvalidParameterValue");
  EXPECT_EQ(code("AllocateAddress", "Domain=standard"), "InvalidParameterValue");
  EXPECT_EQ(code("AllocateAddress", "Address=nonsense"), "InvalidParameterValue");

  EXPECT_EQ(code("ReleaseAddress", "PublicIp=18.213.0.3"), "InvalidParameterValue");
  EXPECT_EQ(code("ReleaseAddress", "AllocationId=" + id + "&NetworkBorderGroup=us-east-1-bos-1"),
            "InvalidAddress.NotFound");
  EXPECT_EQ(text(body("ReleaseAddress", "AllocationId=" + id), "return"), "true");
  EXPECT_EQ(code("DescribeAddresses", "AllocationId.1=" + id), "InvalidAllocationID.NotFound");
}

TEST_F(Ec2, associates_and_shows_it_everywhere) {
  const std::string interface = interface_of(node);
  const std::string free = body("DescribeAddresses", "AllocationId.1=" + first.str());
  for (const char* element : {"associationId", "instanceId", "networkInterfaceId", "privateIpAddress"}) {
    EXPECT_EQ(texts(free, element).size(), 0U) << "a free address has no " << element;
  }
  const std::string made = body("AssociateAddress", fmt::format("AllocationId={}&NetworkInterfaceId={}&"
                                                                "AllowReassociation=false",
                                                                first.str(), interface));
  const std::string association = text(made, "associationId");
  EXPECT_TRUE(association.starts_with("eipassoc-")) << made;

  const std::string taken = body("DescribeAddresses", "AllocationId.1=" + first.str());
  EXPECT_EQ(text(taken, "associationId"), association);
  EXPECT_EQ(text(taken, "instanceId"), node.str());
  EXPECT_EQ(text(taken, "networkInterfaceId"), interface);
  EXPECT_EQ(text(taken, "networkInterfaceOwnerId"), "123456789012");
  EXPECT_EQ(text(taken, "privateIpAddress"), "10.0.0.4");

  const std::string shown = body("DescribeNetworkInterfaces", "NetworkInterfaceId.1=" + interface);
  EXPECT_EQ(texts(shown, "associationId"), (std::vector{association, association}))
      << "at the interface and its ip";
  EXPECT_EQ(text(shown, "ipOwnerId"), "123456789012");
  EXPECT_EQ(text(shown, "deviceIndex"), "0");
  EXPECT_EQ(text(body("DescribeInstances", "InstanceId.1=" + node.str()), "ipAddress"), "18.213.0.1");

  EXPECT_EQ(text(body("DisassociateAddress", "AssociationId=" + association), "return"), "true");
  EXPECT_EQ(code("DisassociateAddress", "AssociationId=" + association), "InvalidAssociationID.NotFound");
  EXPECT_EQ(text(body("DescribeNetworkInterfaces", "NetworkInterfaceId.1=" + interface), "ipOwnerId"),
            "amazon");
}

TEST_F(Ec2, wants_one_address_and_one_target) {
  const std::string interface = "&NetworkInterfaceId=" + interface_of(node);
  const std::string allocation = "AllocationId=" + first.str();
  EXPECT_EQ(code("AssociateAddress", interface.substr(1)), "MissingParameter");
  EXPECT_EQ(code("AssociateAddress", allocation), "MissingParameter");
  EXPECT_EQ(code("AssociateAddress", allocation + interface + "&InstanceId=" + node.str()),
            "InvalidParameterCombination");
  EXPECT_EQ(code("AssociateAddress", allocation + interface + "&PublicIp=18.213.0.1"),
            "InvalidParameterCombination");
  EXPECT_EQ(code("AssociateAddress", "PublicIp=18.213.0.1" + interface), "ok");
  EXPECT_EQ(code("AssociateAddress", allocation + interface + "&PrivateIpAddress=10.0.9.9"),
            "InvalidParameterValue");
}

TEST_F(Ec2, filters_addresses) {
  const std::vector<std::string> one = {"18.213.0.1"};
  const std::vector<std::string> both = {"18.213.0.1", "18.213.0.2"};
  const auto sorted = [&](const std::string& parameters) {
    auto ips = public_ips(parameters);
    std::ranges::sort(ips);
    return ips;
  };
  EXPECT_EQ(sorted("Filter.1.Name=tag:pool&Filter.1.Value.1=a"), one);
  EXPECT_EQ(sorted("Filter.1.Name=tag:pool&Filter.1.Value.1=A"), std::vector<std::string>{});
  EXPECT_EQ(sorted("Filter.1.Name=tag:pool&Filter.1.Value.1=a&Filter.1.Value.2=b"), both)
      << "values are alternatives";
  EXPECT_EQ(sorted("Filter.1.Name=tag:pool&Filter.1.Value.1=*&Filter.2.Name=tag-key&Filter.2.Value.1=odd"),
            one)
      << "filters all apply";
  EXPECT_EQ(sorted("Filter.1.Name=tag:odd&Filter.1.Value.1=%5C*%5C%3F%5C%5C"), one)
      << "escapes make characters plain";
  EXPECT_EQ(sorted("Filter.1.Name=domain&Filter.1.Value.1=vpc"), both);
  EXPECT_EQ(sorted("Filter.1.Name=public-ip&Filter.1.Value.1=18.213.0.1"), one);
  EXPECT_EQ(sorted("Filter.1.Name=association-id&Filter.1.Value.1=*"), std::vector<std::string>{})
      << "what is free has no association id";
  ASSERT_EQ(code("AssociateAddress", "AllocationId=" + first.str() + "&InstanceId=" + node.str()), "ok");
  EXPECT_EQ(sorted("Filter.1.Name=association-id&Filter.1.Value.1=*"), one);
  EXPECT_EQ(sorted("Filter.1.Name=instance-id&Filter.1.Value.1=" + node.str()), one);
  EXPECT_EQ(sorted("Filter.1.Name=private-ip-address&Filter.1.Value.1=10.0.0.4"), one);
  EXPECT_EQ(sorted("Filter.1.Name=network-interface-id&Filter.1.Value.1=" + interface_of(node)), one);

  const auto exchange = call("DescribeAddresses", "Filter.1.Name=instance-state-name&Filter.1.Value.1=x");
  EXPECT_EQ(text(exchange->body(), "Code"), "InvalidParameterValue");
  EXPECT_EQ(text(exchange->body(), "Message"), "The filter 'instance-state-name' is invalid");
}

TEST_F(Ec2, filters_interfaces_by_what_they_are_attached_to) {
  world.attach_seed_interface(node, {.device_index = 1, .secondary_count = 1});
  const InstanceId other = world.run_seed_instance();
  const auto count = [&](const std::string& parameters) {
    return texts(body("DescribeNetworkInterfaces", parameters), "attachmentId").size();
  };
  const std::string primary = "Filter.1.Name=attachment.device-index&Filter.1.Value.1=0";
  EXPECT_EQ(count(""), 3U);
  EXPECT_EQ(count(primary), 2U);
  EXPECT_EQ(count(primary + "&Filter.2.Name=attachment.instance-id&Filter.2.Value.1=" + node.str()), 1U);
  EXPECT_EQ(count(primary +
                  fmt::format("&Filter.2.Name=attachment.instance-id&Filter.2.Value.1={}&Filter.2.Value.2={}",
                              node.str(), other.str())),
            2U);
  EXPECT_EQ(count("Filter.1.Name=attachment.status&Filter.1.Value.1=attached"), 3U);
  EXPECT_EQ(count("Filter.1.Name=addresses.private-ip-address&Filter.1.Value.1=10.0.0.6"), 1U);
  EXPECT_EQ(count("Filter.1.Name=addresses.association.public-ip&Filter.1.Value.1=3.80.0.1"), 1U);
  EXPECT_EQ(count("Filter.1.Name=vpc-id&Filter.1.Value.1=" + world.options().vpc_id), 3U);
  EXPECT_EQ(count("Filter.1.Name=operator.managed&Filter.1.Value.1=true"), 0U) << "EC2 knows this filter";
  EXPECT_EQ(code("DescribeNetworkInterfaces", "Filter.1.Name=instance-id&Filter.1.Value.1=x"),
            "InvalidParameterValue");
}

TEST_F(Ec2, filters_instances) {
  const InstanceId other = world.run_seed_instance({.tags = {{"Name", "b"}}});
  ASSERT_TRUE(world.stop_instances({other}).has_value());
  clock.advance(std::chrono::seconds(2));
  const auto found = [&](const std::string& name, const std::string& value) {
    return text(body("DescribeInstances", fmt::format("Filter.1.Name={}&Filter.1.Value.1={}", name, value)),
                "instanceId");
  };
  EXPECT_EQ(found("instance-state-name", "running"), node.str());
  EXPECT_EQ(found("instance-state-code", "80"), other.str());
  EXPECT_EQ(found("tag:Name", "b"), other.str());
  EXPECT_EQ(found("private-ip-address", "10.0.0.4"), node.str());
  EXPECT_EQ(found("network-interface.addresses.private-ip-address", "10.0.0.5"), other.str());
  EXPECT_EQ(found("network-interface.attachment.device-index", "7"), "(none)");
  EXPECT_EQ(found("ip-address", "3.80.0.1"), node.str());
  EXPECT_EQ(found("platform", "windows"), "(none)");
  EXPECT_EQ(code("DescribeInstances", "Filter.1.Name=public-ip&Filter.1.Value.1=x"), "InvalidParameterValue");
}

TEST_F(Ec2, pages_instances_each_once) {
  for (int i = 0; i < 11; ++i) {
    world.run_seed_instance();
  }
  std::vector<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    const std::string page =
        body("DescribeInstances", "MaxResults=5" + (token.empty() ? token : "&NextToken=" + token));
    for (std::string& id : texts(page, "instanceId")) {
      seen.push_back(std::move(id));
    }
    token = texts(page, "nextToken").empty() ? "" : text(page, "nextToken");
    ++pages;
    world.run_seed_instance();  // one that comes meanwhile moves nobody to another page
  } while (!token.empty() && pages < 10);
  EXPECT_GE(seen.size(), 12U);
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

TEST_F(Ec2, pages_in_EC2s_limits) {
  const auto both = [&](const std::string& parameters, const std::string& expected) {
    EXPECT_EQ(code("DescribeInstances", parameters), expected) << parameters;
    EXPECT_EQ(code("DescribeNetworkInterfaces", parameters), expected) << parameters;
  };
  both("MaxResults=5", "ok");
  both("MaxResults=1000", "ok");
  both("MaxResults=4", "InvalidParameterValue");
  both("MaxResults=1001", "InvalidParameterValue");
  both("MaxResults=many", "InvalidParameterValue");
  both("MaxResults=5&NextToken=made-up", "InvalidPaginationToken");
  EXPECT_EQ(code("DescribeInstances", "MaxResults=5&InstanceId.1=" + node.str()),
            "InvalidParameterCombination");
  EXPECT_EQ(code("DescribeNetworkInterfaces", "MaxResults=5&NetworkInterfaceId.1=" + interface_of(node)),
            "InvalidParameterCombination");
}

TEST_F(Ec2, names_the_ids_that_do_not_exist) {
  EXPECT_EQ(code("DescribeInstances", "InstanceId.1=nonsense"), "InvalidInstanceID.Malformed");
  const auto exchange =
      call("DescribeInstances", fmt::format("InstanceId.1={}&InstanceId.2=i-0000000000000000a&"
                                            "InstanceId.3=i-0000000000000000b",
                                            node.str()));
  EXPECT_EQ(text(exchange->body(), "Code"), "InvalidInstanceID.NotFound");
  EXPECT_EQ(text(exchange->body(), "Message"),
            "The instance IDs 'i-0000000000000000a, i-0000000000000000b' do not exist");
  EXPECT_EQ(code("DescribeNetworkInterfaces", "NetworkInterfaceId.1=eni-0000000000000000a"),
            "InvalidNetworkInterfaceID.NotFound");
  EXPECT_EQ(code("DescribeAddresses", "PublicIp.1=9.9.9.9"), "InvalidAddress.NotFound");
}

TEST_F(Ec2, runs_starts_stops_and_terminates) {
  const std::string made = body("RunInstances",
                                "ImageId=ami-1&MinCount=1&MaxCount=2&InstanceType=m5.large&"
                                "TagSpecification.1.ResourceType=instance&TagSpecification.1.Tag.1.Key=Name&"
                                "TagSpecification.1.Tag.1.Value=n&UserData=aGk%3D&Monitoring.Enabled=true");
  const auto ids = texts(made, "instanceId");
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(texts(made, "name")[0], "pending");
  EXPECT_EQ(text(made, "instanceType"), "m5.large");
  clock.advance(std::chrono::seconds(1));
  const std::string stopped = body("StopInstances", "InstanceId.1=" + ids[0]);
  EXPECT_EQ(texts(stopped, "name"), (std::vector<std::string>{"stopping", "running"})) << stopped;
  EXPECT_EQ(texts(stopped, "code"), (std::vector<std::string>{"64", "16"}));
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(texts(body("StartInstances", "InstanceId.1=" + ids[0]), "name"),
            (std::vector<std::string>{"pending", "stopped"}));
  EXPECT_EQ(texts(body("TerminateInstances", "InstanceId.1=" + ids[1]), "name"),
            (std::vector<std::string>{"shutting-down", "running"}));
}

TEST_F(Ec2, checks_what_a_launch_asks_for) {
  const auto run = [&](const std::string& more) {
    return code("RunInstances", "ImageId=ami-1&MinCount=1&MaxCount=1&" + more);
  };
  EXPECT_EQ(run("SubnetId=subnet-1"), "InvalidSubnetID.NotFound");
  EXPECT_EQ(run("SecurityGroupId.1=sg-1"), "InvalidGroup.NotFound");
  EXPECT_EQ(run("Placement.AvailabilityZone=us-east-1f"), "InvalidParameterValue");
  EXPECT_EQ(run("PrivateIpAddress=10.0.0.4"), "InvalidIPAddress.InUse");
  EXPECT_EQ(run("PrivateIpAddress=192.168.0.1"), "InvalidParameterValue");
  EXPECT_EQ(run("NetworkInterface.1.DeviceIndex=1"), "InvalidParameterCombination");
  EXPECT_EQ(run("NetworkInterface.1.Description=x"), "MissingParameter");
  EXPECT_EQ(run("NetworkInterface.1.DeviceIndex=0&NetworkInterface.2.DeviceIndex=0"),
            "InvalidParameterValue");
  EXPECT_EQ(run("NetworkInterface.1.DeviceIndex=0&NetworkInterface.1.AssociatePublicIpAddress=true&"
                "NetworkInterface.2.DeviceIndex=1"),
            "InvalidParameterCombination");
  EXPECT_EQ(run("NetworkInterface.1.DeviceIndex=0&NetworkInterface.1.AssociatePublicIpAddress=false&"
                "NetworkInterface.1.PrivateIpAddresses.1.Primary=true&"
                "NetworkInterface.1.PrivateIpAddresses.1.PrivateIpAddress=10.0.5.5&"
                "NetworkInterface.1.PrivateIpAddresses.2.PrivateIpAddress=10.0.5.6"),
            "ok");
  EXPECT_EQ(code("RunInstances", "ImageId=ami-1&MinCount=2&MaxCount=1"), "InvalidParameterValue");
  EXPECT_EQ(code("RunInstances", "ImageId=debian&MinCount=1&MaxCount=1"), "InvalidAMIID.Malformed");
  EXPECT_EQ(code("RunInstances", "MinCount=1&MaxCount=1"), "MissingParameter");
}

TEST_F(Ec2, tags_and_lists_tags) {
  EXPECT_EQ(
      code("CreateTags", fmt::format("ResourceId.1={}&ResourceId.2={}&Tag.1.Key=x&Tag.1.Value=1&Tag.2.Key=y",
                                     second.str(), node.str())),
      "ok");
  const std::string rows = body("DescribeTags", "Filter.1.Name=resource-id&Filter.1.Value.1=" + node.str());
  EXPECT_EQ(texts(rows, "key"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(text(rows, "resourceType"), "instance");
  EXPECT_EQ(code("CreateTags", "ResourceId.1=" + second.str() + "&Tag.1.Key=x&Tag.2.Key=x"),
            "InvalidParameterValue");
  EXPECT_EQ(code("DeleteTags", "ResourceId.1=" + second.str() + "&Tag.1.Key=x&Tag.1.Value=2"), "ok");
  EXPECT_TRUE(world.now().address(second)->tags.contains("x"));
  EXPECT_EQ(code("DeleteTags", "ResourceId.1=" + second.str() + "&Tag.1.Key=x"), "ok");
  EXPECT_FALSE(world.now().address(second)->tags.contains("x"));
}

TEST_F(Ec2, says_who_manages_an_address) {
  const AllocationId managed = world.allocate_seed_address({.service_managed = "nlb"});
  EXPECT_EQ(text(body("DescribeAddresses", "AllocationId.1=" + managed.str()), "serviceManaged"), "nlb");
  EXPECT_EQ(texts(body("DescribeAddresses", "AllocationId.1=" + first.str()), "serviceManaged").size(), 0U);
}

}  // namespace
}  // namespace berth::sandbox
