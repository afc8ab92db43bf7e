#pragma once
// For tests: an EC2 to call, with one caller that it knows.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sandbox/ec2/client_for_test.h"
#include "sandbox/ec2/ec2_server.h"

namespace berth::sandbox {

inline const AwsCredentials kEc2Caller{"AKIDEXAMPLE", "secret", ""};

/// A small world behind its EC2 server: two free addresses, and one running instance.
class Ec2 : public testing::Test {
 protected:
  ports::HttpRequest request(const std::string& action, const std::string& parameters = "") {
    return {.method = "POST",
            .target = "/",
            .headers = {{"Host", "127.0.0.1:1"}, {"Content-Type", "application/x-www-form-urlencoded"}},
            .body = fmt::format("Action={}&Version=2016-11-15{}{}", action, parameters.empty() ? "" : "&",
                                parameters)};
  }
  ports::HttpRequest sign(ports::HttpRequest plain) {
    return signed_request(std::move(plain), kEc2Caller, {"us-east-1", "ec2"}, clock.wall_now());
  }
  std::shared_ptr<Exchange> call(const std::string& action, const std::string& parameters = "") {
    return caller.call(sign(request(action, parameters)));
  }
  std::string body(const std::string& action, const std::string& parameters = "") {
    return call(action, parameters)->body();
  }
  /// The code of the error; "ok" where there is none.
  std::string code(const std::string& action, const std::string& parameters = "") {
    const auto exchange = call(action, parameters);
    return exchange->status() == 200 ? "ok" : text(exchange->body(), "Code");
  }
  std::vector<std::string> public_ips(const std::string& parameters) {
    return texts(body("DescribeAddresses", parameters), "publicIp");
  }
  std::string interface_of(const InstanceId& id) {
    return world.now().instance(id)->interfaces.front().str();
  }

  ports::FakeClock clock;
  Faults faults;
  Ec2World world{clock};
  Ec2Server server{clock, faults, world, {kEc2Caller}};
  TestCaller caller{clock, server};
  AllocationId first = world.allocate_seed_address(Tags{{"pool", "a"}, {"odd", R"(*?\)"}});
  AllocationId second = world.allocate_seed_address(Tags{{"pool", "b"}});
  InstanceId node = world.run_seed_instance();
};

}  // namespace berth::sandbox
