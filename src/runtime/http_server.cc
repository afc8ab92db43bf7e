#include "runtime/http_server.h"

#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <fmt/format.h>

#include "base/log.h"
#include "runtime/server_connection.h"

namespace berth::runtime {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

Error tls_error(const char* what, const error_code& error) {
  return Error{ErrorKind::kInvalid, "listen",
               fmt::format("the server's {} cannot be used: {}", what, error.message())};
}

Result<void> use_identity(asio::ssl::context& context, const TlsIdentity& identity) {
  error_code error;
  using Context = asio::ssl::context;
  if (context.set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                              Context::no_tlsv1 | Context::no_tlsv1_1,
                          error)) {
    return tls_error("TLS version", error);
  }
  if (context.use_certificate_chain(asio::buffer(identity.certificate_chain_pem), error)) {
    return tls_error("certificate", error);
  }
  if (context.use_private_key(asio::buffer(identity.private_key_pem), asio::ssl::context::pem, error)) {
    return tls_error("private key", error);
  }
  return {};
}

Result<void> bind_and_listen(asio::ip::tcp::acceptor& acceptor, const Endpoint& endpoint) {
  error_code error;
  const auto address =
      asio::ip::make_address(endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host, error);
  const std::string operation = fmt::format("listen on {}, port {}", endpoint.host, endpoint.port);
  if (error) {
    return Error{ErrorKind::kInvalid, operation, "the host is not an IP address (0.0.0.0: every interface)"};
  }
  const asio::ip::tcp::endpoint at(address, endpoint.port);
  const bool failed = acceptor.open(at.protocol(), error) ||
                      acceptor.set_option(asio::socket_base::reuse_address(true), error) ||
                      acceptor.bind(at, error) ||
                      acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!failed) {
    return {};
  }
  const bool taken = error == asio::error::address_in_use;
  return Error{taken ? ErrorKind::kAlreadyTaken : ErrorKind::kInvalid, operation,
               taken ? "another process listens there; stop it or choose another port" : error.message()};
}

}  // namespace

struct HttpServer::Listener : std::enable_shared_from_this<HttpServer::Listener> {
  Listener(Loop& its_loop, ports::HttpHandler& its_handler)
      : loop(its_loop), handler(its_handler), acceptor(its_loop.io_context()) {}

  void accept_next();
  void accepted(asio::ip::tcp::socket socket);
  static ports::Task<void> serve(Listener& listener, std::shared_ptr<ServerConnection> connection);

  Loop& loop;
  ports::HttpHandler& handler;
  asio::ip::tcp::acceptor acceptor;
  std::optional<asio::ssl::context> tls;
  std::uint16_t port = 0;
  std::set<std::shared_ptr<ServerConnection>> connections;
  ports::TaskScope serving;
  std::optional<Loop::TimerId> pause;
};

void HttpServer::Listener::accept_next() {
  // Weak: the callback may come when the server has gone.
  acceptor.async_accept([weak = weak_from_this()](error_code error, asio::ip::tcp::socket socket) {
    const auto self = weak.lock();
    if (!self || !self->acceptor.is_open()) {
      return;
    }
    if (!error) {
      self->accepted(std::move(socket));
      self->accept_next();
      return;
    }
    // Out of descriptors, most likely. At once it would fail again.
    Logger("http-server").warning(fmt::format("cannot accept a connection: {}", error.message()));
    self->pause = self->loop.call_at(self->loop.mono_now() + kAcceptPause, [&listener = *self] {
      listener.pause.reset();
      listener.accept_next();
    });
  });
}

void HttpServer::Listener::accepted(asio::ip::tcp::socket socket) {
  error_code ignored;  // the peer may have gone already; reading will tell
  ignored = socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  ignored = socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto connection =
      std::make_shared<ServerConnection>(loop, std::move(socket), tls ? &*tls : nullptr, handler);
  connections.insert(connection);
  serving.spawn(serve(*this, connection));
}

ports::Task<void> HttpServer::Listener::serve(Listener& listener,
                                              std::shared_ptr<ServerConnection> connection) {
  co_await connection->serve();
  listener.connections.erase(connection);
}

HttpServer::HttpServer(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}

HttpServer::~HttpServer() {
  error_code ignored;
  ignored = listener_->acceptor.close(ignored);
  if (listener_->pause) {
    listener_->loop.cancel(*listener_->pause);
  }
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop, Endpoint endpoint,
                                                       std::optional<TlsIdentity> tls,
                                                       ports::HttpHandler& handler) {
  auto listener = std::make_shared<Listener>(loop, handler);
  if (tls) {
    listener->tls.emplace(asio::ssl::context::tls_server);
    if (Result<void> used = use_identity(*listener->tls, *tls); !used) {
      return std::move(used).error();
    }
  }
  if (Result<void> listening = bind_and_listen(listener->acceptor, endpoint); !listening) {
    return std::move(listening).error();
  }
  error_code ignored;
  listener->port = listener->acceptor.local_endpoint(ignored).port();
  listener->accept_next();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listener)));
}

std::uint16_t HttpServer::port() const { return listener_->port; }

ports::Task<void> HttpServer::close(Duration patience) {
  Listener& listener = *listener_;
  error_code ignored;
  ignored = listener.acceptor.close(ignored);
  const std::vector<std::shared_ptr<ServerConnection>> open(listener.connections.begin(),
                                                            listener.connections.end());
  for (const auto& connection : open) {
    connection->end_soon();
  }
  const Loop::TimerId cut_off = listener.loop.call_at(listener.loop.mono_now() + patience, [&open] {
    for (const auto& connection : open) {
      connection->cut();
    }
  });
  co_await listener.serving.join();
  listener.loop.cancel(cut_off);
}

}  // namespace berth::runtime
