#include "sandbox/control_server.h"

#include <gtest/gtest.h>

#include "sandbox/ec2/client_for_test.h"

namespace berth::sandbox {
namespace {

class Control : public testing::Test {
 protected:
  std::shared_ptr<Exchange> send(std::string method, std::string target, std::string body = "") {
    return caller.call({.method = std::move(method), .target = std::move(target), .body = std::move(body)});
  }
  int status(std::string method, std::string target, std::string body = "") {
    return send(std::move(method), std::move(target), std::move(body))->status();
  }

  ports::FakeClock clock;
  Faults faults;
  ControlServer server{clock, faults};
  TestCaller caller{clock, server};
};

TEST_F(Control, sets_shows_and_deletes_faults) {
  EXPECT_EQ(status("PUT", "/faults/AssociateAddress", R"({"error": "InternalError"})"), 204);
  EXPECT_EQ(status("PUT", "/faults/imds", R"({"error": "503"})"), 204);
  EXPECT_EQ(send("GET", "/faults")->body(),
            "{\"AssociateAddress\":{\"error\":\"InternalError\"},\"imds\":{\"error\":\"503\"}}\n");
  EXPECT_EQ(status("DELETE", "/faults/imds"), 204);
  EXPECT_EQ(send("GET", "/faults")->body(), "{\"AssociateAddress\":{\"error\":\"InternalError\"}}\n");
  EXPECT_EQ(status("DELETE", "/faults"), 204);
  EXPECT_EQ(send("GET", "/faults")->body(), "{}\n");
}

TEST_F(Control, replaces_a_fault_that_is_set_again) {
  EXPECT_EQ(status("PUT", "/faults/imds", R"({"error": "503"})"), 204);
  EXPECT_EQ(status("PUT", "/faults/imds", R"({"delay_ms": 5})"), 204);
  EXPECT_EQ(send("GET", "/faults")->body(), "{\"imds\":{\"delay_ms\":5}}\n");
}

TEST_F(Control, takes_kubernetes_actions_percent_encoded_or_not) {
  EXPECT_EQ(status("PUT", "/faults/patch:ciliumnodes/status", R"({"error": "Conflict"})"), 204);
  EXPECT_EQ(faults.on_call("patch:ciliumnodes/status", clock.mono_now()).error, "Conflict");
  EXPECT_EQ(status("PUT", "/faults/watch%3Aciliumnodes%2Fstatus", R"({"lost_reply": true})"), 204);
  EXPECT_TRUE(faults.on_call("watch:ciliumnodes/status", clock.mono_now()).lost_reply);
  EXPECT_EQ(status("PUT", "/faults/event:ciliumnodes", R"({"error": "Expired"})"), 204);
}

TEST_F(Control, refuses_an_action_that_does_not_exist_and_names_what_does) {
  for (const char* action : {"AssociateAdress", "associateaddress", "fetch:nodes", "list:", "list:Nodes",
                             "list:a/b/c", "list:/nodes", ":nodes", "", "%zz"}) {
    EXPECT_EQ(status("PUT", std::string("/faults/") + action, R"({"error": "x"})"), 400) << action;
  }
  const std::string message = send("PUT", "/faults/AssociateAdress", R"({"error": "x"})")->body();
  EXPECT_NE(message.find("AssociateAdress"), std::string::npos) << message;
  EXPECT_NE(message.find("DescribeAddresses"), std::string::npos) << message;
  EXPECT_EQ(faults.in_force_json(), "{}");
}

TEST_F(Control, says_what_is_wrong_with_a_fault) {
  const auto exchange = send("PUT", "/faults/imds", R"({"count": "3"})");
  EXPECT_EQ(exchange->status(), 400);
  EXPECT_EQ(exchange->body(),
            "{\"error\":\"fault for imds: \\\"count\\\": found \\\"3\\\", expected a whole number of "
            "calls from 1 on\"}\n");
}

TEST_F(Control, shows_and_resets_counts) {
  faults.record("AssociateAddress", "ok");
  EXPECT_EQ(send("GET", "/calls")->body(), "{\"AssociateAddress\":{\"ok\":1}}\n");
  EXPECT_EQ(status("DELETE", "/calls"), 204);
  EXPECT_EQ(send("GET", "/calls")->body(), "{}\n");
}

TEST_F(Control, has_nothing_else) {
  EXPECT_EQ(status("GET", "/"), 404);
  EXPECT_EQ(status("POST", "/faults", "{}"), 404);
  EXPECT_EQ(status("GET", "/faults/imds"), 404);
}

}  // namespace
}  // namespace berth::sandbox
