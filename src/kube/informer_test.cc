#include "kube/informer.h"

#include <chrono>
#include <memory>
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
using testing::Not;

/// Writes down what it is told: "=a,b" the whole list, "+a@5" an upsert, "-a" an erasure.
class Notes final : public ObjectObserver {
 public:
  std::vector<std::string> told;

  void replace_all(std::vector<boost::json::object> objects) override {
    std::string all = "=";
    for (const auto& object : objects) {
      all += all.size() > 1 ? "," : "";
      all += string_at(object, {"metadata", "name"});
    }
    told.push_back(all);
  }
  void upsert(boost::json::object object) override {
    told.push_back("+" + string_at(object, {"metadata", "name"}) + "@" +
                   string_at(object, {"metadata", "resourceVersion"}));
  }
  void erase(boost::json::object object) override {
    told.push_back("-" + string_at(object, {"metadata", "name"}));
  }
};

std::string item(const std::string& name, const std::string& rv) {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" + rv + R"("}})";
}
std::string event(const std::string& type, const std::string& name, const std::string& rv) {
  return R"({"type":")" + type + R"(","object":)" + item(name, rv) + "}\n";
}
std::string list_of(const std::string& rv, const std::string& items, const std::string& token = "") {
  return R"({"kind":"List","metadata":{"resourceVersion":")" + rv + R"(","continue":")" + token +
         R"("},"items":[)" + items + "]}";
}
std::string status(int code, const std::string& reason, const std::string& more = "") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"because","reason":")" + reason +
         R"(","code":)" + std::to_string(code) + more + "}";
}

constexpr const char* kList = "/apis/cilium.io/v2/ciliumnodes?limit";
constexpr const char* kListAnyhow = "/apis/cilium.io/v2/ciliumnodes";
constexpr const char* kWatch = "/apis/cilium.io/v2/ciliumnodes?watch=true";

class InformerTest : public testing::Test {
 protected:
  InformerTest()
      : client_({.server = "https://kube.test"}, "berth-test", http_, files_, clock_),
        informer_({.collection = {.type = {"cilium.io", "v2", "ciliumnodes"}},
                   .noun = "CiliumNodes",
                   .forbidden = "Grant it.",
                   .not_found = "Install it.",
                   .max_line_bytes = max_line_bytes()},
                  client_, clock_, prng_) {}
  void TearDown() override {
    stop_.request_stop();
    clock_.settle();
    EXPECT_EQ(scope_.running(), 0U) << "it stops when asked to";
  }

  static std::size_t max_line_bytes() { return 100'000; }

  void run() {
    scope_.spawn(informer_.run(notes_, stop_.get_token()));
    clock_.settle();
  }
  /// Listed with nothing in it, and watching from version 5.
  std::shared_ptr<StreamScript> watching() {
    http_.reply(kList, 200, list_of("5", ""));
    auto stream = http_.stream(kWatch);
    run();
    EXPECT_THAT(notes_.told, ElementsAre("="));
    notes_.told.clear();
    return stream;
  }
  std::string target(std::size_t request) const {
    return request < http_.requests().size() ? http_.requests()[request].target : "no such request";
  }

  LogCapture log_;
  ports::FakeClock clock_;
  FakeFiles files_;
  Prng prng_{1};
  ScriptedHttp http_{clock_};
  Client client_;
  Informer informer_;
  Notes notes_;
  std::stop_source stop_;
  ports::TaskScope scope_;
};

TEST_F(InformerTest, lists_then_watches_from_the_lists_version) {
  http_.reply(kList, 200, list_of("5", item("a", "3") + "," + item("b", "4")));
  auto stream = http_.stream(kWatch);
  run();
  EXPECT_THAT(notes_.told, ElementsAre("=a,b"));
  EXPECT_THAT(target(0), HasSubstr("?limit=500&resourceVersion=0"));
  EXPECT_THAT(target(0), Not(HasSubstr("resourceVersionMatch")));
  EXPECT_THAT(target(1), HasSubstr("?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds="));

  stream->send(event("ADDED", "c", "6") + event("MODIFIED", "a", "7") + event("DELETED", "b", "8"));
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("=a,b", "+c@6", "+a@7", "-b"));
  EXPECT_EQ(log_.records().size(), 0U) << "nothing went wrong, so there is nothing to say";
}

