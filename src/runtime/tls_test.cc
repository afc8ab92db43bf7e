#include <memory>
#include <string>
#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <gmock/gmock.h>

#include "runtime/test_certificates.h"
#include "runtime/test_world.h"

namespace berth::runtime {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const TestAuthority& authority() {
  static const TestAuthority ours("our CA");
  return ours;
}

Task<Result<HttpReply>> post(World& world) {
  HttpRequest request{"POST", world.url("/echo"), {}, "x"};
  co_return co_await world.client->fetch(std::move(request), world.soon());
}

Task<void> served(World& world) {
  for (int i = 0; i < 3; ++i) {
    const auto reply = co_await post(world);
    EXPECT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply ? reply->body : "", "x");
  }
}

Task<void> not_trusted(World& world) {
  const auto reply = co_await post(world);
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable);
  EXPECT_EQ(world.routes.calls, 0) << "nothing was delivered";
}

TEST(Tls, a_server_with_a_certificate_of_the_given_authority_is_trusted) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("IP:127.0.0.1")).play(&served);
}

TEST(Tls, a_server_of_another_authority_is_not_trusted) {
  World({.ca_pem = TestAuthority("another CA").ca_pem()}, authority().issue("IP:127.0.0.1"))
      .play(&not_trusted);
}

TEST(Tls, the_systems_authorities_do_not_know_ours) {
  World({}, authority().issue("IP:127.0.0.1")).play(&not_trusted);
}

Task<void> other_host(World& world) {
  const auto reply = co_await post(world);
  EXPECT_EQ(kind(reply), ErrorKind::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("127.0.0.1"));
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(Tls, a_certificate_for_another_host_is_not_trusted) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("DNS:elsewhere.example")).play(&other_host);
}

Task<void> sees_host(World& world, HttpRequest request, HttpResponder& responder) {
  EXPECT_EQ(request.headers.find("Host"), "127.0.0.1:" + std::to_string(world.server->port()));
  static_cast<void>(co_await responder.reply(HttpReply{200, {}, request.body}));
}

Task<void> served_by_other_name(World& world) {
  world.routes.add("/echo", &sees_host);
  co_await served(world);
}

TEST(Tls, the_name_to_expect_may_be_told) {
  World({.ca_pem = authority().ca_pem(), .tls_server_name = "elsewhere.example"},
        authority().issue("DNS:elsewhere.example"))
      .play(&served_by_other_name);
  World({.ca_pem = authority().ca_pem(), .tls_server_name = "other.example"},
        authority().issue("DNS:elsewhere.example,IP:127.0.0.1"))
      .play(&not_trusted);
}

TEST(Tls, verification_can_be_switched_off) {
  World({.insecure_skip_verify = true}, TestAuthority("another CA").issue("DNS:elsewhere.example"))
      .play(&served);
}

Task<void> invalid(World& world) {
  const auto reply = co_await post(world);
  EXPECT_EQ(kind(reply), ErrorKind::kInvalid);
  EXPECT_EQ(world.routes.calls, 0);
}

TEST(Tls, a_certificate_or_key_that_cannot_be_read_is_invalid) {
  const TlsIdentity good = authority().issue("IP:127.0.0.1");
  World({.ca_pem = "nonsense"}, good).play(&invalid);
  World({.ca_pem = authority().ca_pem(), .client_certificate_pem = "nonsense", .client_key_pem = "nonsense"},
        good)
      .play(&invalid);
  World({.ca_pem = authority().ca_pem(),
         .client_certificate_pem = good.certificate_chain_pem,
         .client_key_pem = authority().issue("DNS:x").private_key_pem},
        good)
      .play(&invalid);
}

/// A server that asks who calls and says it in its reply.
Task<void> ask_who_calls(World& world, Tcp::acceptor& acceptor, boost::asio::ssl::context& context) {
  using Socket = boost::asio::ssl::stream<Tcp::socket>;
  ports::Completion<bool> accepted;
  Socket stream(world.loop.io_context(), context);
  acceptor.async_accept(stream.next_layer(), [&accepted](error_code error) { accepted.set(!error); });
  EXPECT_TRUE(co_await accepted);
  ports::Completion<bool> shaken;
  stream.async_handshake(boost::asio::ssl::stream_base::server,
                         [&shaken](error_code error) { shaken.set(!error); });
  EXPECT_TRUE(co_await shaken);
  const std::unique_ptr<X509, decltype(&X509_free)> caller(SSL_get1_peer_certificate(stream.native_handle()),
                                                           &X509_free);
  EXPECT_TRUE(caller);
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  ports::Completion<bool> sent;
  boost::asio::async_write(stream, boost::asio::buffer(reply),
                           [&sent](error_code error, std::size_t) { sent.set(!error); });
  EXPECT_TRUE(co_await sent);
}

