#include "sandbox/imds_server.h"

#include <gtest/gtest.h>

#include "sandbox/ec2/client_for_test.h"

namespace berth::sandbox {
namespace {

class Imds : public testing::Test {
 protected:
  std::shared_ptr<Exchange> put_token(ports::HttpHeaders headers) {
    return caller.call({.method = "PUT", .target = "/latest/api/token", .headers = std::move(headers)});
  }
  std::string token(int seconds = 60) {
    return put_token({{"X-aws-ec2-metadata-token-ttl-seconds", std::to_string(seconds)}})->body();
  }
  std::shared_ptr<Exchange> get(std::string target, std::string with) {
    return caller.call({.method = "GET",
                        .target = std::move(target),
                        .headers = {{"X-aws-ec2-metadata-token", std::move(with)}}});
  }
  std::string value(const std::string& path) {
    const auto exchange = get("/latest/" + path, token());
    return exchange->status() == 200 ? exchange->body() : std::to_string(exchange->status());
  }
  std::string mac(std::size_t index = 0) {
    const Moment now = world.now();
    return now.interface(now.instance(node)->interfaces.at(index))->mac;
  }

  ports::FakeClock clock;
  Faults faults;
  Ec2World world{clock};
  InstanceId node = world.run_seed_instance();
  ImdsServer server{clock, faults, world, node};
  TestCaller caller{clock, server};
};

TEST_F(Imds, hands_out_tokens_for_one_second_to_six_hours) {
  const auto status = [&](const char* seconds) {
    return put_token({{"x-aws-ec2-metadata-token-ttl-seconds", seconds}})->status();
  };
  EXPECT_EQ(status("1"), 200);
  EXPECT_EQ(status("21600"), 200);
  for (const char* wrong : {"0", "21601", "-1", "", "60s", "99999999999999999999"}) {
    EXPECT_EQ(status(wrong), 400) << wrong;
  }
  EXPECT_EQ(put_token({})->status(), 400);
  EXPECT_EQ(
      put_token({{"X-aws-ec2-metadata-token-ttl-seconds", "60"}, {"X-Forwarded-For", "10.0.0.9"}})->status(),
      403);
  const auto good = put_token({{"X-aws-ec2-metadata-token-ttl-seconds", "60"}});
  EXPECT_EQ(good->responder.reply()->headers.find("x-aws-ec2-metadata-token-ttl-seconds"), "60");
}

TEST_F(Imds, answers_only_with_a_token_that_is_still_good) {
  EXPECT_EQ(caller.call({.target = "/latest/meta-data/instance-id"})->status(), 401);
  EXPECT_EQ(get("/latest/meta-data/instance-id", "made up")->status(), 401);
  const std::string good = token(60);
  EXPECT_EQ(get("/latest/meta-data/instance-id", good)->body(), node.str());
  clock.advance(std::chrono::milliseconds(59999));
  EXPECT_EQ(get("/latest/meta-data/instance-id", good)->status(), 200);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(get("/latest/meta-data/instance-id", good)->status(), 401);
}

TEST_F(Imds, says_who_and_where_the_instance_is) {
  EXPECT_EQ(value("meta-data/instance-id"), node.str());
  EXPECT_EQ(value("meta-data/instance-type"), "m5.large");
  EXPECT_EQ(value("meta-data/local-ipv4"), "10.0.0.4");
  EXPECT_EQ(value("meta-data/public-ipv4"), "3.80.0.1");
  EXPECT_EQ(value("meta-data/mac"), mac());
  EXPECT_EQ(value("meta-data/placement/availability-zone"), "us-east-1a");
  EXPECT_EQ(value("meta-data/placement/region"), "us-east-1");
  EXPECT_EQ(value("meta-data/hostname"), "ip-10-0-0-4.ec2.internal");
  EXPECT_NE(value("dynamic/instance-identity/document").find(node.str()), std::string::npos);
}

TEST_F(Imds, lists_folders_with_slashes_and_knows_no_other_paths) {
  EXPECT_EQ(value("meta-data/placement/"), "availability-zone\nregion");
  EXPECT_EQ(value("meta-data/placement"), "availability-zone\nregion");
  EXPECT_EQ(value("meta-data/network/interfaces/macs/"), mac() + "/");
  EXPECT_EQ(value("dynamic"), "instance-identity/");
  EXPECT_EQ(value("meta-data/nothing"), "404");
  EXPECT_EQ(value("meta-data/instance"), "404");
  EXPECT_EQ(caller.call({.method = "PUT", .target = "/latest/meta-data/mac"})->status(), 404);
  EXPECT_EQ(caller.call({.method = "POST", .target = "/latest/meta-data/mac"})->status(), 405);
}

TEST_F(Imds, tells_each_interface_apart) {
  world.attach_seed_interface(node, {.device_index = 1, .network_card = 1, .secondary_count = 1});
  const std::string folder = "meta-data/network/interfaces/macs/";
  const std::string primary = folder + mac(0) + "/";
  const std::string second = folder + mac(1) + "/";
  EXPECT_EQ(value(primary + "device-number"), "0");
  EXPECT_EQ(value(primary + "network-card"), "404") << "the first card is not mentioned";
  EXPECT_EQ(value(primary + "public-ipv4s"), "3.80.0.1");
  EXPECT_EQ(value(second + "device-number"), "1");
  EXPECT_EQ(value(second + "network-card"), "1");
  EXPECT_EQ(value(second + "local-ipv4s"), "10.0.0.5\n10.0.0.6");
  EXPECT_EQ(value(second + "public-ipv4s"), "404");
  EXPECT_EQ(value(second + "mac"), mac(1));
  EXPECT_EQ(value(second + "interface-id"), world.now().instance(node)->interfaces[1].str());
  EXPECT_EQ(value(second + "owner-id"), "123456789012");
  EXPECT_EQ(value(second + "vpc-id"), world.options().vpc_id);
  EXPECT_EQ(value(second + "vpc-ipv4-cidr-blocks"), "10.0.0.0/16");
  EXPECT_EQ(value(second + "subnet-id"), world.options().subnet_id);
}

TEST_F(Imds, shows_the_elastic_ip_once_it_is_associated) {
  const AllocationId address = world.allocate_seed_address(Tags{});
  ASSERT_TRUE(world.associate_address({.allocation_id = address, .instance_id = node}).has_value());
  EXPECT_EQ(value("meta-data/public-ipv4"), "18.213.0.1");
  EXPECT_EQ(value("meta-data/network/interfaces/macs/" + mac() + "/ipv4-associations/18.213.0.1"),
            "10.0.0.4");
}

TEST_F(Imds, has_no_public_ip_where_the_instance_has_none) {
  const InstanceId hidden = world.run_seed_instance({.interfaces = {InterfaceSpec{}}});
  ImdsServer other(clock, faults, world, hidden);
  TestCaller inside(clock, other);
  const auto issued = inside.call({.method = "PUT",
                                   .target = "/latest/api/token",
                                   .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "60"}}});
  const auto got = inside.call({.method = "GET",
                                .target = "/latest/meta-data/public-ipv4",
                                .headers = {{"X-aws-ec2-metadata-token", issued->body()}}});
  EXPECT_EQ(got->status(), 404);
}

