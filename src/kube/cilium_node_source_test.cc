#include "kube/cilium_node_source.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_files.h"
#include "kube/json.h"
#include "kube/scripted_http.h"
#include "ports/fake_clock.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Notes final : public ports::NodeObserver {
 public:
  std::vector<std::string> told;
  model::NodeView last;

  void replace_all(std::vector<model::NodeView> nodes) override {
    told.push_back("=" + std::to_string(nodes.size()));
    last = nodes.empty() ? model::NodeView() : nodes.back();
  }
  void upsert(model::NodeView node) override {
    told.push_back("+" + node.name.str());
    last = std::move(node);
  }
  void erase(const model::NodeName& name) override { told.push_back("-" + name.str()); }
};

ports::Task<void> keep(ports::Task<Result<void>> task, std::optional<Result<void>>& kept) {
  kept.emplace(co_await std::move(task));
}

std::string cilium_node(const std::string& name, const std::string& rest = "") {
  return R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode","metadata":{"name":")" + name +
         R"(","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z","resourceVersion":"5"})" + rest + "}";
}
std::string node(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"providerID":"aws:///us-east-1a/i-0abc"}})";
}
std::string list_of(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

constexpr const char* kCiliumNodes = "/ciliumnodes?limit";
constexpr const char* kNodes = "/api/v1/nodes?limit";
constexpr const char* kWatchCiliumNodes = "/ciliumnodes?watch";
constexpr const char* kWatchNodes = "/api/v1/nodes?watch";

class CiliumNodeSourceTest : public testing::Test {
 protected:
  void TearDown() override {
    stop_.request_stop();
    clock_.settle();
  }

  void run() {
    scope_.spawn(source_.run(notes_, stop_.get_token()));
    clock_.settle();
  }
  Result<void> write(ports::StatusChange change) {
    std::optional<Result<void>> result;
    ports::TaskScope scope;
    scope.spawn(keep(
        source_.write_status(model::NodeName("n"), std::move(change), {.deadline = clock_.mono_now() + 10s}),
        result));
    clock_.settle();
    CHECK(result.has_value());
    return *std::move(result);
  }

  LogCapture log_;
  ports::FakeClock clock_;
  FakeFiles files_;
  Prng prng_{1};
  ScriptedHttp http_{clock_};
  Client client_{{.server = "https://kube.test"}, "berth-operator", http_, files_, clock_};
  CiliumNodeSource source_{client_, clock_, prng_, "berth-operator"};
  Notes notes_;
  std::stop_source stop_;
  ports::TaskScope scope_;
};

TEST_F(CiliumNodeSourceTest, follows_both_types_and_joins_them) {
  http_.reply(kCiliumNodes, 200,
              list_of(cilium_node("n", R"(,"spec":{"ipam":{"static-ip-tags":{"a":"b"}}})")));
  http_.reply(kNodes, 200, list_of(node("n")));
  auto cilium_nodes = http_.stream(kWatchCiliumNodes);
  auto nodes = http_.stream(kWatchNodes);
  run();
  EXPECT_THAT(notes_.told, ElementsAre("=1"));
  EXPECT_EQ(notes_.last.provider_id, "aws:///us-east-1a/i-0abc");
  EXPECT_EQ(notes_.last.static_ip_tags, (model::TagMap{{"a", "b"}}));

  notes_.told.clear();
  const std::string same = R"(,"spec":{"ipam":{"static-ip-tags":{"a":"b"},"pool":{"10.0.0.1":{}}}},)"
                           R"("status":{"ipam":{"used":{"10.0.0.1":{"owner":"x/y"}}}})";
  cilium_nodes->send(event("MODIFIED", cilium_node("n", same)));
  clock_.settle();
  EXPECT_THAT(notes_.told, IsEmpty()) << "an update of `used` is no change";

  cilium_nodes->send(event("MODIFIED", cilium_node("n", R"(,"spec":{"ipam":{"static-ip-tags":{"a":7}}})")));
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("+n"));
  EXPECT_EQ(notes_.last.undecodable,
            "spec.ipam.static-ip-tags[\"a\"] of the CiliumNode is a number, expected a string");

  cilium_nodes->send(event("ADDED", R"({"metadata":{}})") + event("DELETED", cilium_node("n")));
  nodes->send(event("DELETED", node("n")));
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("+n", "-n"));
  EXPECT_EQ(log_.count("without metadata.name"), 1U);
}