TEST_F(InformerTest, joins_the_pages_of_a_list_and_replaces_once) {
  http_.reply(kList, 200, list_of("5", item("a", "1"), "tok/1="));
  http_.reply(kList, 200, list_of("5", item("b", "2"), "tok2"));
  http_.reply(kList, 200, list_of("5", item("c", "3")));
  run();
  EXPECT_THAT(notes_.told, ElementsAre("=a,b,c"));
  EXPECT_THAT(target(1), HasSubstr("?limit=500&continue=tok%2F1%3D"));
  EXPECT_THAT(target(1), Not(HasSubstr("resourceVersion"))) << "the token carries it";
}

TEST_F(InformerTest, an_expired_continue_token_restarts_the_list_and_forgets_the_pages_before) {
  http_.reply(kList, 200, list_of("5", item("gone", "1"), "old"));
  http_.reply("continue=old", 410, status(410, "Expired"));
  http_.reply(kListAnyhow, 200, list_of("9", item("a", "8")));
  run();
  EXPECT_THAT(notes_.told, ElementsAre("=a"));
  EXPECT_THAT(target(2), Not(HasSubstr("?")));
}

TEST_F(InformerTest, too_old_as_an_http_status_lists_again_from_where_it_was) {
  auto stream = watching();
  stream->send(event("ADDED", "x", "17"));
  clock_.advance(30s);
  http_.reply("resourceVersion=17&allow", 410, status(410, "Expired"));
  http_.reply("limit=500&resourceVersion=17&resourceVersionMatch=NotOlderThan", 200,
              list_of("20", item("fresh", "18")));
  stream->end();
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("+x@17", "=fresh"));
  EXPECT_THAT(http_.last().target, HasSubstr("watch=true&resourceVersion=20"));
}

TEST_F(InformerTest, too_old_as_an_error_event_lists_again_from_where_it_was) {
  auto stream = watching();
  stream->send(event("ADDED", "x", "17"));
  clock_.advance(30s);
  http_.reply("limit=500&resourceVersion=17&resourceVersionMatch=NotOlderThan", 200,
              list_of("20", item("fresh", "18")));
  stream->send(R"({"type":"ERROR","object":)" + status(410, "Expired") + "}\n");
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("+x@17", "=fresh"));
  EXPECT_THAT(http_.last().target, HasSubstr("watch=true&resourceVersion=20"));
}

TEST_F(InformerTest, a_version_the_server_has_not_reached_becomes_a_quorum_read) {
  auto stream = watching();
  clock_.advance(30s);
  http_.reply("resourceVersion=5&resourceVersionMatch", 504,
              status(504, "Timeout", R"(,"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]})"));
  http_.reply("limit=500", 200, list_of("3", ""));
  stream->send(R"({"type":"ERROR","object":)" + status(410, "Expired") + "}\n");
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("="));
  EXPECT_THAT(target(3), Not(HasSubstr("resourceVersion")));
}

TEST_F(InformerTest, a_bookmark_moves_the_version_and_tells_nobody) {
  auto stream = watching();
  stream->send(R"({"type":"BOOKMARK","object":{"kind":"CiliumNode","metadata":{"resourceVersion":"77"}}})"
               "\n");
  clock_.advance(6min);
  EXPECT_TRUE(notes_.told.empty());
  stream->end();
  clock_.settle();
  EXPECT_THAT(http_.last().target, HasSubstr("resourceVersion=77"));
  EXPECT_EQ(log_.records().size(), 0U) << "a watch that the server ends is no loss";
}

TEST_F(InformerTest, a_stream_may_be_cut_into_pieces_anywhere) {
  const std::string text =
      event("ADDED", "näme-ü", "6") + "\r\n\n" + event("MODIFIED", "b", "7") + event("DELETED", "c", "8");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SCOPED_TRACE(cut);
    ports::FakeClock clock;
    ScriptedHttp http(clock);
    Client client({.server = "https://kube.test"}, "berth-test", http, files_, clock);
    Informer informer({.collection = {.type = {"", "v1", "nodes"}}, .noun = "Nodes"}, client, clock, prng_);
    Notes notes;
    const std::stop_source stop;
    ports::TaskScope scope;
    http.reply("limit", 200, list_of("5", ""));
    auto stream = http.stream("watch");
    if (cut > 0) {
      stream->send(text.substr(0, cut));
    }
    if (cut < text.size()) {
      stream->send(text.substr(cut));
    }
    scope.spawn(informer.run(notes, stop.get_token()));
    clock.settle();
    EXPECT_THAT(notes.told, ElementsAre("=", "+näme-ü@6", "+b@7", "-c"));
    stop.request_stop();
    clock.settle();
  }
}

