#include "kube/client.h"

#include <chrono>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_files.h"
#include "kube/json.h"
#include "kube/resource_url.h"
#include "kube/scripted_http.h"
#include "ports/fake_clock.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class T>
ports::Task<void> keep(ports::Task<Result<T>> task, std::optional<Result<T>>& kept) {
  kept.emplace(co_await std::move(task));
}

const ports::ResourceType kCiliumNodes{"cilium.io", "v2", "ciliumnodes"};
const ports::ResourceType kEvents{"", "v1", "events"};
constexpr const char* kObject = R"({"kind":"CiliumNode","metadata":{"name":"n"}})";
constexpr const char* kRefused =
    R"({"kind":"Status","message":"Unauthorized","reason":"Unauthorized","code":401})";

class ClientTest : public testing::Test {
 protected:
  Client client(std::string token, std::string token_file) {
    return {{.server = "https://kube.test/prefix",
             .token = std::move(token),
             .token_file = std::move(token_file)},
            "berth-test",
            http_,
            files_,
            clock_};
  }
  ports::CallLimits limits() const { return {.deadline = clock_.mono_now() + 10s}; }

  /// Runs a call to its end.
  template <class T>
  Result<T> run(ports::Task<Result<T>> task) {
    std::optional<Result<T>> result;
    ports::TaskScope scope;
    scope.spawn(keep(std::move(task), result));
    clock_.advance(10s);
    CHECK(result.has_value());
    return *std::move(result);
  }
  Result<boost::json::object> get(Client& client) { return run(client.get({kCiliumNodes, "n"}, limits())); }
  std::string_view authorization() const {
    return http_.last().headers.find("Authorization").value_or("none");
  }

  ports::FakeClock clock_;
  FakeFiles files_;
  ScriptedHttp http_{clock_};
};

TEST_F(ClientTest, gets_an_object) {
  Client one = client("secret", "");
  http_.reply("", 200, kObject);
  const auto object = get(one);
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(string_at(*object, {"metadata", "name"}), "n");
  EXPECT_EQ(http_.last().method, "GET");
  EXPECT_EQ(http_.last().target, "https://kube.test/prefix/apis/cilium.io/v2/ciliumnodes/n");
  EXPECT_EQ(authorization(), "Bearer secret");
  EXPECT_EQ(http_.last().headers.find("Accept"), "application/json");
}

TEST_F(ClientTest, creates_in_a_namespace_and_says_who_does) {
  Client one = client("", "");
  http_.reply("", 201, kObject);
  EXPECT_TRUE(run(one.create(kEvents, "default", {{"metadata", {{"name", "e"}}}}, limits())).ok());
  EXPECT_EQ(http_.last().method, "POST");
  EXPECT_EQ(http_.last().target,
            "https://kube.test/prefix/api/v1/namespaces/default/events?fieldManager=berth-test");
  EXPECT_EQ(http_.last().headers.find("Content-Type"), "application/json");
  EXPECT_EQ(http_.last().body, R"({"metadata":{"name":"e"}})");
  EXPECT_EQ(authorization(), "none");
}

