#include "runtime/http_client.h"

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

Task<Result<HttpReply>> fetch(World& world, std::string method, std::string url, std::string body = {}) {
  HttpRequest request{std::move(method), std::move(url), {}, std::move(body)};
  co_return co_await world.client->fetch(std::move(request), world.soon());
}

/// Runs `side` beside the story.
struct Beside {
  explicit Beside(Task<void> side) { scope.spawn(std::move(side)); }
  ports::TaskScope scope;
};

// Requests and replies

Task<void> every_method(World& world) {
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    for (const std::string body : {"", "some bytes"}) {
      const auto reply = co_await fetch(world, method, world.url("/echo"), body);
      EXPECT_EQ(reply->status, 200);
      EXPECT_EQ(reply->body, body);
      EXPECT_EQ(reply->headers.find("x-method"), method);
      EXPECT_FALSE(reply->headers.find("X-Type")) << "no type is claimed that the caller did not give";
    }
  }
  const auto head = co_await fetch(world, "HEAD", world.url("/echo"));
  EXPECT_EQ(head->headers.find("x-method"), "HEAD");
  EXPECT_EQ(head->body, "");
}

TEST(HttpClient, sends_every_method_with_and_without_a_body) { World().play(&every_method); }

Task<void> answer_what_came(RawServer& server, std::string& request) {
  const auto peer = co_await server.accept();
  request = co_await peer->receive_message();
  co_await peer->send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
}

Task<void> bytes_of_a_request(World& world) {
  RawServer server(world.loop);
  std::string request;
  const Beside beside(answer_what_came(server, request));
  HttpRequest asked{"PATCH",
                    server.url() + "/a/../b?x=1%2F2",
                    {{"Content-Type", "application/merge-patch+json"}, {"X-Empty", ""}},
                    "{}"};
  const auto reply = co_await world.client->fetch(std::move(asked), world.soon());
  EXPECT_EQ(reply->status, 302) << "redirects are the caller's business";
  EXPECT_THAT(request, StartsWith("PATCH /a/../b?x=1%2F2 HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(request, HasSubstr("\r\nUser-Agent: berth/test\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept-Encoding: gzip\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nX-Empty:\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\n\r\n{}"));
}

TEST(HttpClient, sends_target_and_headers_as_they_are) {
  World({.user_agent = "berth/test"}).play(&bytes_of_a_request);
}

Task<void> send_canned(RawServer& server, std::string reply) {
  const auto peer = co_await server.accept();
  co_await peer->receive_message();
  co_await peer->send(std::move(reply));
}

Task<void> interim_replies(World& world) {
  RawServer server(world.loop);
  const Beside beside(send_canned(server,
                                  "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                                  "HTTP/1.1 200 OK\r\nX-One:  1 \r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "3\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n"));
  const auto reply = co_await fetch(world, "GET", server.url());
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->headers.find("X-One"), "1");
  EXPECT_FALSE(reply->headers.find("Link"));
  EXPECT_FALSE(reply->headers.find("X-Trailer"));
  EXPECT_EQ(reply->body, "abc");
}

TEST(HttpClient, gives_the_final_reply_without_interim_ones_and_trailers) { World().play(&interim_replies); }

Task<void> unpacks_gzip(World& world) {
  RawServer server(world.loop);
  // printf 'hello hello hello' | gzip -n
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xcb\x48\xcd\xc9"
      "\xc9\x57\xc8\x40\x90\x00\x80\x88\xf9\xe5\x11\x00\x00\x00",
      28);
  const Beside beside(send_canned(
      server, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 28\r\n\r\n" + packed));
  const auto reply = co_await fetch(world, "GET", server.url());
  EXPECT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply ? reply->body : "", "hello hello hello");
}

TEST(HttpClient, unpacks_a_reply_in_gzip) { World().play(&unpacks_gzip); }

Task<void> large(World& world, HttpRequest, HttpResponder& responder) {
  static_cast<void>(co_await responder.reply(HttpReply{200, {}, std::string(64 << 20, 'x')}));
  world.stopped.set();
}

Task<void> big_bodies(World& world) {
  world.routes.add("/large", &large);
  const std::string body(16 << 20, 'u');
  const auto up = co_await fetch(world, "POST", world.url("/echo"), body);
  EXPECT_EQ(up->body, body);
  const auto down = co_await fetch(world, "GET", world.url("/large"));
  EXPECT_EQ(down->body.size(), 64U << 20U);
}

TEST(HttpClient, carries_large_bodies_both_ways) { World().play(&big_bodies); }

// Connections

Task<void> answer_all(RawServer& server, int& requests) {
  const auto peer = co_await server.accept();
  while (!(co_await peer->receive_message()).empty()) {
    ++requests;
    co_await peer->send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  }
}

Task<void> one_connection(World& world) {
  RawServer server(world.loop);
  int requests = 0;
  Beside beside(answer_all(server, requests));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(co_await fetch(world, "POST", server.url(), "x"));
  }
  EXPECT_EQ(requests, 5) << "all over the only connection that was accepted";
  world.client.reset();
  co_await beside.scope.join();
}

