#include "sandbox/ec2/ec2_server.h"

#include "sandbox/ec2/ec2_for_test.h"

namespace berth::sandbox {
namespace {

TEST_F(Ec2, answers_in_EC2s_own_envelope) {
  const auto exchange = call("DescribeAddresses");
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->responder.reply()->headers.find("content-type"), "text/xml;charset=UTF-8");
  const std::string head =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<DescribeAddressesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>";
  EXPECT_TRUE(exchange->body().starts_with(head)) << exchange->body();
  EXPECT_TRUE(exchange->body().ends_with("</DescribeAddressesResponse>"));
}

TEST_F(Ec2, refuses_in_EC2s_own_envelope) {
  const auto exchange = call("ReleaseAddress", "AllocationId=eipalloc-1");
  EXPECT_EQ(exchange->status(), 400);
  EXPECT_NE(exchange->body().find(
                "<Response><Errors><Error><Code>InvalidAllocationID.NotFound</Code><Message>The "
                "allocation ID 'eipalloc-1' does not exist</Message></Error></Errors><RequestID>"),
            std::string::npos)
      << exchange->body();
}

TEST_F(Ec2, knows_its_callers) {
  EXPECT_EQ(caller.call(request("DescribeAddresses"))->status(), 403);
  const auto stranger = signed_request(request("DescribeAddresses"), {"AKIDOTHER", "secret", ""},
                                       {"us-east-1", "ec2"}, clock.wall_now());
  const auto refused = caller.call(stranger);
  EXPECT_EQ(refused->status(), 401);
  EXPECT_EQ(text(refused->body(), "Code"), "AuthFailure");
  const auto old = sign(request("DescribeAddresses"));
  clock.advance(std::chrono::minutes(6));
  EXPECT_EQ(text(caller.call(old)->body(), "Code"), "RequestExpired");
  EXPECT_EQ(faults.calls_json(),
            R"({"DescribeAddresses":{"AuthFailure":1,"MissingAuthenticationToken":1,"RequestExpired":1}})");
}

TEST_F(Ec2, takes_parameters_from_the_url_too) {
  const ports::HttpRequest get{
      .method = "GET",
      .target = "/?Action=DescribeAddresses&Version=2016-11-15&PublicIp.1=18.213.0.2",
      .headers = {{"Host", "127.0.0.1:1"}}};
  EXPECT_EQ(texts(caller.call(sign(get))->body(), "publicIp"), std::vector<std::string>{"18.213.0.2"});
}

TEST_F(Ec2, is_strict_about_actions_versions_and_parameters) {
  EXPECT_EQ(code("DescribeEverything"), "InvalidAction");
  ports::HttpRequest unversioned = request("DescribeAddresses");
  unversioned.body = "Action=DescribeAddresses";
  EXPECT_EQ(text(caller.call(sign(unversioned))->body(), "Code"), "MissingParameter");
  unversioned.body = "Action=DescribeAddresses&Version=2014-01-01";
  EXPECT_EQ(text(caller.call(sign(unversioned))->body(), "Code"), "NoSuchVersion");
  unversioned.body = "Version=2016-11-15";
  EXPECT_EQ(text(caller.call(sign(unversioned))->body(), "Code"), "MissingAction");

  EXPECT_EQ(code("DescribeAddresses", "MaxResults=5"), "UnknownParameter") << "it has no pages";
  EXPECT_EQ(code("DescribeAddresses", "Filter.1.Values.1=x"), "UnknownParameter");
  EXPECT_EQ(code("DescribeAddresses", "PublicIp=18.213.0.1"), "UnknownParameter") << "a list has numbers";
  EXPECT_EQ(code("DescribeAddresses", "allocationId.1=x"), "UnknownParameter");
  EXPECT_EQ(code("DescribeAddresses", "PublicIp.1=%zz"), "MalformedQueryString");
  EXPECT_EQ(code("DescribeAddresses", "DryRun=maybe"), "InvalidParameterValue");
  EXPECT_EQ(code("CreateTags", "ResourceId.1=" + first.str()), "MissingParameter");
  EXPECT_EQ(code("StopInstances"), "MissingParameter");
}

TEST_F(Ec2, runs_nothing_dry) {
  for (const std::string_view action : ec2_action_names()) {
    std::string parameters = "DryRun=true";
    for (const std::string_view name : words(find_action(action)->required)) {
      const bool is_list = name == "InstanceId" || name == "ResourceId";
      parameters += fmt::format("&{}{}=x", name, is_list ? ".1" : name == "Tag" ? ".1.Key" : "");
    }
    const auto exchange = call(std::string(action), parameters);
    EXPECT_EQ(exchange->status(), 412) << action;
    EXPECT_EQ(text(exchange->body(), "Code"), "DryRunOperation") << action;
  }
  EXPECT_EQ(world.now().addresses().size(), 2U);
}

TEST_F(Ec2, throttles_where_a_bucket_is_asked_for) {
  faults.set("DescribeAddresses", *Faults::parse(R"({"bucket": {"burst": 2, "rate": 1}})"), clock.mono_now());
  EXPECT_EQ(code("DescribeAddresses"), "ok");
  EXPECT_EQ(code("DescribeAddresses"), "ok");
  const auto exchange = call("DescribeAddresses");
  EXPECT_EQ(exchange->status(), 503);
  EXPECT_EQ(text(exchange->body(), "Code"), "RequestLimitExceeded");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(code("DescribeAddresses"), "ok");
  EXPECT_EQ(faults.calls_json(), R"({"DescribeAddresses":{"RequestLimitExceeded":1,"ok":3}})");
}

TEST_F(Ec2, fails_without_effect_where_an_error_is_asked_for) {
  faults.set("AllocateAddress", *Faults::parse(R"({"error": "UnauthorizedOperation", "count": 1})"),
             clock.mono_now());
  const auto exchange = call("AllocateAddress");
  EXPECT_EQ(exchange->status(), 403);
  EXPECT_EQ(text(exchange->body(), "Message"), "You are not authorized to perform this operation.");
  EXPECT_EQ(world.now().addresses().size(), 2U);
  EXPECT_EQ(code("AllocateAddress"), "ok");
}

TEST_F(Ec2, has_its_effect_where_only_the_reply_is_lost) {
  faults.set("AllocateAddress", *Faults::parse(R"({"lost_reply": true, "count": 1})"), clock.mono_now());
  const auto exchange = call("AllocateAddress");
  EXPECT_TRUE(exchange->responder.dropped());
  EXPECT_FALSE(exchange->responder.reply().has_value());
  EXPECT_EQ(world.now().addresses().size(), 3U);
  EXPECT_EQ(faults.calls_json(), R"({"AllocateAddress":{"lost-reply":1}})");
}

TEST_F(Ec2, delays_before_the_effect) {
  faults.set("AllocateAddress", *Faults::parse(R"({"delay_ms": 1500})"), clock.mono_now());
  const auto exchange = caller.start(sign(request("AllocateAddress")));
  clock.advance(std::chrono::milliseconds(1499));
  EXPECT_FALSE(exchange->done);
  EXPECT_EQ(world.now().addresses().size(), 2U);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(exchange->done);
  EXPECT_EQ(exchange->status(), 200);
}

TEST_F(Ec2, carries_a_delayed_call_out_though_its_caller_has_gone) {
  faults.set("AllocateAddress", *Faults::parse(R"({"delay_ms": 2000})"), clock.mono_now());
  const auto exchange = caller.start(sign(request("AllocateAddress")));
  clock.advance(std::chrono::seconds(1));
  exchange->responder.peer_goes();
  clock.settle();
  EXPECT_TRUE(exchange->done);
  EXPECT_EQ(world.now().addresses().size(), 2U);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(world.now().addresses().size(), 3U);
}

TEST_F(Ec2, forgets_calls_on_their_way_when_it_ends) {
  faults.set("AllocateAddress", *Faults::parse(R"({"delay_ms": 2000})"), clock.mono_now());
  {
    Ec2Server short_lived(clock, faults, world, {kEc2Caller});
    TestCaller other(clock, short_lived);
    const auto exchange = other.start(sign(request("AllocateAddress")));
    exchange->responder.peer_goes();
    clock.settle();
    EXPECT_TRUE(exchange->done);
  }
  EXPECT_EQ(clock.timers(), 0U);
}

TEST_F(Ec2, describes_what_was_where_a_stale_read_is_asked_for) {
  clock.advance(std::chrono::seconds(10));
  ASSERT_EQ(code("AssociateAddress", "AllocationId=" + first.str() + "&InstanceId=" + node.str()), "ok");
  faults.set("DescribeAddresses", *Faults::parse(R"({"stale_ms": 5000})"), clock.mono_now());
  const auto associations = [&] { return texts(body("DescribeAddresses"), "associationId").size(); };
  EXPECT_EQ(associations(), 0U);
  clock.advance(std::chrono::milliseconds(4999));
  EXPECT_EQ(associations(), 0U);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(associations(), 1U);
}

}  // namespace
}  // namespace berth::sandbox
