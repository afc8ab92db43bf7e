#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "runtime/test_world.h"

namespace berth::runtime {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Task<void> refused(World& world) {
  const std::string url = "http://127.0.0.1:" + std::to_string(closed_port(world.loop)) + "/x?secret=1";
  const auto reply = co_await fetch(world, "POST", url, "x");
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable);
  EXPECT_THAT(reply.error().operation, StartsWith("POST http://127.0.0.1:"));
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("secret")));
  const auto stream = co_await world.client->open({"GET", url}, world.soon());
  EXPECT_EQ(kind(stream), ErrorKind::kUnavailable);
}

TEST(HttpClientErrors, a_refused_connection_means_that_nothing_was_delivered) { World().play(&refused); }

Task<void> dropped(World& world) {
  world.routes.add("/drop", &drop);
  for (const std::string method : {"GET", "POST"}) {
    const auto reply = co_await fetch(world, method, world.url("/drop"), "x");
    EXPECT_EQ(kind(reply), ErrorKind::kTimeout);
  }
}

TEST(HttpClientErrors, a_connection_lost_without_a_reply_means_that_the_outcome_is_unknown) {
  World().play(&dropped);
}

Task<void> deadline(World& world) {
  world.routes.add("/hang", &hang);
  co_await world.connect();
  HttpRequest request{"POST", world.url("/hang"), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(kind(reply), ErrorKind::kTimeout);
  EXPECT_THAT(reply.error().detail, HasSubstr("may have had its effect"));
  co_await world.stopped.wait(std::nullopt, {});
}

TEST(HttpClientErrors, a_deadline_after_the_request_was_sent_is_a_timeout_and_ends_the_connection) {
  World().play(&deadline);
}

Task<void> no_handshake(World& world) {
  const RawServer silent(world.loop);
  HttpRequest request{"POST", "https://127.0.0.1:" + std::to_string(silent.port()), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable);
  HttpRequest late{"POST", world.url("/echo"), {}, "x"};
  const auto passed = co_await world.client->fetch(std::move(late), {world.loop.mono_now()});
  EXPECT_EQ(kind(passed), ErrorKind::kUnavailable);
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpClientErrors, a_deadline_before_the_connection_stands_means_that_nothing_was_delivered) {
  World().play(&no_handshake);
}

Task<void> stop_when_arrived(World& world, std::stop_source& stop) {
  co_await world.arrived.wait(std::nullopt, {});
  stop.request_stop();
}

Task<void> stopped(World& world) {
  world.routes.add("/hang", &hang);
  std::stop_source stop;
  Beside beside(stop_when_arrived(world, stop));
  const auto reply =
      co_await world.client->fetch({"GET", world.url("/hang")}, {world.soon().deadline, stop.get_token()});
  EXPECT_EQ(kind(reply), ErrorKind::kCancelled);
  co_await world.stopped.wait(std::nullopt, {});
  const int calls = world.routes.calls;
  const auto again =
      co_await world.client->fetch({"GET", world.url("/echo")}, {world.soon().deadline, stop.get_token()});
  EXPECT_EQ(kind(again), ErrorKind::kCancelled);
  EXPECT_EQ(world.routes.calls, calls) << "a call that is stopped beforehand sends nothing";
  co_await beside.scope.join();
}

TEST(HttpClientErrors, a_call_ends_when_asked_to_stop) { World().play(&stopped); }

/// Stops calls at every stage of their way: each after one more turn of the loop.
Task<void> stop_anywhere(World& world) {
  for (int turns = 0; turns < 40; ++turns) {
    std::stop_source stop;
    Beside beside([](World& w, std::stop_source& s, int n) -> Task<void> {
      for (int i = 0; i < n; ++i) {
        co_await ports::sleep_for(w.loop, 0s, {});
      }
      s.request_stop();
    }(world, stop, turns));
    HttpRequest request{"POST", world.url("/echo"), {}, std::string(100'000, 'x')};
    const auto reply =
        co_await world.client->fetch(std::move(request), {world.soon().deadline, stop.get_token()});
    EXPECT_TRUE(reply || reply.error().kind == ErrorKind::kCancelled);
    co_await beside.scope.join();
  }
  EXPECT_TRUE(co_await fetch(world, "POST", world.url("/echo"), "x"));
}

TEST(HttpClientErrors, a_call_may_be_stopped_at_any_moment) { World().play(&stop_anywhere); }

Task<void> unusable(World& world) {
  for (const std::string url : {"", "not a url", "http://", "ftp://127.0.0.1/", "http://127.0.0.1:99999/",
                                "http://127.0.0.1/a\r\nX-Injected: 1"}) {
    const auto reply = co_await fetch(world, "GET", url);
    EXPECT_EQ(kind(reply), ErrorKind::kInvalid) << url;
  }
  HttpRequest request{"GET", world.url("/echo"), {{"X-Token", "hush\r\nX-Injected: 1"}}};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_EQ(kind(reply), ErrorKind::kInvalid);
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("hush")));
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpClientErrors, a_url_or_header_that_cannot_be_sent_is_refused) { World().play(&unusable); }

Task<void> secrets(World& world) {
  const std::string at = "127.0.0.1:" + std::to_string(closed_port(world.loop));
  HttpRequest request{
      "POST", "http://user:hush@" + at + "/p?token=hush", {{"Authorization", "Bearer hush"}}, "hush"};
  request.sign = ports::AwsSigning{"hush", "hush", "hush", "eu-west-1", "ec2"};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("hush")));
  EXPECT_THAT(reply.error().message(), HasSubstr("POST http://" + at + "/p"));
}