TEST(HttpClient, keeps_and_reuses_a_connection) { World().play(&one_connection); }

/// The first connection serves one request and then dies on the second; the next one with a request serves.
Task<void> die_on_second(RawServer& server, std::vector<std::string>& requests) {
  {
    const auto peer = co_await server.accept();
    requests.push_back(co_await peer->receive_message());
    co_await peer->send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    requests.push_back(co_await peer->receive_message());
  }
  for (std::string request; request.empty();) {
    const auto peer = co_await server.accept();
    request = co_await peer->receive_message();
    if (!request.empty()) {
      requests.push_back(request);
      co_await peer->send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  }
}

Task<void> mutation_on_a_dying_connection(World& world) {
  for (const std::string method : {"POST", "PATCH", "PUT", "DELETE"}) {
    RawServer server(world.loop);
    std::vector<std::string> requests;
    Beside beside(die_on_second(server, requests));
    EXPECT_TRUE(co_await fetch(world, "GET", server.url()));
    const auto lost = co_await fetch(world, method, server.url() + "/change", "x");
    EXPECT_EQ(lost.error().kind, ErrorKind::kTimeout) << lost.error().message();
    EXPECT_TRUE(co_await fetch(world, "GET", server.url() + "/after")) << "the next call connects anew";
    co_await beside.scope.join();
    EXPECT_EQ(requests.size(), 3U);
    EXPECT_THAT(requests.back(), StartsWith("GET /after ")) << "and the change was sent once";
  }
}

// libcurl by itself would repeat it on a new connection.
TEST(HttpClient, R13_a_change_that_may_have_been_delivered_is_not_sent_twice) {
  World().play(&mutation_on_a_dying_connection);
}

Task<void> get_on_a_dying_connection(World& world) {
  RawServer server(world.loop);
  std::vector<std::string> requests;
  Beside beside(die_on_second(server, requests));
  EXPECT_TRUE(co_await fetch(world, "GET", server.url()));
  EXPECT_TRUE(co_await fetch(world, "GET", server.url() + "/again"));
  co_await beside.scope.join();
  EXPECT_EQ(requests.size(), 3U);
}

TEST(HttpClient, a_get_on_a_connection_that_dies_is_repeated_on_a_new_one) {
  World().play(&get_on_a_dying_connection);
}

Task<void> die_while_idle(RawServer& server, ports::Event& closed) {
  for (int i = 0; i < 2; ++i) {
    const auto peer = co_await server.accept();
    co_await peer->receive_message();
    co_await peer->send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    peer->close();
    closed.set();
  }
}

Task<void> post_after_idle_close(World& world) {
  RawServer server(world.loop);
  ports::Event closed(world.loop);
  const Beside beside(die_while_idle(server, closed));
  EXPECT_TRUE(co_await fetch(world, "POST", server.url(), "x"));
  co_await closed.wait(std::nullopt, {});
  const auto reply = co_await fetch(world, "POST", server.url(), "x");
  EXPECT_TRUE(reply) << reply.error().message();
}

TEST(HttpClient, a_connection_that_the_server_closed_while_idle_is_not_used_for_a_change) {
  World().play(&post_after_idle_close);
}

Task<void> fetch_into(World& world, int& good) {
  const auto reply = co_await fetch(world, "POST", world.url("/echo"), "x");
  good += reply && reply->body == "x" ? 1 : 0;
}

Task<void> five_hundred(World& world) {
  int good = 0;
  ports::TaskScope scope;
  for (int i = 0; i < 500; ++i) {
    scope.spawn(fetch_into(world, good));
  }
  co_await scope.join();
  EXPECT_EQ(good, 500);
}

TEST(HttpClient, five_hundred_calls_at_once_share_the_connections) { World().play(&five_hundred); }
TEST(HttpClient, five_hundred_calls_at_once_over_one_connection) {
  World({.max_connections_per_host = 1}).play(&five_hundred);
}
TEST(HttpClient, five_hundred_calls_at_once_over_five_hundred_connections) {
  World({.max_connections_per_host = 500}).play(&five_hundred);
}

Task<void> waits_for_a_connection(World& world) {
  world.routes.add("/hang", &hang);
  ports::TaskScope scope;
  const std::stop_source stop;
  scope.spawn([](World& w, std::stop_token token) -> Task<void> {
    const auto reply = co_await w.client->fetch({"GET", w.url("/hang")}, {w.loop.mono_now() + 20s, token});
    EXPECT_EQ(reply.error().kind, ErrorKind::kCancelled);
  }(world, stop.get_token()));
  co_await world.arrived.wait(std::nullopt, {});
  const int calls = world.routes.calls;
  HttpRequest request{"POST", world.url("/echo"), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(reply.error().kind, ErrorKind::kUnavailable) << "it never had a connection";
  EXPECT_EQ(world.routes.calls, calls);
  stop.request_stop();
  co_await scope.join();
  EXPECT_TRUE(co_await fetch(world, "GET", world.url("/echo"))) << "the slot is free again";
}

TEST(HttpClient, a_call_that_waited_for_a_connection_until_its_deadline_was_not_sent) {
  World({.max_connections_per_host = 1}).play(&waits_for_a_connection);
}

// Errors

Task<void> refused(World& world) {
  const std::string url = "http://127.0.0.1:" + std::to_string(closed_port(world.loop)) + "/x?secret=1";
  const auto reply = co_await fetch(world, "POST", url, "x");
  EXPECT_EQ(reply.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(reply.error().operation, StartsWith("POST http://127.0.0.1:"));
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("secret")));
  const auto stream = co_await world.client->open({"GET", url}, world.soon());
  EXPECT_EQ(stream.error().kind, ErrorKind::kUnavailable);
}

TEST(HttpClient, a_refused_connection_means_that_nothing_was_delivered) { World().play(&refused); }

Task<void> dropped(World& world) {
  world.routes.add("/drop", &drop);
  for (const std::string method : {"GET", "POST"}) {
    const auto reply = co_await fetch(world, method, world.url("/drop"), "x");
    EXPECT_EQ(reply.error().kind, ErrorKind::kTimeout) << reply.error().message();
  }
}

TEST(HttpClient, a_connection_lost_without_a_reply_means_that_the_outcome_is_unknown) {
  World().play(&dropped);
}

Task<void> deadline(World& world) {
  world.routes.add("/hang", &hang);
  co_await world.connect();
  HttpRequest request{"POST", world.url("/hang"), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(reply.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(reply.error().detail, HasSubstr("may have had its effect"));
  co_await world.stopped.wait(std::nullopt, {});
}

TEST(HttpClient, a_deadline_after_the_request_was_sent_is_a_timeout_and_ends_the_connection) {
  World().play(&deadline);
}

Task<void> no_handshake(World& world) {
  const RawServer silent(world.loop);
  HttpRequest request{"POST", "https://127.0.0.1:" + std::to_string(silent.port()), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(reply.error().kind, ErrorKind::kUnavailable) << reply.error().message();
  HttpRequest late{"POST", world.url("/echo"), {}, "x"};
  const auto passed = co_await world.client->fetch(std::move(late), {world.loop.mono_now()});
  EXPECT_EQ(passed.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpClient, a_deadline_before_the_connection_stands_means_that_nothing_was_delivered) {
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
  EXPECT_EQ(reply.error().kind, ErrorKind::kCancelled);
  co_await world.stopped.wait(std::nullopt, {});
  const int calls = world.routes.calls;
  const auto again =
      co_await world.client->fetch({"GET", world.url("/echo")}, {world.soon().deadline, stop.get_token()});
  EXPECT_EQ(again.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(world.routes.calls, calls) << "a call that is stopped beforehand sends nothing";
  co_await beside.scope.join();
}

TEST(HttpClient, a_call_ends_when_asked_to_stop) { World().play(&stopped); }

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

TEST(HttpClient, a_call_may_be_stopped_at_any_moment) { World().play(&stop_anywhere); }

Task<void> unusable(World& world) {
  for (const std::string url : {"", "not a url", "http://", "ftp://127.0.0.1/", "http://127.0.0.1:99999/",
                                "http://127.0.0.1/a\r\nX-Injected: 1"}) {
    const auto reply = co_await fetch(world, "GET", url);
    EXPECT_EQ(reply.error().kind, ErrorKind::kInvalid) << url;
  }
  HttpRequest request{"GET", world.url("/echo"), {{"X-Token", "hush\r\nX-Injected: 1"}}};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_EQ(reply.error().kind, ErrorKind::kInvalid);
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("hush")));
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpClient, a_url_or_header_that_cannot_be_sent_is_refused) { World().play(&unusable); }

Task<void> secrets(World& world) {
  const std::string at = "127.0.0.1:" + std::to_string(closed_port(world.loop));
  HttpRequest request{
      "POST", "http://user:hush@" + at + "/p?token=hush", {{"Authorization", "Bearer hush"}}, "hush"};
  request.sign = ports::AwsSigning{"hush", "hush", "hush", "eu-west-1", "ec2"};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_THAT(reply.error().message(), Not(HasSubstr("hush")));
  EXPECT_THAT(reply.error().message(), HasSubstr("POST http://" + at + "/p"));
}

TEST(HttpClient, an_error_never_shows_a_credential) { World().play(&secrets); }

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
    EXPECT_FALSE(reply) << given.reply;
    EXPECT_EQ(reply ? ErrorKind::kConflict : reply.error().kind, given.kind) << given.reply;
    co_await beside.scope.join();
  }
}

TEST(HttpClient, a_reply_that_breaks_off_is_unknown_and_one_that_is_not_http_is_said_to_be) {
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

TEST(HttpClient, a_proxy_that_is_named_is_used) { World().play(&through_proxy); }

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
  EXPECT_EQ(reply.error().kind, ErrorKind::kUnavailable) << reply.error().message();
}

TEST(HttpClient, a_proxy_that_refuses_the_tunnel_means_that_nothing_was_delivered) {
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
  EXPECT_EQ(none.error().kind, ErrorKind::kUnavailable) << "looked up, not sent to the proxy";
  ::unsetenv("http_proxy");
}

TEST(HttpClient, the_environments_proxy_is_used_but_not_for_loopback_nor_where_it_is_switched_off) {
  World().play(&environment);
}

}  // namespace
}  // namespace berth::runtime
