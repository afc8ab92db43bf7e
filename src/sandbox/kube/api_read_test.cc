#include <gmock/gmock.h>

#include "sandbox/kube/fixture_test.h"

namespace berth::sandbox::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kList(kNodes);

TEST_F(KubeApi, a_list_is_ordered_by_name_and_minds_selectors) {
  create("b", "{}", R"({"zone":"x"})");
  create("a", "{}", R"({"zone":"y","old":""})");
  create("c");
  EXPECT_THAT(names(get(kList)), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(get(kList + "?labelSelector=zone%20in%20(x,y),!old")), ElementsAre("b"));
  EXPECT_THAT(names(get(kList + "?labelSelector=zone%21%3Dx")), ElementsAre("a", "c"));
  EXPECT_THAT(names(get(kList + "?fieldSelector=metadata.name%3Dc")), ElementsAre("c"));
  const Exchange unknown = get(kList + "?fieldSelector=spec.bootid%3Dc");
  EXPECT_EQ(unknown->status, 400);
  EXPECT_EQ(unknown->message(), "field label not supported: spec.bootid");
}

TEST_F(KubeApi, items_carry_kind_and_version_in_lists_of_custom_types_only) {
  create("a");
  EXPECT_TRUE(get(kList)->object().at("items").at(0).as_object().contains("kind"));
  EXPECT_FALSE(get("/api/v1/namespaces")->object().at("items").at(0).as_object().contains("kind"));
}

TEST_F(KubeApi, pages_show_one_moment_whatever_happens_between_them) {
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    create(name);
  }
  const Exchange first = get(kList + "?limit=2");
  EXPECT_THAT(names(first), ElementsAre("a", "b"));
  EXPECT_EQ(*find(first->object(), {"metadata", "remainingItemCount"}), 3);
  remove("c");
  create("bb");
  patch(path("d"), R"({"spec":{"bootid":"new"}})");
  const Exchange second = get(kList + "?limit=2&continue=" + first->text({"metadata", "continue"}));
  EXPECT_THAT(names(second), ElementsAre("c", "d"));
  EXPECT_EQ(second->text({"metadata", "resourceVersion"}), first->text({"metadata", "resourceVersion"}));
  EXPECT_THAT(second->body, testing::Not(HasSubstr("new")));
  const Exchange last = get(kList + "?limit=2&continue=" + second->text({"metadata", "continue"}));
  EXPECT_THAT(names(last), ElementsAre("e"));
  EXPECT_EQ(last->text({"metadata", "continue"}), "");
}

TEST_F(KubeApi, a_page_of_a_forgotten_moment_is_expired_and_offers_an_inconsistent_rest) {
  create("a");
  create("b");
  const Exchange first = get(kList + "?limit=1");
  for (int i = 0; i < 25; ++i) {
    patch(path("b"), R"({"spec":{"bootid":")" + std::to_string(i) + R"("}})");
  }
  const Exchange expired = get(kList + "?limit=1&continue=" + first->text({"metadata", "continue"}));
  EXPECT_EQ(expired->status, 410);
  EXPECT_EQ(expired->reason(), "Expired");
  EXPECT_THAT(expired->message(), HasSubstr("The provided continue parameter is too old"));
  const Exchange rest = get(kList + "?limit=1&continue=" + expired->text({"metadata", "continue"}));
  EXPECT_THAT(names(rest), ElementsAre("b"));
}

TEST_F(KubeApi, version_zero_ignores_the_limit_and_an_exact_version_shows_the_past) {
  create("a");
  const std::string then = version_of("a");
  create("b");
  EXPECT_THAT(names(get(kList + "?resourceVersion=0&limit=1")), ElementsAre("a", "b"));
  EXPECT_THAT(names(get(kList + "?resourceVersionMatch=Exact&resourceVersion=" + then)), ElementsAre("a"));
  EXPECT_THAT(names(get(kList + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + then)),
              ElementsAre("a", "b"));
  EXPECT_EQ(get(kList + "?resourceVersionMatch=Exact")->status, 422);
}

TEST_F(KubeApi, a_version_from_the_future_times_out_with_its_cause) {
  const Exchange reply = get(kList + "?resourceVersion=999999");
  EXPECT_EQ(reply->status, 504);
  EXPECT_EQ(reply->reason(), "Timeout");
  EXPECT_THAT(reply->body, HasSubstr("ResourceVersionTooLarge"));
  EXPECT_EQ(reply->headers.find("retry-after"), "1");
}

