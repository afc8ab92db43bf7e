#include <gmock/gmock.h>

#include "sandbox/kube/fixture_test.h"

namespace berth::sandbox::kube {
namespace {

using testing::HasSubstr;

TEST_F(KubeApi, who_has_no_token_or_a_wrong_one_is_unauthorized) {
  token = "open";
  EXPECT_EQ(get(std::string(kNodes))->status, 401);
  token = "sesam";
  const Exchange reply = get(std::string(kNodes));
  EXPECT_EQ(reply->status, 401);
  EXPECT_EQ(reply->reason(), "Unauthorized");
  EXPECT_EQ(get("/readyz")->status, 200);
}

TEST_F(KubeApi, create_sets_what_only_the_server_knows_and_drops_status_and_unknown_fields) {
  const Exchange reply = send("POST", std::string(kNodes), R"({
    "apiVersion": "cilium.io/v2", "kind": "CiliumNode", "metadata": {"name": "a", "junk": 1},
    "spec": {"instance-id": "i-1", "junk": 2, "ipam": {"pool": {"10.0.0.1": {"resource": "e", "junk": 3}}}},
    "status": {"ipam": {"assigned-static-ip": "1.2.3.4"}}})");
  EXPECT_EQ(reply->status, 201);
  const json::object object = reply->object();
  EXPECT_EQ(json::serialize(object.at("spec")),
            R"({"instance-id":"i-1","ipam":{"pool":{"10.0.0.1":{"resource":"e"}}}})");
  EXPECT_FALSE(object.contains("status"));
  EXPECT_FALSE(object.at("metadata").as_object().contains("junk"));
  EXPECT_EQ(*find(object, {"metadata", "generation"}), 1);
  EXPECT_EQ(reply->text({"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(reply->text({"metadata", "uid"}).size(), 36U);
  const auto warning = reply->headers.find("warning");
  ASSERT_TRUE(warning.has_value());
  EXPECT_THAT(std::string(*warning), HasSubstr("299 - \"unknown field \\\"metadata.junk\\\"\""));
}

TEST_F(KubeApi, strict_field_validation_refuses_unknown_fields_by_name) {
  const std::string body =
      R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode","metadata":{"name":"a"},"spec":{"foo":1}})";
  const Exchange reply = send("POST", std::string(kNodes) + "?fieldValidation=Strict", body);
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->message(), HasSubstr("strict decoding error: unknown field \"spec.foo\""));
}

TEST_F(KubeApi, a_value_of_the_wrong_type_is_invalid_in_the_real_servers_words) {
  const Exchange reply = create("n", R"({"ipam":{"min-allocate":"3"}})");
  EXPECT_EQ(reply->status, 422);
  EXPECT_EQ(reply->message(),
            "CiliumNode.cilium.io \"n\" is invalid: spec.ipam.min-allocate: Invalid value: \"string\": "
            "spec.ipam.min-allocate in body must be of type integer: \"string\"");
}

TEST_F(KubeApi, several_errors_are_all_told) {
  const Exchange reply = create("n", R"({"ipam":{"min-allocate":-1,"static-ip-tags":{"a":1}}})");
  EXPECT_THAT(reply->message(),
              HasSubstr("spec.ipam.min-allocate in body should be greater than or equal to 0"));
  EXPECT_THAT(reply->message(), HasSubstr("spec.ipam.static-ip-tags.a in body must be of type string"));
}

TEST_F(KubeApi, a_name_that_is_no_dns_name_is_invalid_and_one_that_exists_is_a_conflict) {
  EXPECT_EQ(create("Bad_Name")->status, 422);
  EXPECT_EQ(create("a")->status, 201);
  const Exchange again = create("a");
  EXPECT_EQ(again->status, 409);
  EXPECT_EQ(again->reason(), "AlreadyExists");
  EXPECT_EQ(again->message(), "ciliumnodes.cilium.io \"a\" already exists");
}

TEST_F(KubeApi, a_dry_run_changes_nothing) {
  EXPECT_EQ(
      send("POST", std::string(kNodes) + "?dryRun=All",
           R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode","metadata":{"generateName":"a-"},"spec":{}})")
          ->status,
      201);
  EXPECT_TRUE(names(get(std::string(kNodes))).empty());
}

TEST_F(KubeApi, update_needs_the_current_version) {
  create("a");
  const std::string head = R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode","metadata":{"name":"a")";
  const Exchange without = send("PUT", path("a"), head + R"(},"spec":{}})");
  EXPECT_EQ(without->status, 422);
  EXPECT_THAT(without->message(),
              HasSubstr("metadata.resourceVersion: Invalid value: 0x0: must be specified"));
  const Exchange stale = send("PUT", path("a"), head + R"(,"resourceVersion":"1"},"spec":{}})");
  EXPECT_EQ(stale->status, 409);
  EXPECT_EQ(
      stale->message(),
      "Operation cannot be fulfilled on ciliumnodes.cilium.io \"a\": the object has been modified; please "
      "apply your changes to the latest version and try again");
  const Exchange fresh = send(
      "PUT", path("a"), head + R"(,"resourceVersion":")" + version_of("a") + R"("},"spec":{"bootid":"b"}})");
  EXPECT_EQ(fresh->status, 200);
  EXPECT_EQ(*find(fresh->object(), {"metadata", "generation"}), 2);
}

TEST_F(KubeApi, the_generation_grows_with_the_spec_alone) {
  create("a");
  EXPECT_EQ(
      *find(patch(path("a"), R"({"metadata":{"labels":{"x":"y"}}})")->object(), {"metadata", "generation"}),
      1);
  EXPECT_EQ(
      *find(patch(path("a") + "/status", R"({"status":{"ipam":{}}})")->object(), {"metadata", "generation"}),
      1);
  EXPECT_EQ(*find(patch(path("a"), R"({"spec":{"bootid":"b"}})")->object(), {"metadata", "generation"}), 2);
}

TEST_F(KubeApi, main_resource_and_status_do_not_touch_each_other) {
  create("a", R"({"bootid":"b"})");
  patch(path("a"), R"({"status":{"ipam":{"assigned-static-ip":"1.1.1.1"}}})");
  EXPECT_EQ(find(get(path("a"))->object(), {"status"}), nullptr);
  const Exchange status = patch(
      path("a") + "/status",
      R"({"metadata":{"labels":{"x":"y"}},"spec":{"bootid":"c"},"status":{"ipam":{"assigned-static-ip":"1.1.1.1"}}})");
  EXPECT_EQ(status->text({"status", "ipam", "assigned-static-ip"}), "1.1.1.1");
  EXPECT_EQ(status->text({"spec", "bootid"}), "b");
  EXPECT_EQ(find(status->object(), {"metadata", "labels"}), nullptr);
}

TEST_F(KubeApi, a_change_that_changes_nothing_makes_no_new_version) {
  create("a", R"({"bootid":"b"})");
  const std::string version = version_of("a");
  EXPECT_EQ(patch(path("a"), R"({"spec":{"bootid":"b"}})")->text({"metadata", "resourceVersion"}), version);
}

TEST_F(KubeApi, a_version_inside_a_patch_is_a_precondition) {
  create("a");
  EXPECT_EQ(patch(path("a"), R"({"metadata":{"resourceVersion":"1"},"spec":{"bootid":"b"}})")->reason(),
            "Conflict");
  EXPECT_EQ(patch(path("a"),
                  R"({"metadata":{"resourceVersion":")" + version_of("a") + R"("},"spec":{"bootid":"b"}})")
                ->status,
            200);
}

TEST_F(KubeApi, a_patch_cannot_change_name_uid_or_kind) {
  create("a");
  EXPECT_EQ(patch(path("a"), R"({"metadata":{"name":"b"}})")->status, 400);
  EXPECT_THAT(patch(path("a"), R"({"metadata":{"uid":"b"}})")->message(),
              HasSubstr("metadata.uid: Invalid value: \"b\": field is immutable"));
  EXPECT_EQ(patch(path("a"), R"({"kind":"Node"})")->status, 422);
}

TEST_F(KubeApi, a_null_in_a_new_object_is_as_if_it_were_absent) {
  const Exchange reply = create("a", R"({"bootid":null,"ipam":{"static-ip-tags":null}})");
  EXPECT_EQ(json::serialize(reply->object().at("spec")), R"({"ipam":{}})");
}

TEST_F(KubeApi, custom_types_know_no_strategic_patch_and_nothing_knows_server_side_apply) {
  create("a");
  const Exchange strategic = patch(path("a"), "{}", kStrategic);
  EXPECT_EQ(strategic->status, 415);
  EXPECT_EQ(strategic->reason(), "UnsupportedMediaType");
  EXPECT_EQ(patch(path("a"), "{}", "application/apply-patch+yaml")->status, 415);
}

TEST_F(KubeApi, a_json_patch_whose_test_fails_is_invalid_and_changes_nothing) {
  create("a", R"({"bootid":"b"})");
  const Exchange reply = patch(
      path("a"),
      R"([{"op":"replace","path":"/spec/bootid","value":"c"},{"op":"test","path":"/spec/bootid","value":"b"}])",
      kJsonPatchType);
  EXPECT_EQ(reply->status, 422);
  EXPECT_EQ(reply->message(), "the server rejected our request due to an error in our request");
  EXPECT_EQ(get(path("a"))->text({"spec", "bootid"}), "b");
}

TEST_F(KubeApi, delete_answers_with_a_status_and_minds_its_preconditions) {
  create("a");
  EXPECT_EQ(send("DELETE", path("a"), R"({"preconditions":{"uid":"other"}})")->status, 409);
  EXPECT_EQ(send("DELETE", path("a"), R"({"preconditions":{"resourceVersion":"1"}})")->status, 409);
  const Exchange reply = remove("a");
  EXPECT_EQ(reply->text({"status"}), "Success");
  EXPECT_EQ(reply->text({"details", "kind"}), "ciliumnodes");
  EXPECT_EQ(remove("a")->message(), "ciliumnodes.cilium.io \"a\" not found");
}

TEST_F(KubeApi, finalizers_hold_a_deleted_object_until_they_are_gone) {
  create("a");
  patch(path("a"), R"({"metadata":{"finalizers":["example.com/hold"]}})");
  EXPECT_FALSE(remove("a")->text({"metadata", "deletionTimestamp"}).empty());
  EXPECT_EQ(
      patch(path("a"), R"({"metadata":{"finalizers":["example.com/hold","example.com/more"]}})")->status,
      422);
  EXPECT_EQ(patch(path("a"), R"({"metadata":{"finalizers":null}})")->status, 200);
  EXPECT_EQ(get(path("a"))->status, 404);
}

TEST_F(KubeApi, deleting_a_collection_minds_the_selector) {
  create("a", "{}", R"({"x":"1"})");
  create("b", "{}", R"({"x":"2"})");
  EXPECT_EQ(send("DELETE", std::string(kNodes) + "?labelSelector=x%3D1")->status, 200);
  EXPECT_EQ(names(get(std::string(kNodes))), std::vector<std::string>{"b"});
}

TEST_F(KubeApi, a_node_keeps_its_status_at_creation_and_its_provider_id_for_ever) {
  const Exchange made =
      send("POST", "/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"providerID":"aws:///z/i-1"},
      "status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}})");
  EXPECT_EQ(made->status, 201);
  EXPECT_NE(find(made->object(), {"status", "addresses"}), nullptr);
  const Exchange changed = patch("/api/v1/nodes/n", R"({"spec":{"providerID":"aws:///z/i-2"}})");
  EXPECT_EQ(changed->status, 422);
  EXPECT_THAT(changed->message(), HasSubstr("may not change providerID"));
}

TEST_F(KubeApi, an_event_about_a_node_belongs_into_default) {
  const std::string event =
      R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Node","name":"n"},"reason":"R"})";
  EXPECT_EQ(send("POST", "/api/v1/namespaces/kube-system/events", event)->status, 422);
  EXPECT_EQ(send("POST", "/api/v1/namespaces/nowhere/events", event)->status, 404);
  const Exchange made = send("POST", "/api/v1/namespaces/default/events", event);
  EXPECT_EQ(made->status, 201);
  EXPECT_TRUE(find(made->object(), {"eventTime"})->is_null());
}

TEST_F(KubeApi, a_lease_time_has_exactly_six_digits_of_a_second) {
  const std::string path_of_leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const auto lease = [](const std::string& time) {
    return R"({"metadata":{"name":"l"},"spec":{"renewTime":")" + time + R"("}})";
  };
  EXPECT_EQ(send("POST", path_of_leases, lease("2026-01-01T00:00:00Z"))->status, 400);
  EXPECT_EQ(send("POST", path_of_leases, lease("2026-01-01T00:00:00.123Z"))->status, 400);
  EXPECT_EQ(send("POST", path_of_leases, lease("2026-01-01T00:00:00.123456Z"))->status, 201);
}

TEST_F(KubeApi, a_definition_that_is_created_is_served_and_one_that_is_deleted_is_gone) {
  const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"pools.berth.dev"},"spec":{"group":"berth.dev","scope":"Cluster",
    "names":{"plural":"pools","kind":"Pool"},"versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":
    {"size":{"type":"integer","default":3}}}}}}}]}})";
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  EXPECT_EQ(send("POST", definitions, definition)->status, 201);
  const Exchange pool =
      send("POST", "/apis/berth.dev/v1/pools",
           R"({"apiVersion":"berth.dev/v1","kind":"Pool","metadata":{"name":"p"},"spec":{}})");
  EXPECT_EQ(pool->status, 201);
  EXPECT_EQ(*find(pool->object(), {"spec", "size"}), 3);
  EXPECT_EQ(send("DELETE", definitions + "/pools.berth.dev")->status, 200);
  EXPECT_EQ(get("/apis/berth.dev/v1/pools")->status, 404);
}

TEST_F(KubeApi, seeding_keeps_the_status_and_says_what_is_wrong) {
  const auto seeded = server.seed(parse_json(R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode",
      "metadata":{"name":"a"},"spec":{},"status":{"ipam":{"assigned-static-ip":"1.2.3.4"}}})")
                                      ->as_object());
  ASSERT_TRUE(seeded.ok());
  EXPECT_EQ(find_text(*seeded, {"status", "ipam", "assigned-static-ip"}), "1.2.3.4");
  EXPECT_TRUE(server.find("cilium.io/v2", "CiliumNode", "", "a").has_value());
  const auto refused = server.seed({{"apiVersion", "v1"}, {"kind", "Secret"}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("serves no kind \"Secret\""));
}

TEST_F(KubeApi, protobuf_is_refused_so_that_clients_fall_back) {
  EXPECT_EQ(get(std::string(kNodes), "application/vnd.kubernetes.protobuf")->status, 406);
  EXPECT_EQ(send("POST", std::string(kNodes), "k8s", "application/vnd.kubernetes.protobuf")->status, 415);
}

}  // namespace
}  // namespace berth::sandbox::kube