TEST_F(InformerTest, a_stream_may_come_byte_by_byte) {
  auto stream = watching();
  for (const char c : event("ADDED", "a", "6") + event("ADDED", "b", "7")) {
    stream->send(std::string(1, c));
    clock_.settle();
  }
  EXPECT_THAT(notes_.told, ElementsAre("+a@6", "+b@7"));
}

TEST_F(InformerTest, a_line_that_was_cut_off_by_the_end_is_not_taken_for_an_event) {
  auto stream = watching();
  clock_.advance(2s);
  const std::string whole = event("ADDED", "a", "6");
  stream->send(whole.substr(0, whole.size() - 1));
  stream->end();
  clock_.settle();
  EXPECT_TRUE(notes_.told.empty());
  EXPECT_THAT(http_.last().target, HasSubstr("resourceVersion=5")) << "it comes again from here";
}

TEST_F(InformerTest, garbage_in_the_stream_lists_again_with_a_warning_and_a_pause) {
  for (const std::string garbage :
       {"<html>\n", "{\"type\":\"ADDED\"\n", "[]\n", "{}\n", "{\"type\":\"NEW\",\"object\":{}}\n",
        "{\"type\":\"ADDED\",\"object\":7}\n", "{\"type\":\"ADDED\"}\n", "\xff\xfe\n"}) {
    SCOPED_TRACE(garbage);
    const LogCapture log;
    ports::FakeClock clock;
    ScriptedHttp http(clock);
    Client client({.server = "https://kube.test"}, "berth-test", http, files_, clock);
    Informer informer({.collection = {.type = {"", "v1", "nodes"}}, .noun = "Nodes"}, client, clock, prng_);
    Notes notes;
    const std::stop_source stop;
    ports::TaskScope scope;
    http.reply("limit", 200, list_of("5", ""));
    auto stream = http.stream("watch");
    scope.spawn(informer.run(notes, stop.get_token()));
    stream->send(event("ADDED", "a", "6") + garbage + event("ADDED", "never", "7"));
    clock.settle();
    EXPECT_THAT(notes.told, ElementsAre("=", "+a@6"));
    EXPECT_EQ(log.count("The Nodes cannot be followed"), 1U);
    const std::size_t asked = http.requests().size();
    http.reply("resourceVersion=6&resourceVersionMatch=NotOlderThan", 200, list_of("8", item("b", "8")));
    clock.advance(500ms);
    EXPECT_EQ(http.requests().size(), asked) << "not at once";
    clock.advance(500ms);
    EXPECT_THAT(notes.told, ElementsAre("=", "+a@6", "=b"));
    stop.request_stop();
    clock.settle();
  }
}

TEST_F(InformerTest, a_line_of_almost_the_limit_is_taken_and_one_above_it_is_not) {
  auto stream = watching();
  const std::string big(max_line_bytes() - 200, 'x');
  stream->send(R"({"type":"ADDED","object":{"metadata":{"name":"big","resourceVersion":"6"},"x":")" + big);
  stream->send("\"}}\n");
  clock_.settle();
  EXPECT_THAT(notes_.told, ElementsAre("+big@6"));
  stream->send(R"({"type":"ADDED","object":{"metadata":{"name":"huge")" + big);
  stream->send(big);
  clock_.settle();
  EXPECT_EQ(log_.count("a line of the stream is longer than"), 1U);
}

TEST_F(InformerTest, a_stuck_stream_is_noticed_after_the_time_at_which_the_server_should_have_ended_it) {
  auto stream = watching();
  const std::string asked = target(1);
  const int seconds = std::stoi(asked.substr(asked.find("timeoutSeconds=") + 15));
  EXPECT_GE(seconds, 300);
  EXPECT_LE(seconds, 600);
  clock_.advance(std::chrono::seconds(seconds) + 29s);
  EXPECT_EQ(http_.requests().size(), 2U);
  auto second = http_.stream(kWatch);
  clock_.advance(2s + 1s);
  EXPECT_EQ(log_.count("nothing came for"), 1U);
  EXPECT_EQ(http_.requests().size(), 3U);
  EXPECT_THAT(http_.last().target, HasSubstr("watch=true&resourceVersion=5"));
}

TEST_F(InformerTest, a_connection_that_breaks_is_opened_again_at_the_same_version_and_said_once) {
  auto stream = watching();
  stream->send(event("ADDED", "a", "6"));
  clock_.advance(10s);
  auto second = http_.stream(kWatch);
  stream->fail(ErrorKind::kUnavailable);
  clock_.settle();
  EXPECT_THAT(http_.last().target, HasSubstr("watch=true&resourceVersion=6"));
  EXPECT_EQ(log_.count("cannot be followed: read: the connection was reset"), 1U);
  EXPECT_EQ(log_.count("are followed again"), 1U);
}