Task<void> client_certificate(World& world) {
  const TlsIdentity server = authority().issue("IP:127.0.0.1");
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_server);
  context.use_certificate_chain(boost::asio::buffer(server.certificate_chain_pem));
  context.use_private_key(boost::asio::buffer(server.private_key_pem), boost::asio::ssl::context::pem);
  context.add_certificate_authority(boost::asio::buffer(authority().ca_pem()));
  context.set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
  Tcp::acceptor acceptor(world.loop.io_context(), {boost::asio::ip::address_v4::loopback(), 0});
  ports::TaskScope scope;
  scope.spawn(ask_who_calls(world, acceptor, context));
  const std::string url = "https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
  const auto reply = co_await world.client->fetch({"GET", url}, world.soon());
  EXPECT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply ? reply->body : "", "ok");
  co_await scope.join();
}

TEST(Tls, a_client_shows_its_certificate_to_a_server_that_asks) {
  const TlsIdentity client = authority().issue("DNS:client.example");
  World({.ca_pem = authority().ca_pem(),
         .client_certificate_pem = client.certificate_chain_pem,
         .client_key_pem = client.private_key_pem})
      .play(&client_certificate);
}

Task<void> vanished_peer(World& world) {
  world.routes.add("/hang", &hang);
  world.routes.add("/forever", &stream_until_stopped);
  co_await world.connect();
  const auto reply =
      co_await world.client->fetch({"GET", world.url("/hang")}, {world.loop.mono_now() + 20ms});
  EXPECT_EQ(kind(reply), ErrorKind::kTimeout);
  co_await world.stopped.wait(std::nullopt, {});
  world.stopped.reset();
  {
    const auto stream = co_await world.client->open({"GET", world.url("/forever")}, world.soon());
    EXPECT_EQ(*co_await (*stream)->read(world.soon()), "piece\n");
  }
  co_await world.stopped.wait(std::nullopt, {});
}

TEST(Tls, a_handler_is_asked_to_stop_when_its_client_has_gone) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("IP:127.0.0.1")).play(&vanished_peer);
}

Task<void> large_bodies(World& world) {
  HttpRequest request{"POST", world.url("/echo"), {}, std::string(16 << 20, 'x')};
  const auto reply = co_await world.client->fetch(std::move(request), world.soon());
  EXPECT_EQ(reply->body.size(), 16U << 20U);
  HttpRequest beyond{"POST", world.url("/echo"), {}, std::string((16 << 20) + 1, 'x')};
  const auto refused = co_await world.client->fetch(std::move(beyond), world.soon());
  EXPECT_TRUE(refused) << refused.error().message();
  EXPECT_EQ(refused ? refused->status : 0, 413);
}

TEST(Tls, carries_large_bodies_and_refuses_larger_ones) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("IP:127.0.0.1")).play(&large_bodies);
}

Task<void> last_request(World& world) {
  for (int i = 0; i < 3; ++i) {
    HttpRequest request{"POST", world.url("/echo"), {{"Connection", "close"}}, "x"};
    const auto reply = co_await world.client->fetch(std::move(request), world.soon());
    EXPECT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply ? reply->headers.find("Connection") : std::nullopt, "close");
  }
}

TEST(Tls, a_client_that_wants_no_other_request_gets_the_end) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("IP:127.0.0.1")).play(&last_request);
}

Task<void> fetch_into(World& world, int& good) {
  const auto reply = co_await post(world);
  good += reply && reply->body == "x" ? 1 : 0;
}

Task<void> many(World& world) {
  int good = 0;
  ports::TaskScope scope;
  for (int i = 0; i < 500; ++i) {
    scope.spawn(fetch_into(world, good));
  }
  co_await scope.join();
  EXPECT_EQ(good, 500);
}

TEST(Tls, five_hundred_calls_at_once) {
  World({.ca_pem = authority().ca_pem()}, authority().issue("IP:127.0.0.1")).play(&many);
}

}  // namespace
}  // namespace berth::runtime
