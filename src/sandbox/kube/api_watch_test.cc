#include <gmock/gmock.h>

#include "sandbox/kube/fixture_test.h"

namespace berth::sandbox::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kWatch = std::string(kNodes) + "?watch=true";

TEST_F(KubeApi, a_watch_from_a_version_tells_what_came_after_it) {
  create("a");
  const std::string from = version_of("a");
  create("b");
  const Exchange watch = get(kWatch + "&resourceVersion=" + from);
  EXPECT_THAT(watch->events(), ElementsAre("ADDED b"));
  patch(path("a"), R"({"spec":{"bootid":"x"}})");
  remove("b");
  EXPECT_THAT(watch->events(), ElementsAre("ADDED b", "MODIFIED a", "DELETED b"));
  EXPECT_FALSE(watch->ended);
}

TEST_F(KubeApi, a_watch_from_no_version_or_zero_begins_with_what_there_is) {
  create("a");
  create("b");
  EXPECT_THAT(get(kWatch)->events(), ElementsAre("ADDED a", "ADDED b"));
  EXPECT_THAT(get(kWatch + "&resourceVersion=0")->events(), ElementsAre("ADDED a", "ADDED b"));
}

TEST_F(KubeApi, what_changes_while_a_watch_is_writing_is_told_next) {
  create("a");
  const Exchange watch = get(kWatch + "&resourceVersion=" + version_of("a"));
  watch->slow_clock = &clock;
  create("b");  // its event is being written
  create("c");
  clock.advance(2 * kSlowWrite);
  EXPECT_THAT(watch->events(), ElementsAre("ADDED b", "ADDED c"));
}

TEST_F(KubeApi, a_deletion_shows_the_object_as_it_was_at_a_new_version) {
  create("a", R"({"bootid":"x"})");
  const Exchange watch = get(kWatch + "&resourceVersion=" + version_of("a"));
  const std::string before = version_of("a");
  remove("a");
  const json::object event = watch->event_objects().at(0);
  EXPECT_EQ(find_text(event, {"object", "spec", "bootid"}), "x");
  EXPECT_GT(std::stoi(std::string(find_text(event, {"object", "metadata", "resourceVersion"}))),
            std::stoi(before));
}

TEST_F(KubeApi, an_object_that_leaves_or_enters_the_selection_is_deleted_or_added) {
  create("a", "{}", R"({"x":"1"})");
  const Exchange watch = get(kWatch + "&labelSelector=x%3D1&resourceVersion=" + version_of("a"));
  patch(path("a"), R"({"metadata":{"labels":{"x":"2"}}})");
  patch(path("a"), R"({"spec":{"bootid":"b"}})");
  patch(path("a"), R"({"metadata":{"labels":{"x":"1"}}})");
  EXPECT_THAT(watch->events(), ElementsAre("DELETED a", "ADDED a"));
}

TEST_F(KubeApi, a_field_selector_narrows_a_watch_to_one_object) {
  const Exchange watch = get(kWatch + "&fieldSelector=metadata.name%3Db");
  create("a");
  create("b");
  EXPECT_THAT(watch->events(), ElementsAre("ADDED b"));
}

TEST_F(KubeApi, bookmarks_come_every_minute_and_before_the_end) {
  create("a");
  const Exchange watch =
      get(kWatch + "&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=" + version_of("a"));
  clock.advance(59s);
  EXPECT_THAT(watch->events(), IsEmpty());
  send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"elsewhere"}})");
  clock.advance(1s);
  EXPECT_THAT(watch->events(), ElementsAre("BOOKMARK"));
  // A bookmark covers what happened to other types as well.
  EXPECT_EQ(find_text(watch->event_objects().at(0), {"object", "metadata", "resourceVersion"}),
            get(std::string(kNodes))->text({"metadata", "resourceVersion"}));
  clock.advance(38s);
  EXPECT_THAT(watch->events(), ElementsAre("BOOKMARK", "BOOKMARK"));
  EXPECT_FALSE(watch->ended);
  clock.advance(2s);
  EXPECT_TRUE(watch->ended);
}

TEST_F(KubeApi, a_watch_that_names_no_end_ends_between_half_an_hour_and_an_hour) {
  const Exchange watch = get(kWatch);
  clock.advance(30min);
  EXPECT_FALSE(watch->ended);
  clock.advance(30min);
  EXPECT_TRUE(watch->ended);
}

