#include "runtime/server_exchange.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <iterator>
#include <utility>

#include <boost/beast/http/status.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/check.h"
#include "runtime/server_connection.h"

namespace berth::runtime {
namespace {

/// The server's own to say: it frames the body.
bool is_framing(std::string_view name) {
  constexpr std::array<std::string_view, 3> framing_names = {"content-length", "transfer-encoding",
                                                             "connection"};
  return std::ranges::any_of(framing_names, [name](std::string_view own) {
    return std::ranges::equal(name, own,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  });
}

/// A line break in a value would start a header, or a reply, of somebody else's making.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

std::string ServerExchange::head(int status, const ports::HttpHeaders& headers, const std::string& framing) {
  keep_alive_ = asked_.keep_alive && !connection_.ending();
  const std::string_view words =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(status)));
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", status, words);
  out += fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", fmt::gmtime(std::time(nullptr)));
  for (const auto& [name, value] : headers) {
    if (!is_framing(name)) {
      out += one_line(name) + ": " + one_line(value) + "\r\n";
    }
  }
  out += framing;
  return out + (keep_alive_ ? "\r\n" : "Connection: close\r\n\r\n");
}

ports::Task<Result<void>> ServerExchange::send(std::string bytes) {
  if (state_ == State::kDropped) {
    co_return Error{ErrorKind::kUnavailable, "reply", "this connection was dropped"};
  }
  Result<void> sent = co_await connection_.send(std::move(bytes));
  broken_ = broken_ || !sent;
  co_return sent;
}

ports::Task<Result<void>> ServerExchange::reply(ports::HttpReply reply) {
  CHECK(state_ == State::kNothing || state_ == State::kDropped);
  std::string bytes = head(
      reply.status, reply.headers,
      may_have_body(reply.status) ? fmt::format("Content-Length: {}\r\n", reply.body.size()) : std::string());
  if (may_have_body(reply.status) && !asked_.head_only) {
    bytes += reply.body;
  }
  if (state_ != State::kDropped) {
    state_ = State::kDone;
  }
  co_return co_await send(std::move(bytes));
}

ports::Task<Result<void>> ServerExchange::begin(int status, ports::HttpHeaders headers) {
  CHECK(state_ == State::kNothing || state_ == State::kDropped);
  std::string bytes = head(status, headers, asked_.chunks ? "Transfer-Encoding: chunked\r\n" : "");
  if (state_ != State::kDropped) {
    state_ = State::kBody;
  }
  co_return co_await send(std::move(bytes));
}

ports::Task<Result<void>> ServerExchange::write(std::string piece) {
  CHECK(state_ == State::kBody || state_ == State::kDropped);
  if (piece.empty() || asked_.head_only) {
    co_return Result<void>();  // an empty chunk would end the body
  }
  if (asked_.chunks) {
    piece = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  co_return co_await send(std::move(piece));
}

void ServerExchange::drop() {
  state_ = State::kDropped;
  connection_.cut();
}

std::stop_token ServerExchange::stop() const { return connection_.stop(); }

ports::Task<bool> ServerExchange::finish() {
  // Where sending fails, broken_ says so.
  if (state_ == State::kNothing) {
    static_cast<void>(co_await reply(
        ports::HttpReply{500, {{"Content-Type", "text/plain"}}, "the handler gave no reply\n"}));
  } else if (state_ == State::kBody && asked_.chunks && !asked_.head_only && !broken_) {
    static_cast<void>(co_await send("0\r\n\r\n"));
  }
  co_return keep_alive_ && !broken_ && state_ != State::kDropped;
}

}  // namespace berth::runtime