TEST_F(InformerTest, a_loss_is_said_once_however_long_it_lasts_and_again_when_its_cause_changes) {
  for (int i = 0; i < 5; ++i) {
    http_.fail(kList, ErrorKind::kUnavailable);
  }
  run();
  clock_.advance(30s);
  EXPECT_EQ(http_.answers_left(), 0U);
  EXPECT_EQ(log_.count("cannot be followed"), 1U);
  http_.reply(kList, 403, status(403, "Forbidden"));
  http_.reply(kList, 403, status(403, "Forbidden"));
  clock_.advance(3min);
  EXPECT_EQ(
      log_.count("cannot be followed: list ciliumnodes.cilium.io: because (Forbidden). Trying again until "
                 "it works. Grant it."),
      1U);
  http_.reply(kList, 401, status(401, "Unauthorized"));
  clock_.advance(2min);
  EXPECT_EQ(log_.count("The token or client certificate is missing, wrong or has expired."), 1U);
  http_.reply(kList, 404, "404 page not found");
  clock_.advance(2min);
  EXPECT_EQ(log_.count("Install it."), 1U);
  http_.reply(kList, 200, list_of("5", ""));
  clock_.advance(2min);
  EXPECT_EQ(log_.count("are followed again"), 1U);
  EXPECT_THAT(notes_.told, ElementsAre("="));
}

TEST_F(InformerTest, obeys_what_the_server_asks_for_when_it_throttles) {
  http_.reply(kList, 429, status(429, "TooManyRequests"), {{"Retry-After", "20"}});
  run();
  clock_.advance(19s);
  EXPECT_EQ(http_.requests().size(), 1U);
  clock_.advance(1s);
  EXPECT_EQ(http_.requests().size(), 2U);
  EXPECT_EQ(target(1), target(0)) << "the version is kept";
}

TEST_F(InformerTest, a_proxy_that_cuts_every_watch_at_once_is_asked_ever_less_often_and_said_once) {
  http_.reply(kList, 200, list_of("5", ""));
  for (int i = 0; i < 1000; ++i) {
    http_.stream(kWatch)->end();
  }
  run();
  clock_.advance(10min);
  EXPECT_LT(http_.requests().size(), 40U);
  EXPECT_EQ(log_.count("ends as soon as it begins"), 1U);
  EXPECT_EQ(log_.records().size(), 1U);
}

TEST_F(InformerTest, a_server_that_expires_every_watch_is_asked_ever_less_often_and_said_once) {
  for (int i = 0; i < 500; ++i) {
    http_.reply(kList, 200, list_of("5", ""));
    http_.reply(kWatch, 410, status(410, "Gone"));
  }
  run();
  clock_.advance(10min);
  EXPECT_LT(http_.requests().size(), 80U);
  EXPECT_EQ(log_.records().size(), 1U);
}

TEST_F(InformerTest, a_list_that_is_garbage_is_asked_for_again) {
  http_.reply(kList, 200, "<html>welcome</html>");
  http_.reply(kList, 200, R"({"metadata":{},"items":[]})");
  http_.reply(kList, 200, R"({"metadata":{"resourceVersion":"5"},"items":{}})");
  http_.reply(kList, 200, list_of("5", item("a", "1") + ",7,null"));
  run();
  clock_.advance(1min);
  EXPECT_THAT(notes_.told, ElementsAre("=a")) << "what is no object poisons itself only";
  EXPECT_EQ(log_.count("holds 2 entries that are no objects"), 1U);
}

TEST_F(InformerTest, stops_while_it_waits_for_a_reply_a_line_or_its_turn) {
  run();
  EXPECT_EQ(scope_.running(), 1U);
  stop_.request_stop();
  clock_.settle();
  EXPECT_EQ(scope_.running(), 0U);

  for (const bool backing_off : {false, true}) {
    Informer other({.collection = {.type = {"", "v1", "nodes"}}, .noun = "Nodes"}, client_, clock_, prng_);
    const std::stop_source stop;
    ports::TaskScope scope;
    if (backing_off) {
      http_.fail("limit", ErrorKind::kUnavailable);
    } else {
      http_.reply("limit", 200, list_of("5", ""));
      http_.stream("watch");
    }
    scope.spawn(other.run(notes_, stop.get_token()));
    clock_.settle();
    EXPECT_EQ(scope.running(), 1U);
    stop.request_stop();
    clock_.settle();
    EXPECT_EQ(scope.running(), 0U);
  }
}

}  // namespace
}  // namespace berth::kube
