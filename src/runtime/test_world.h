#pragma once
// For the tests of this folder: one loop with a server of our own, a client of our own, and peers that say
// exactly the bytes that a test tells them to.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "ports/completion.h"
#include "ports/event.h"
#include "runtime/http_client.h"
#include "runtime/http_server.h"
#include "runtime/loop.h"

namespace berth::runtime::testing {

using namespace std::chrono_literals;
using boost::system::error_code;
using ports::CallLimits;
using ports::HttpReply;
using ports::HttpRequest;
using ports::HttpResponder;
using ports::Task;
using Tcp = boost::asio::ip::tcp;

class RawSocket {
 public:
  explicit RawSocket(Tcp::socket socket) : socket_(std::move(socket)) {}

  static Task<std::unique_ptr<RawSocket>> connect(Loop& loop, std::uint16_t port) {
    Tcp::socket socket(loop.io_context());
    ports::Completion<bool> done;
    socket.async_connect({boost::asio::ip::address_v4::loopback(), port},
                         [&done](error_code error) { done.set(!error); });
    EXPECT_TRUE(co_await done);
    co_return std::make_unique<RawSocket>(std::move(socket));
  }

  Task<bool> send(std::string bytes) {
    ports::Completion<bool> done;
    boost::asio::async_write(socket_, boost::asio::buffer(bytes),
                             [&done](error_code error, std::size_t) { done.set(!error); });
    co_return co_await done;
  }

  /// Up to and with `mark`; at the end of the connection what there is.
  Task<std::string> receive_until(std::string mark) {
    std::size_t at = std::string::npos;
    while ((at = received_.find(mark)) == std::string::npos && co_await fill()) {
    }
    const std::size_t size = at == std::string::npos ? received_.size() : at + mark.size();
    std::string out = received_.substr(0, size);
    received_.erase(0, size);
    co_return out;
  }

  Task<std::string> receive_all() {
    while (co_await fill()) {
    }
    co_return std::exchange(received_, {});
  }

  /// One message with its Content-Length; empty at the end of the connection.
  Task<std::string> receive_message() {
    std::string message = co_await receive_until("\r\n\r\n");
    const std::size_t at = message.find("Content-Length: ");
    const std::size_t size = at == std::string::npos ? 0 : std::stoul(message.substr(at + 16));
    while (received_.size() < size && co_await fill()) {
    }
    message += received_.substr(0, size);
    received_.erase(0, size);
    co_return message;
  }

  void close() {
    error_code ignored;
    ignored = socket_.close(ignored);
  }

 private:
  Task<bool> fill() {
    ports::Completion<std::size_t> done;
    std::string piece(65536, '\0');
    socket_.async_read_some(boost::asio::buffer(piece),
                            [&done](error_code error, std::size_t size) { done.set(error ? 0 : size); });
    const std::size_t size = co_await done;
    received_.append(piece, 0, size);
    co_return size > 0;
  }

  Tcp::socket socket_;
  std::string received_;
};

class RawServer {
 public:
  explicit RawServer(Loop& loop)
      : acceptor_(loop.io_context(), {boost::asio::ip::address_v4::loopback(), 0}) {}

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }

  Task<std::unique_ptr<RawSocket>> accept() {
    ports::Completion<bool> done;
    std::optional<Tcp::socket> accepted;
    acceptor_.async_accept([&done, &accepted](error_code error, Tcp::socket socket) {
      accepted.emplace(std::move(socket));
      done.set(!error);
    });
    EXPECT_TRUE(co_await done);
    co_return std::make_unique<RawSocket>(std::move(*accepted));
  }

 private:
  Tcp::acceptor acceptor_;
};

/// The port of a listener that has gone.
inline std::uint16_t closed_port(Loop& loop) { return RawServer(loop).port(); }

struct World;

/// Serves each path with a function of the test; /echo is there already.
class Routes final : public ports::HttpHandler {
 public:
  using Route = Task<void> (*)(World&, HttpRequest, HttpResponder&);

  explicit Routes(World& world) : world_(world) {}
  void add(std::string path, Route route) { routes_[std::move(path)] = route; }