TEST_F(KubeApi, a_table_has_the_columns_of_the_definition) {
  create("a", R"({"instance-id":"i-1","addresses":[{"type":"InternalIP","ip":"10.0.0.1"}]})");
  patch(path("a") + "/status", R"({"status":{"ipam":{"assigned-static-ip":"18.0.0.1"}}})");
  clock.advance(std::chrono::minutes(5));
  const json::object table = get(kList, kTableType)->object();
  EXPECT_EQ(find_text(table, {"kind"}), "Table");
  EXPECT_EQ(json::serialize(table.at("rows").at(0).at("cells")),
            R"(["a",null,"10.0.0.1","18.0.0.1","5m","i-1",null])");
  EXPECT_EQ(find_text(table.at("columnDefinitions").at(3).as_object(), {"name"}), "Static-IP");
}

TEST_F(KubeApi, events_are_found_by_what_they_are_about) {
  for (const char* name : {"x", "y"}) {
    send("POST", "/api/v1/namespaces/default/events",
         R"({"metadata":{"generateName":"e-"},"involvedObject":{"kind":"Node","name":")" + std::string(name) +
             R"("},"reason":"R","type":"Normal"})");
  }
  const std::string events = "/api/v1/events?fieldSelector=";
  EXPECT_EQ(names(get(events + "involvedObject.name%3Dx,type%21%3DWarning")).size(), 1U);
  EXPECT_THAT(names(get(events + "reason%3DOther")), IsEmpty());
}

TEST_F(KubeApi, discovery_names_every_type_with_its_status_subresource) {
  const std::string body = get("/apis/cilium.io/v2")->body;
  EXPECT_THAT(body, HasSubstr(R"("shortNames":["cn","ciliumn"])"));
  EXPECT_THAT(body, HasSubstr(R"("name":"ciliumnodes/status")"));
  EXPECT_THAT(get("/apis")->body, HasSubstr("coordination.k8s.io/v1"));
  EXPECT_THAT(get("/openapi/v3/apis/cilium.io/v2")->body, HasSubstr("static-ip-tags"));
  EXPECT_EQ(get("/apis/cilium.io/v2/nothing")->body, "404 page not found\n");
}

TEST_F(KubeApi, a_stale_read_shows_the_world_as_it_was) {
  create("a");
  clock.advance(std::chrono::seconds(10));
  create("b");
  fault("list:ciliumnodes", R"({"stale_ms":5000,"count":1})");
  fault("get:ciliumnodes", R"({"stale_ms":5000,"count":1})");
  EXPECT_THAT(names(get(kList)), ElementsAre("a"));
  EXPECT_THAT(names(get(kList)), ElementsAre("a", "b"));
  EXPECT_EQ(get(path("b"))->status, 404);
  EXPECT_EQ(get(path("b"))->status, 200);
}

TEST_F(KubeApi, faults_answer_with_the_reason_or_status_that_was_asked_for) {
  create("a");
  fault("patch:ciliumnodes/status", R"({"error":"Conflict","count":1})");
  EXPECT_EQ(patch(path("a") + "/status", "{}")->reason(), "Conflict");
  EXPECT_EQ(patch(path("a") + "/status", "{}")->status, 200);
  fault("get:ciliumnodes", R"({"error":"503","count":1})");
  EXPECT_EQ(get(path("a"))->reason(), "ServiceUnavailable");
  fault("list:ciliumnodes", R"({"bucket":{"burst":0,"rate":0}})");
  const Exchange throttled = get(kList);
  EXPECT_EQ(throttled->status, 429);
  EXPECT_EQ(throttled->headers.find("retry-after"), "1");
  EXPECT_THAT(faults.calls_json(), HasSubstr(R"("patch:ciliumnodes/status":{"Conflict":1,"ok":1})"));
}

TEST_F(KubeApi, a_lost_reply_has_had_its_effect_and_a_delayed_call_has_it_later) {
  fault("create:ciliumnodes", R"({"lost_reply":true,"count":1})");
  EXPECT_TRUE(create("a")->dropped);
  EXPECT_EQ(get(path("a"))->status, 200);
  fault("delete:ciliumnodes", R"({"delay_ms":1000,"count":1})");
  const Exchange deletion = remove("a");
  EXPECT_EQ(deletion->status, 0);
  EXPECT_EQ(get(path("a"))->status, 200);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(deletion->status, 200);
  EXPECT_EQ(get(path("a"))->status, 404);
}

}  // namespace
}  // namespace berth::sandbox::kube