TEST(HttpClientErrors, an_error_never_shows_a_credential) { World().play(&secrets); }

Task<void> broken_replies(World& world) {
  struct Case {
    std::string reply;
    ErrorKind kind;
  };
  const std::vector<Case> cases = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ErrorKind::kTimeout},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ErrorKind::kTimeout},
      {"HTTP/1.1 200 OK\r\nX-Half", ErrorKind::kTimeout},
      {"SSH-2.0-OpenSSH_9.2\r\n", ErrorKind::kInternal},
  };
  for (const Case& given : cases) {
    RawServer server(world.loop);
    Beside beside(send_canned(server, given.reply));
    const auto reply = co_await fetch(world, "POST", server.url(), "x");
    EXPECT_EQ(kind(reply), given.kind) << given.reply;
    co_await beside.scope.join();
  }
}

TEST(HttpClientErrors, a_reply_that_breaks_off_is_unknown_and_one_that_is_not_http_is_said_to_be) {
  World().play(&broken_replies);
}

// Proxies

Task<void> through_proxy(World& world) {
  RawServer proxy(world.loop);
  std::string request;
  const Beside beside(answer_what_came(proxy, request));
  const auto client = make_http_client(world.loop, {.proxy_url = proxy.url()});
  const auto reply = co_await client->fetch({"GET", "http://never-resolved.invalid/x"}, world.soon());
  EXPECT_TRUE(reply) << reply.error().message();
  EXPECT_THAT(request, StartsWith("GET http://never-resolved.invalid/x HTTP/1.1\r\n"));
}

TEST(HttpClientErrors, a_proxy_that_is_named_is_used) { World().play(&through_proxy); }

Task<void> refuse_tunnel(RawServer& proxy) {
  const auto peer = co_await proxy.accept();
  EXPECT_THAT(co_await peer->receive_message(), StartsWith("CONNECT never-resolved.invalid:443 "));
  co_await peer->send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
}

Task<void> proxy_refuses(World& world) {
  RawServer proxy(world.loop);
  const Beside beside(refuse_tunnel(proxy));
  const auto client = make_http_client(world.loop, {.proxy_url = proxy.url()});
  HttpRequest request{"POST", "https://never-resolved.invalid/x", {}, "x"};
  const auto reply = co_await client->fetch(std::move(request), world.soon());
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable);
}

TEST(HttpClientErrors, a_proxy_that_refuses_the_tunnel_means_that_nothing_was_delivered) {
  World().play(&proxy_refuses);
}

Task<void> environment(World& world) {
  RawServer proxy(world.loop);
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  EXPECT_TRUE(co_await fetch(world, "GET", world.url("/echo"))) << "loopback";
  std::string request;
  {
    const Beside beside(answer_what_came(proxy, request));
    EXPECT_TRUE(co_await fetch(world, "GET", "http://never-resolved.invalid/"));
  }
  EXPECT_THAT(request, StartsWith("GET http://never-resolved.invalid/"));
  ::setenv("no_proxy", "never-resolved.invalid", 1);
  HttpRequest excepted{"GET", "http://never-resolved.invalid/"};
  EXPECT_FALSE(co_await world.client->fetch(std::move(excepted), {world.loop.mono_now() + 2s}));
  ::unsetenv("no_proxy");
  const auto direct = make_http_client(world.loop, {.no_proxy_at_all = true});
  HttpRequest never{"GET", "http://never-resolved.invalid/"};
  const auto none = co_await direct->fetch(std::move(never), {world.loop.mono_now() + 2s});
  EXPECT_EQ(kind(none), ErrorKind::kUnavailable) << "looked up, not sent to the proxy";
  ::unsetenv("http_proxy");
}

TEST(HttpClientErrors, the_environments_proxy_is_used_but_not_for_loopback_nor_where_it_is_switched_off) {
  World().play(&environment);
}

}  // namespace
}  // namespace berth::runtime