  Task<void> handle(HttpRequest request, HttpResponder& responder) override {
    ++calls;
    const auto found = routes_.find(request.target);
    if (found != routes_.end()) {
      co_await found->second(world_, std::move(request), responder);
      co_return;
    }
    HttpReply reply{200, {{"X-Method", request.method}}, request.body};
    if (const auto type = request.headers.find("Content-Type")) {
      reply.headers.add("X-Type", std::string(*type));
    }
    static_cast<void>(co_await responder.reply(std::move(reply)));
  }

  int calls = 0;

 private:
  World& world_;
  std::map<std::string, Route> routes_;
};

struct World {
  explicit World(HttpClientOptions options = {}, std::optional<TlsIdentity> tls = std::nullopt)
      : scheme(tls ? "https://" : "http://"), client(make_http_client(loop, std::move(options))) {
    auto listening = HttpServer::listen(loop, {}, std::move(tls), routes);
    EXPECT_TRUE(listening) << listening.error().message();
    server = std::move(listening).value();
  }

  std::string url(const std::string& path) const {
    return scheme + "127.0.0.1:" + std::to_string(server->port()) + path;
  }
  CallLimits soon() const { return {loop.mono_now() + 20s}; }

  /// Leaves a connection to be reused, so that the next call is sent at once, however slow the machine is.
  Task<void> connect() { EXPECT_TRUE(co_await client->fetch({"GET", url("/echo")}, soon())); }

  /// The story, then the end of client and server. A story that hangs ends the test program.
  void play(Task<void> (*story)(World&)) {
    const auto hang = loop.call_at(loop.mono_now() + 60s, [] {
      std::fputs("the test hangs\n", stderr);
      std::abort();
    });
    EXPECT_EQ(loop.run(whole(*this, story)), 0);
    loop.cancel(hang);
  }

  Loop loop;
  Routes routes{*this};
  std::string scheme;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<ports::HttpClient> client;
  // What routes tell the story, and what it tells them.
  ports::Event arrived{loop};
  ports::Event go_on{loop};
  ports::Event stopped{loop};
  std::size_t written = 0;

 private:
  static Task<int> whole(World& world, Task<void> (*story)(World&)) {
    co_await story(world);
    world.client.reset();
    if (world.server) {
      co_await world.server->close();
    }
    co_return 0;
  }
};

/// Nothing where there is no error.
template <class T>
std::optional<ErrorKind> kind(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().kind);
}

inline Task<Result<HttpReply>> fetch(World& world, std::string method, std::string url,
                                     std::string body = {}) {
  HttpRequest request{std::move(method), std::move(url), {}, std::move(body)};
  co_return co_await world.client->fetch(std::move(request), world.soon());
}

/// Runs `side` beside the story.
struct Beside {
  explicit Beside(Task<void> side) { scope.spawn(std::move(side)); }
  ports::TaskScope scope;
};

inline Task<void> answer_what_came(RawServer& server, std::string& request) {
  const auto peer = co_await server.accept();
  request = co_await peer->receive_message();
  co_await peer->send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
}

inline Task<void> send_canned(RawServer& server, std::string reply) {
  const auto peer = co_await server.accept();
  co_await peer->receive_message();
  co_await peer->send(std::move(reply));
}

// Routes that several tests use.

inline Task<void> drop(World&, HttpRequest, HttpResponder& responder) {
  responder.drop();
  co_return;
}

/// No reply until asked to stop.
inline Task<void> hang(World& world, HttpRequest, HttpResponder& responder) {
  world.arrived.set();
  ports::Event never(world.loop);
  co_await never.wait(std::nullopt, responder.stop());
  world.stopped.set();
}

/// Pieces until the peer has gone or the server closes.
inline Task<void> stream_until_stopped(World& world, HttpRequest, HttpResponder& responder) {
  Result<void> good = co_await responder.begin(200, {});
  while (good && !responder.stop().stop_requested()) {
    world.arrived.set();
    good = co_await responder.write("piece\n");
    ports::Event never(world.loop);
    co_await never.wait(std::nullopt, responder.stop());
  }
  world.stopped.set();
}

}  // namespace berth::runtime::testing
