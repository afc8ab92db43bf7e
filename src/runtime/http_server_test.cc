#include "runtime/http_server.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "runtime/test_world.h"

namespace berth::runtime {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Peer = std::unique_ptr<RawSocket>;

Task<Peer> connect(World& world) { return RawSocket::connect(world.loop, world.server->port()); }

/// What the server answers to these bytes, up to its end of the connection.
Task<std::string> answer(World& world, std::string bytes) {
  const Peer peer = co_await connect(world);
  EXPECT_TRUE(co_await peer->send(std::move(bytes)));
  co_return co_await peer->receive_all();
}

Task<void> malformed(World& world) {
  for (const std::string bytes : {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
                                  "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n"}) {
    EXPECT_THAT(co_await answer(world, bytes), StartsWith("HTTP/1.1 400 Bad Request\r\n")) << bytes;
  }
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpServer, a_malformed_request_gets_400_and_the_end) { World().play(&malformed); }

Task<void> too_large(World& world) {
  EXPECT_THAT(co_await answer(world, "POST / HTTP/1.1\r\nContent-Length: 16777217\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(co_await answer(world, "GET / HTTP/1.1\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  // A client that sends it all hears of it too, and not only that the connection was reset.
  HttpRequest request{"POST", world.url("/echo"), {}, std::string((16 << 20) + 1, 'x')};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply ? reply->status : 0, 413);
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(HttpServer, a_request_beyond_its_limits_is_refused_by_name) { World().play(&too_large); }

Task<void> pipelined(World& world) {
  const Peer peer = co_await connect(world);
  co_await peer->send(
      "POST /echo HTTP/1.1\r\nContent-Length: 1\r\n\r\n1POST /echo HTTP/1.1\r\nContent-Length: 1\r\n\r\n2");
  EXPECT_THAT(co_await peer->receive_message(), HasSubstr("\r\n\r\n1"));
  EXPECT_THAT(co_await peer->receive_message(), HasSubstr("\r\n\r\n2"));
  co_await peer->send("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na");
  co_await peer->send("bc\r\n0\r\n\r\n");
  EXPECT_THAT(co_await peer->receive_message(), HasSubstr("\r\n\r\nabc"));
}

TEST(HttpServer, requests_on_one_connection_are_answered_in_order) { World().play(&pipelined); }

Task<void> last_request(World& world) {
  const std::string reply = co_await answer(world, "GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(reply, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(reply, HasSubstr("\r\nContent-Length: 0\r\n"));
}

TEST(HttpServer, a_client_that_wants_no_other_request_gets_the_end) { World().play(&last_request); }

Task<void> stream_abc(World&, HttpRequest, HttpResponder& responder) {
  static_cast<void>(co_await responder.begin(200, {}));
  static_cast<void>(co_await responder.write("abc"));
}

Task<void> framing(World& world) {
  world.routes.add("/stream", &stream_abc);
  const std::string new_client = co_await answer(world, "GET /stream HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(new_client, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(new_client, HasSubstr("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
  const std::string old_client = co_await answer(world, "GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old_client, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(old_client, HasSubstr("\r\n\r\nabc"));
  const std::string head = co_await answer(world, "HEAD /stream HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(head, Not(HasSubstr("abc")));
}

TEST(HttpServer, a_body_of_unknown_length_is_framed_as_the_client_can_read_it) { World().play(&framing); }

Task<void> expects_100(World& world) {
  const Peer peer = co_await connect(world);
  co_await peer->send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(co_await peer->receive_message(), "HTTP/1.1 100 Continue\r\n\r\n");
  co_await peer->send("abc");
  EXPECT_THAT(co_await peer->receive_message(), HasSubstr("\r\n\r\nabc"));
}

TEST(HttpServer, a_client_that_waits_for_100_continue_gets_it) { World().play(&expects_100); }

Task<void> reply_204(World&, HttpRequest, HttpResponder& responder) {
  static_cast<void>(
      co_await responder.reply(HttpReply{204, {{"X-A", "b\r\nInjected: 1"}, {"Content-Length", "9"}}, ""}));
}
Task<void> forget(World&, HttpRequest, HttpResponder&) { co_return; }

Task<void> odd_handlers(World& world) {
  world.routes.add("/204", &reply_204);
  world.routes.add("/forget", &forget);
  const auto none = co_await world.client->fetch({"GET", world.url("/204")}, world.soon());
  EXPECT_EQ(none->status, 204);
  EXPECT_EQ(none->headers.find("X-A"), "b  Injected: 1") << "a header's value cannot start another header";
  EXPECT_FALSE(none->headers.find("Injected"));
  EXPECT_FALSE(none->headers.find("Content-Length"));
  const auto forgot = co_await world.client->fetch({"GET", world.url("/forget")}, world.soon());
  EXPECT_EQ(forgot->status, 500);
}

TEST(HttpServer, replies_stay_well_formed_whatever_a_handler_does) { World().play(&odd_handlers); }

Task<void> vanished_peer(World& world) {
  world.routes.add("/hang", &hang);
  const Peer peer = co_await connect(world);
  co_await peer->send("GET /hang HTTP/1.1\r\n\r\n");
  co_await world.arrived.wait(std::nullopt, {});
  EXPECT_FALSE(world.stopped.is_set());
  peer->close();
  co_await world.stopped.wait(std::nullopt, {});
}

TEST(HttpServer, a_handler_is_asked_to_stop_when_its_client_has_gone) { World().play(&vanished_peer); }

Task<void> closing(World& world) {
  world.routes.add("/hang", &hang);
  const Peer idle = co_await connect(world);
  co_await idle->send("GET /echo HTTP/1.1\r\n\r\n");
  co_await idle->receive_message();
  const Peer never_asked = co_await connect(world);
  const Peer half = co_await connect(world);
  co_await half->send("POST /echo HTTP/1.1\r\nContent-Le");
  const Peer waiting = co_await connect(world);
  co_await waiting->send("GET /hang HTTP/1.1\r\n\r\n");
  co_await world.arrived.wait(std::nullopt, {});
  const std::uint16_t port = world.server->port();
  co_await world.server->close();
  EXPECT_TRUE(world.stopped.is_set());
  EXPECT_EQ(co_await idle->receive_all(), "");
  EXPECT_EQ(co_await never_asked->receive_all(), "");
  EXPECT_EQ(co_await half->receive_all(), "");
  EXPECT_THAT(co_await waiting->receive_all(), StartsWith("HTTP/1.1 500 ")) << "its handler gave no reply";
  world.server.reset();
  const auto reply =
      co_await world.client->fetch({"GET", "http://127.0.0.1:" + std::to_string(port)}, world.soon());
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable) << "nobody listens any more";
}

TEST(HttpServer, close_ends_idle_connections_and_waits_for_handlers) { World().play(&closing); }

Task<void> write_without_end(World& world, HttpRequest, HttpResponder& responder) {
  Result<void> good = co_await responder.begin(200, {});
  while (good) {  // deaf to stop()
    world.arrived.set();
    good = co_await responder.write(std::string(1 << 20, 'x'));
  }
  world.stopped.set();
}

Task<void> deaf_reader(World& world) {
  world.routes.add("/endless", &write_without_end);
  const Peer peer = co_await connect(world);
  co_await peer->send("GET /endless HTTP/1.1\r\n\r\n");
  co_await world.arrived.wait(std::nullopt, {});
  co_await world.server->close(10ms);
  EXPECT_TRUE(world.stopped.is_set());
  world.server.reset();
}

TEST(HttpServer, close_cuts_off_a_client_that_does_not_read) { World().play(&deaf_reader); }

Task<void> listening(World& world) {
  Routes routes(world);
  const auto taken =
      HttpServer::listen(world.loop, {"127.0.0.1", world.server->port()}, std::nullopt, routes);
  EXPECT_EQ(kind(taken), ErrorKind::kAlreadyTaken);
  EXPECT_EQ(taken.error().message(), "listen on 127.0.0.1, port " + std::to_string(world.server->port()) +
                                         ": another process listens there; stop it or choose another port");
  const auto name = HttpServer::listen(world.loop, {"example.org", 0}, std::nullopt, routes);
  EXPECT_EQ(kind(name), ErrorKind::kInvalid);
  const auto foreign = HttpServer::listen(world.loop, {"192.0.2.1", 0}, std::nullopt, routes);
  EXPECT_EQ(kind(foreign), ErrorKind::kInvalid) << "not an address of this machine";
  const auto no_key = HttpServer::listen(world.loop, {}, TlsIdentity{"nonsense", "nonsense"}, routes);
  EXPECT_EQ(kind(no_key), ErrorKind::kInvalid);
  EXPECT_THAT(no_key.error().detail, HasSubstr("certificate"));
  co_return;
}

TEST(HttpServer, what_keeps_it_from_listening_is_said) { World().play(&listening); }

TEST(HttpServer, one_that_nobody_connected_to_may_go_without_close) {
  World world;
  world.server.reset();
}

}  // namespace
}  // namespace berth::runtime