TEST_F(KubeApi, a_streamed_list_says_when_it_is_complete) {
  create("a");
  const Exchange watch =
      get(kWatch + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_THAT(watch->events(), ElementsAre("ADDED a", "BOOKMARK"));
  EXPECT_THAT(watch->body, HasSubstr(R"("k8s.io/initial-events-end":"true")"));
}

class ForgottenVersion : public KubeApi {
 protected:
  ForgottenVersion() {
    create("a");
    for (int i = 0; i < 25; ++i) {
      patch(path("a"), R"({"spec":{"bootid":")" + std::to_string(i) + R"("}})");
    }
  }
};

TEST_F(ForgottenVersion, expires_as_an_error_event_inside_a_good_reply) {
  const Exchange watch = get(kWatch + "&resourceVersion=1");
  EXPECT_EQ(watch->status, 200);
  EXPECT_THAT(watch->events(), ElementsAre("ERROR 410"));
  EXPECT_TRUE(watch->ended);
}

TEST_F(ForgottenVersion, expires_as_a_status_where_the_option_says_so) {
  KubeApiServer other(clock, faults,
                      {.bearer_token = "sesame", .history_length = 1, .expired_watch_as_status = true});
  FakeExchange exchange;
  ports::TaskScope scope;
  scope.spawn(other.handle(
      {"GET", "/api/v1/namespaces?watch=1&resourceVersion=1", {{"Authorization", "Bearer sesame"}}, ""},
      exchange));
  EXPECT_EQ(exchange.status, 410);
  EXPECT_EQ(exchange.reason(), "Expired");
}

TEST_F(KubeApi, both_kinds_of_expiry_can_be_asked_for) {
  fault("watch:ciliumnodes", R"({"error":"Expired","count":1})");
  EXPECT_EQ(get(kWatch)->status, 410);
  fault("watch:ciliumnodes", R"({"error":"ExpiredEvent","count":1})");
  const Exchange watch = get(kWatch);
  EXPECT_EQ(watch->status, 200);
  EXPECT_THAT(watch->events(), ElementsAre("ERROR 410"));
}

TEST_F(KubeApi, a_running_watch_can_be_cut_before_or_after_an_event_or_expire_or_lag) {
  fault("event:ciliumnodes", R"({"error":"cut","count":1})");
  const Exchange before = get(kWatch);
  create("a");
  EXPECT_TRUE(before->dropped);
  EXPECT_THAT(before->events(), IsEmpty());

  const std::string from = "&resourceVersion=" + version_of("a");
  fault("event:ciliumnodes", R"({"lost_reply":true,"count":1})");
  const Exchange after = get(kWatch + from);
  create("b");
  EXPECT_TRUE(after->dropped);
  EXPECT_THAT(after->events(), ElementsAre("ADDED b"));

  fault("event:ciliumnodes", R"({"error":"Expired","count":1})");
  EXPECT_THAT(get(kWatch + from)->events(), ElementsAre("ERROR 410"));

  fault("event:ciliumnodes", R"({"delay_ms":3000,"count":1})");
  const Exchange late = get(kWatch + from);
  clock.advance(2s);
  EXPECT_THAT(late->events(), IsEmpty());
  clock.advance(1s);
  EXPECT_THAT(late->events(), ElementsAre("ADDED b"));
}

TEST_F(KubeApi, a_watch_as_table_names_its_columns_once) {
  const Exchange watch = get(kWatch, kTableType);
  create("a");
  create("b");
  const auto events = watch->event_objects();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_TRUE(find(events[0], {"object", "columnDefinitions"})->is_array());
  EXPECT_TRUE(find(events[1], {"object", "columnDefinitions"})->is_null());
}

TEST_F(KubeApi, a_change_that_changes_nothing_is_no_event) {
  create("a", R"({"bootid":"b"})");
  const Exchange watch = get(kWatch + "&resourceVersion=" + version_of("a"));
  patch(path("a"), R"({"spec":{"bootid":"b"}})");
  EXPECT_THAT(watch->events(), IsEmpty());
}

TEST_F(KubeApi, a_watch_ends_when_its_client_goes) {
  const Exchange watch = get(kWatch);
  watch->source.request_stop();
  clock.settle();
  EXPECT_TRUE(watch->ended);
}

}  // namespace
}  // namespace berth::sandbox::kube
