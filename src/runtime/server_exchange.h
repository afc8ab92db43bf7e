#pragma once
// One request and its reply, as bytes of HTTP/1.1. Private to the server.

#include <cstdint>
#include <string>

#include "ports/http.h"

namespace berth::runtime {

class ServerConnection;

class ServerExchange final : public ports::HttpResponder {
 public:
  struct Asked {
    bool head_only = false;  // HEAD: no body goes back
    bool keep_alive = true;  // what the client wants
    bool chunks = true;      // the client knows chunked bodies (HTTP/1.1)
  };
  ServerExchange(ServerConnection& connection, Asked asked) : connection_(connection), asked_(asked) {}

  ports::Task<Result<void>> reply(ports::HttpReply reply) override;
  ports::Task<Result<void>> begin(int status, ports::HttpHeaders headers) override;
  ports::Task<Result<void>> write(std::string piece) override;
  void drop() override;
  std::stop_token stop() const override;

  /// After the handler: ends the body. True where the connection can take another request.
  ports::Task<bool> finish();

 private:
  enum class State : std::uint8_t { kNothing, kBody, kDone, kDropped };

  /// Status line and headers, up to the empty line.
  std::string head(int status, const ports::HttpHeaders& headers, const std::string& framing);
  ports::Task<Result<void>> send(std::string bytes);

  ServerConnection& connection_;
  const Asked asked_;
  State state_ = State::kNothing;
  bool keep_alive_ = false;  // what the reply said
  bool broken_ = false;
};

}  // namespace berth::runtime
