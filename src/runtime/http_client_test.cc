#include "runtime/http_client.h"

#include <chrono>
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
    EXPECT_EQ(kind(lost), ErrorKind::kTimeout);
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
    EXPECT_EQ(kind(reply), ErrorKind::kCancelled);
  }(world, stop.get_token()));
  co_await world.arrived.wait(std::nullopt, {});
  const int calls = world.routes.calls;
  HttpRequest request{"POST", world.url("/echo"), {}, "x"};
  const auto reply = co_await world.client->fetch(std::move(request), {world.loop.mono_now() + 20ms});
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable) << "it never had a connection";
  EXPECT_EQ(world.routes.calls, calls);
  stop.request_stop();
  co_await scope.join();
  EXPECT_TRUE(co_await fetch(world, "GET", world.url("/echo"))) << "the slot is free again";
}

TEST(HttpClient, a_call_that_waited_for_a_connection_until_its_deadline_was_not_sent) {
  World({.max_connections_per_host = 1}).play(&waits_for_a_connection);
}

}  // namespace
}  // namespace berth::runtime