TEST_F(ClientTest, patches_a_subresource) {
  Client one = client("", "");
  http_.reply("", 200, kObject);
  EXPECT_TRUE(run(one.merge_patch({kCiliumNodes, "n"}, "status", {{"status", nullptr}}, limits())).ok());
  EXPECT_EQ(http_.last().method, "PATCH");
  EXPECT_EQ(http_.last().target,
            "https://kube.test/prefix/apis/cilium.io/v2/ciliumnodes/n/status?fieldManager=berth-test");
  EXPECT_EQ(http_.last().headers.find("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(http_.last().body, R"({"status":null})");
}

TEST_F(ClientTest, names_from_outside_cannot_leave_their_place_in_the_url) {
  EXPECT_EQ(object_path({kCiliumNodes, "../../x?y#z%", "a/b"}, ""),
            "/apis/cilium.io/v2/namespaces/a%2Fb/ciliumnodes/..%2F..%2Fx%3Fy%23z%25");
}

TEST_F(ClientTest, a_refusal_keeps_the_servers_words) {
  Client one = client("", "");
  http_.reply("", 404,
              R"({"kind":"Status","message":"ciliumnodes \"n\" not found","reason":"NotFound","code":404})");
  const auto object = get(one);
  EXPECT_EQ(object.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(object.error().message(), "get ciliumnodes.cilium.io/n: ciliumnodes \"n\" not found (NotFound)");
}

TEST_F(ClientTest, a_reply_that_is_no_object_is_explained) {
  Client one = client("", "");
  for (const std::string body : {"<html>hello</html>", "", "[1,2]", "\"text\"", "{\"a\":1", "\xff", "{}{}"}) {
    http_.reply("", 200, body);
    const auto object = get(one);
    ASSERT_FALSE(object.ok()) << body;
    EXPECT_EQ(object.error().kind, ErrorKind::kInternal);
    EXPECT_THAT(object.error().message(), AllOf(HasSubstr("the server answered HTTP 200 with"),
                                                HasSubstr("expected a Kubernetes object")));
  }
}

TEST_F(ClientTest, a_lost_reply_stays_a_time_out_with_the_name_of_the_call) {
  Client one = client("", "");
  http_.fail("", ErrorKind::kTimeout);
  const auto patched = run(one.merge_patch({kCiliumNodes, "n"}, "status", {}, limits()));
  EXPECT_EQ(patched.error().kind, ErrorKind::kTimeout);
  EXPECT_EQ(patched.error().message(),
            "patch ciliumnodes.cilium.io/n/status: https://kube.test/prefix: it does not answer");
}

TEST_F(ClientTest, the_token_file_is_read_again_once_a_minute) {
  files_.files["/token"] = "one\n";
  Client one = client("", "/token");
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  EXPECT_EQ(authorization(), "Bearer one");
  files_.files["/token"] = "two\n";
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  EXPECT_EQ(authorization(), "Bearer one");
  clock_.advance(1min);
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  EXPECT_EQ(authorization(), "Bearer two");
  EXPECT_EQ(files_.reads, 2);
}

TEST_F(ClientTest, a_refused_token_is_read_again_at_once_and_the_request_repeated) {
  files_.files["/token"] = "old";
  Client one = client("", "/token");
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  files_.files["/token"] = "new";
  http_.reply("", 401, kRefused);
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  EXPECT_EQ(authorization(), "Bearer new");
  EXPECT_EQ(http_.requests().size(), 3U);
}

TEST_F(ClientTest, a_token_that_stays_refused_is_not_repeated_and_read_once_a_minute_at_most) {
  files_.files["/token"] = "bad";
  Client one = client("", "/token");
  for (int i = 0; i < 3; ++i) {
    http_.reply("", 401, kRefused);
    EXPECT_EQ(get(one).error().kind, ErrorKind::kUnauthorized);
  }
  EXPECT_EQ(http_.requests().size(), 3U);
  EXPECT_LE(files_.reads, 2);
}

TEST_F(ClientTest, a_new_token_that_is_refused_too_ends_the_call) {
  files_.files["/token"] = "old";
  Client one = client("", "/token");
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  files_.files["/token"] = "new";
  http_.reply("", 401, kRefused);
  http_.reply("", 401, kRefused);
  EXPECT_EQ(get(one).error().kind, ErrorKind::kUnauthorized);
  EXPECT_EQ(http_.requests().size(), 3U);
}

TEST_F(ClientTest, a_token_file_that_vanishes_is_warned_about_once_and_the_last_token_stays) {
  const LogCapture log;
  files_.files["/token"] = "good";
  Client one = client("", "/token");
  for (int i = 0; i < 4; ++i) {
    http_.reply("", 200, kObject);
    EXPECT_TRUE(get(one).ok());
    EXPECT_EQ(authorization(), "Bearer good");
    files_.files.clear();
    clock_.advance(1min);
  }
  EXPECT_EQ(log.count("The token file /token cannot be used: no such file. The token from before stays"), 1U);
}

TEST_F(ClientTest, without_any_token_where_one_should_be_nothing_is_sent) {
  const LogCapture log;
  Client one = client("", "/token");
  const auto object = get(one);
  EXPECT_EQ(object.error().kind, ErrorKind::kUnauthorized);
  EXPECT_THAT(object.error().message(), HasSubstr("/token"));
  EXPECT_TRUE(http_.requests().empty());
}

TEST_F(ClientTest, a_token_that_could_forge_a_header_is_never_sent_or_shown) {
  const LogCapture log;
  Client fixed = client("s3cret\r\nX-Evil: 1", "");
  const auto object = get(fixed);
  EXPECT_EQ(object.error().kind, ErrorKind::kUnauthorized);
  EXPECT_THAT(object.error().message(), Not(HasSubstr("s3cret")));
  files_.files["/token"] = "s3cret\nsecond line";
  Client from_file = client("", "/token");
  EXPECT_FALSE(get(from_file).ok());
  EXPECT_EQ(log.count("s3cret"), 0U);
  EXPECT_TRUE(http_.requests().empty());
}

TEST_F(ClientTest, a_refused_watch_says_why_and_refreshes_the_token) {
  files_.files["/token"] = "old";
  Client one = client("", "/token");
  http_.reply("", 200, kObject);
  EXPECT_TRUE(get(one).ok());
  files_.files["/token"] = "new";
  http_.reply("watch", 401, kRefused);
  http_.reply("watch", 410, R"({"kind":"Status","message":"too old","reason":"Expired","code":410})");
  const auto stream = run(one.open_watch({.type = kCiliumNodes}, {.resource_version = "7"}, limits()));
  EXPECT_EQ(stream.error().kind, ErrorKind::kExpired);
  EXPECT_EQ(stream.error().message(), "watch ciliumnodes.cilium.io: too old (Expired)");
  EXPECT_EQ(authorization(), "Bearer new");
}

TEST_F(ClientTest, a_collection_can_be_narrowed_to_one_object) {
  Client one = client("", "");
  const Collection mine{.type = kCiliumNodes, .field_selector = "metadata.name=n"};
  http_.reply("", 200, R"({"metadata":{"resourceVersion":"9"},"items":null})");
  const auto list =
      run(one.list_page(mine, {.resource_version = "0", .continue_token = "", .limit = 500}, limits()));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->resource_version, "9");
  EXPECT_THAT(http_.last().target, HasSubstr("?fieldSelector=metadata.name%3Dn&limit=500&resourceVersion=0"));
}

}  // namespace
}  // namespace berth::kube
