#pragma once
// The real HTTP server: HTTP/1.1 with keep-alive on one address, with or without TLS. It knows nothing of
// what is served; a ports::HttpHandler does.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ports/http.h"
#include "ports/task.h"
#include "runtime/loop.h"

namespace berth::runtime {

struct Endpoint {
  std::string host = "127.0.0.1";  // an IP address or "localhost"; 0.0.0.0 or :: for every interface
  std::uint16_t port = 0;          // 0: any that is free
};

struct TlsIdentity {
  std::string certificate_chain_pem;  // the server's own certificate first
  std::string private_key_pem;
};

class HttpServer {
 public:
  /// Listens at once. kInvalid for an address, certificate or key that cannot be used; kAlreadyTaken where
  /// somebody else listens there. `handler` lives until close() has returned.
  static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, Endpoint endpoint,
                                                    std::optional<TlsIdentity> tls,
                                                    ports::HttpHandler& handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Once anybody has connected, close() must have returned before.
  ~HttpServer();

  std::uint16_t port() const;

  /// Accepts no more, closes idle connections, asks the handlers to stop (HttpResponder::stop) and returns
  /// when the last of them has. A peer that has not taken its reply after `patience` is cut off.
  ports::Task<void> close(Duration patience = std::chrono::seconds(5));

 private:
  struct Listener;
  explicit HttpServer(std::shared_ptr<Listener> listener);

  std::shared_ptr<Listener> listener_;
};

}  // namespace berth::runtime