TEST_F(CiliumNodeSourceTest, waits_for_the_nodes_and_says_what_permission_is_missing) {
  http_.reply(kCiliumNodes, 200, list_of(cilium_node("n")));
  const std::string forbidden =
      R"({"kind":"Status","code":403,"reason":"Forbidden","message":"nodes is forbidden: User \"u\" cannot list"})";
  http_.reply(kNodes, 403, forbidden);
  http_.reply(kNodes, 403, forbidden);
  http_.reply(kNodes, 200, list_of(node("n")));
  run();
  EXPECT_THAT(notes_.told, IsEmpty());
  EXPECT_EQ(log_.count("The Nodes cannot be followed: list nodes: nodes is forbidden: User \"u\" cannot list "
                       "(Forbidden). Trying again until it works. Allow the service account"),
            1U);
  clock_.advance(10s);
  EXPECT_THAT(notes_.told, ElementsAre("=1"));
  EXPECT_EQ(log_.count("The Nodes are followed again"), 1U);
  EXPECT_EQ(log_.count("The cluster is known"), 1U);
}

TEST_F(CiliumNodeSourceTest, says_that_the_resource_definition_is_missing) {
  http_.reply(kCiliumNodes, 404, "404 page not found\n");
  http_.reply(kNodes, 200, list_of(""));
  run();
  EXPECT_EQ(log_.count("Is Cilium installed? The CustomResourceDefinition ciliumnodes.cilium.io"), 1U);
}

struct PatchCase {
  ports::StatusChange change;
  const char* patch;
};

TEST_F(CiliumNodeSourceTest, R17_a_status_patch_has_our_keys_only) {
  const std::vector<PatchCase> table{
      {{.assigned_static_ip = IpAddress::parse("18.213.0.7"), .operator_error = ""},
       R"({"status":{"ipam":{"assigned-static-ip":"18.213.0.7","operator-status":{"error":null}}}})"},
      {{.assigned_static_ip = IpAddress::parse("18.213.0.7"), .operator_error = std::nullopt},
       R"({"status":{"ipam":{"assigned-static-ip":"18.213.0.7","operator-status":{}}}})"},
      {{.assigned_static_ip = std::optional<IpAddress>(), .operator_error = "PoolEmpty: none. Add one."},
       R"({"status":{"ipam":{"assigned-static-ip":null,"operator-status":{"error":"PoolEmpty: none. Add one."}}}})"},
      {{.assigned_static_ip = std::nullopt, .operator_error = "Waiting: 2nd."},
       R"({"status":{"ipam":{"operator-status":{"error":"Waiting: 2nd."}}}})"},
  };
  for (const PatchCase& one : table) {
    http_.reply("", 200, cilium_node("n"));
    EXPECT_TRUE(write(one.change).ok());
    EXPECT_EQ(http_.last().body, one.patch);
    EXPECT_EQ(http_.last().method, "PATCH");
    EXPECT_EQ(http_.last().target,
              "https://kube.test/apis/cilium.io/v2/ciliumnodes/n/status?fieldManager=berth-operator");
  }
}

TEST_F(CiliumNodeSourceTest, R17_no_change_is_no_write) {
  EXPECT_TRUE(write({}).ok());
  EXPECT_THAT(http_.requests(), IsEmpty());
}

TEST_F(CiliumNodeSourceTest, a_write_to_a_node_that_has_gone_is_not_found) {
  http_.reply("", 404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"no n"})");
  EXPECT_EQ(write({.assigned_static_ip = std::nullopt, .operator_error = "x"}).error().kind,
            ErrorKind::kNotFound);
}

TEST_F(CiliumNodeSourceTest, R11_an_object_that_cannot_be_decoded_poisons_itself_only) {
  http_.reply(kCiliumNodes, 200,
              list_of(cilium_node("bad", R"(,"spec":"text")") + "," + R"({"metadata":{"name":3}})" + "," +
                      cilium_node("good", R"(,"spec":{"ipam":{"static-ip-tags":{"a":"b"}}})")));
  http_.reply(kNodes, 200, list_of(""));
  run();
  EXPECT_THAT(notes_.told, ElementsAre("=2"));
  EXPECT_TRUE(notes_.last.has_request());
}

}  // namespace
}  // namespace berth::kube
