#include "runtime/server_connection.h"

#include <chrono>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "runtime/server_exchange.h"

namespace berth::runtime {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::uint64_t kMaxBody = std::uint64_t{16} << 20U;
constexpr std::uint32_t kMaxHead = 64U << 10U;  // service account tokens and long selectors fit well

// A peer that starts and does not go on would hold its connection for ever.
constexpr auto kHandshakeTime = std::chrono::seconds(10);
constexpr auto kRequestTime = std::chrono::seconds(60);
constexpr auto kGoodbyeTime = std::chrono::seconds(1);

/// Cuts the connection unless it is destroyed in time.
class Watchdog {
 public:
  Watchdog(Loop& loop, Duration time, ServerConnection& connection)
      : loop_(loop), timer_(loop.call_at(loop.mono_now() + time, [&connection] { connection.cut(); })) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { loop_.cancel(timer_); }

 private:
  Loop& loop_;
  Loop::TimerId timer_;
};

using Parser = http::request_parser<http::string_body>;

ports::HttpRequest to_request(http::request<http::string_body> message) {
  ports::HttpRequest request{std::string(message.method_string()), std::string(message.target())};
  for (const auto& field : message) {
    request.headers.add(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

int refusal_status(const error_code& error) {
  if (error == http::error::body_limit) {
    return 413;
  }
  return error == http::error::header_limit ? 431 : 400;
}

}  // namespace

ServerConnection::ServerConnection(Loop& loop, asio::ip::tcp::socket socket, asio::ssl::context* tls,
                                   ports::HttpHandler& handler)
    : loop_(loop), socket_(std::move(socket)), handler_(handler) {
  if (tls != nullptr) {
    tls_.emplace(socket_, *tls);
  }
}

ports::Task<void> ServerConnection::serve() {
  if (co_await shake_hands()) {
    Next next = Next::kAnotherRequest;
    while (next == Next::kAnotherRequest) {
      next = co_await serve_one();
    }
    if (next == Next::kGoodbye) {
      co_await say_goodbye();
    } else if (next == Next::kRefused) {
      co_await discard_until_gone();
    }
  }
  cut();
}

void ServerConnection::end_soon() {
  ending_ = true;
  if (!handling_) {
    cut();
  }
  stop_.request_stop();
}

void ServerConnection::cut() {
  error_code ignored;
  ignored = socket_.close(ignored);  // what is under way ends with an error, from the loop
}

ports::Task<bool> ServerConnection::shake_hands() {
  if (!tls_) {
    co_return true;
  }
  const Watchdog watchdog(loop_, kHandshakeTime, *this);
  ports::Completion<bool> done;
  tls_->async_handshake(asio::ssl::stream_base::server,
                        [&done, self = shared_from_this()](error_code error) { done.set(!error); });
  co_return co_await done;
}

ports::Task<ServerConnection::Next> ServerConnection::serve_one() {
  Parser parser;
  parser.body_limit(kMaxBody);
  parser.header_limit(kMaxHead);
  if (unread_.empty() && !co_await fill()) {
    co_return Next::kGone;
  }
  {
    const Watchdog watchdog(loop_, kRequestTime, *this);
    while (!parser.is_done()) {
      const bool had_head = parser.is_header_done();
      error_code error;
      const std::size_t used = parser.put(asio::buffer(unread_), error);
      unread_.erase(0, used);
      if (error && error != http::error::need_more) {
        co_await refuse(refusal_status(error), error.message());
        co_return Next::kRefused;
      }
      if (!had_head && parser.is_header_done()) {
        parser.eager(true);
        if (!parser.is_done() && parser.get()[http::field::expect] == "100-continue" && unread_.empty()) {
          if (!co_await send("HTTP/1.1 100 Continue\r\n\r\n")) {
            co_return Next::kGone;
          }
        }
      } else if (used == 0 && !parser.is_done() && !co_await fill()) {
        co_return Next::kGone;
      }
    }
  }
  if (ending_) {
    co_return Next::kGone;
  }
  const bool chunks = parser.get().version() >= 11;
  ServerExchange exchange(*this, {.head_only = parser.get().method() == http::verb::head,
                                  .keep_alive = parser.get().keep_alive() && chunks,
                                  .chunks = chunks});
  if (unread_.empty() && !reading_ && !no_more_) {
    start_read();
  }
  handling_ = true;
  co_await handler_.handle(to_request(parser.release()), exchange);
  const bool another = co_await exchange.finish();
  handling_ = false;
  if (ending_) {
    co_return Next::kGone;  // the reply said so, and nobody waits for the peer to agree
  }
  co_return another ? Next::kAnotherRequest : Next::kGoodbye;
}

ports::Task<void> ServerConnection::refuse(int status, std::string why) {
  ServerExchange exchange(*this, {.keep_alive = false});
  // The connection ends now, whether or not the peer hears why.
  static_cast<void>(co_await exchange.reply(ports::HttpReply{
      status, {{"Content-Type", "text/plain"}}, fmt::format("this request is not accepted: {}\n", why)}));
}

ports::Task<void> ServerConnection::say_goodbye() {
  if (!socket_.is_open() || no_more_) {
    co_return;
  }
  if (!tls_) {
    co_await discard_until_gone();
    co_return;
  }
  const Watchdog watchdog(loop_, kGoodbyeTime, *this);
  ports::Completion<bool> done;
  tls_->async_shutdown([&done, self = shared_from_this()](error_code error) { done.set(!error); });
  co_await done;
}

/// To close with bytes unread would reset the connection, and the peer could lose the reply that says why.
ports::Task<void> ServerConnection::discard_until_gone() {
  const Watchdog watchdog(loop_, kGoodbyeTime, *this);
  if (!tls_) {
    error_code ignored;
    ignored = socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }
  while (co_await fill()) {
    unread_.clear();
  }
}

ports::Task<Result<void>> ServerConnection::send(std::string bytes) {
  ports::Completion<error_code> done;
  const auto on_sent = [&done, self = shared_from_this()](error_code error, std::size_t) { done.set(error); };
  if (tls_) {
    asio::async_write(*tls_, asio::buffer(bytes), on_sent);
  } else {
    asio::async_write(socket_, asio::buffer(bytes), on_sent);
  }
  const error_code error = co_await done;
  if (error) {
    stop_.request_stop();
    co_return Error{ErrorKind::kUnavailable, "reply", fmt::format("the peer has gone: {}", error.message())};
  }
  co_return Result<void>();
}

ports::Task<bool> ServerConnection::fill() {
  if (!reading_ && !no_more_) {
    start_read();
  }
  if (reading_) {
    ports::Completion<bool> read;
    reader_ = &read;
    co_await read;
  }
  co_return !no_more_;
}

void ServerConnection::start_read() {
  reading_ = true;
  const auto on_read = [self = shared_from_this()](error_code error, std::size_t size) {
    self->reading_ = false;
    if (error) {
      self->no_more_ = true;
      self->stop_.request_stop();
    } else {
      self->unread_.append(self->piece_.data(), size);
    }
    if (self->reader_ != nullptr) {
      std::exchange(self->reader_, nullptr)->set(true);
    }
  };
  if (tls_) {
    tls_->async_read_some(asio::buffer(piece_), on_read);
  } else {
    socket_.async_read_some(asio::buffer(piece_), on_read);
  }
}

}  // namespace berth::runtime
