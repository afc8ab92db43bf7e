#pragma once
// One accepted connection: its requests one after the other, each handed to the handler, and the end of the
// peer noticed meanwhile. Private to the server.

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "base/result.h"
#include "ports/completion.h"
#include "ports/http.h"
#include "ports/task.h"
#include "runtime/loop.h"

namespace berth::runtime {

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  /// `tls` (null: none) and `handler` live until serve() has ended.
  ServerConnection(Loop& loop, boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls,
                   ports::HttpHandler& handler);

  /// Until the peer or the server ends the connection.
  ports::Task<void> serve();

  /// Ends it at once if no handler is running, else asks the handler to stop and ends it after the reply.
  void end_soon();
  /// Breaks it off.
  void cut();

  // For the exchange under way.
  /// kUnavailable once the peer has gone.
  ports::Task<Result<void>> send(std::string bytes);
  std::stop_token stop() const { return stop_.get_token(); }
  bool ending() const { return ending_; }

 private:
  enum class Next { kAnotherRequest, kGoodbye, kGone, kRefused };

  ports::Task<bool> shake_hands();
  ports::Task<Next> serve_one();
  ports::Task<void> refuse(int status, std::string why);
  ports::Task<void> say_goodbye();
  ports::Task<void> discard_until_gone();

  /// More bytes into unread_; false when there will be none. Joins a read that is under way.
  ports::Task<bool> fill();
  void start_read();

  Loop& loop_;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  ports::HttpHandler& handler_;
  std::stop_source stop_;
  bool ending_ = false;
  bool handling_ = false;

  // Reading goes on while a handler runs: that is how the end of the peer is noticed.
  std::array<char, 16384> piece_;
  std::string unread_;
  bool reading_ = false;
  bool no_more_ = false;  // the peer's end, or an error
  ports::Completion<bool>* reader_ = nullptr;
};

}  // namespace berth::runtime