TEST_F(Imds, is_silent_while_the_instance_is_off) {
  ASSERT_TRUE(world.stop_instances({node}).has_value());
  clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(put_token({{"X-aws-ec2-metadata-token-ttl-seconds", "60"}})->responder.dropped());
}

TEST_F(Imds, suffers_faults_and_is_counted) {
  const std::string good = token();
  faults.set("imds", *Faults::parse(R"({"error": "503", "count": 1})"), clock.mono_now());
  EXPECT_EQ(get("/latest/meta-data/mac", good)->status(), 503);
  EXPECT_EQ(get("/latest/meta-data/mac", good)->status(), 200);
  faults.set("imds", *Faults::parse(R"({"lost_reply": true, "count": 1})"), clock.mono_now());
  EXPECT_TRUE(get("/latest/meta-data/mac", good)->responder.dropped());
  faults.set("imds", *Faults::parse(R"({"bucket": {"burst": 0, "rate": 0}})"), clock.mono_now());
  EXPECT_EQ(get("/latest/meta-data/mac", good)->status(), 429);
  faults.set("imds", *Faults::parse(R"({"delay_ms": 100})"), clock.mono_now());
  const auto slow = caller.start({.target = "/latest/meta-data/mac"});
  clock.advance(std::chrono::milliseconds(99));
  EXPECT_FALSE(slow->done);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(slow->status(), 401);
  EXPECT_EQ(faults.calls_json(), R"({"imds":{"401":1,"429":1,"503":1,"lost-reply":1,"ok":2}})");
}

}  // namespace
}  // namespace berth::sandbox
