#pragma once
// /healthz and /readyz of a long-running command, for probes.

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "ports/http.h"
#include "runtime/http_server.h"
#include "runtime/loop.h"

namespace berth::app {

/// "HOST:PORT", ":PORT" (every interface) or "[V6]:PORT". kInvalid says what is wrong with it.
Result<runtime::Endpoint> parse_listen_address(const std::string& text);

class HealthServer final : public ports::HttpHandler {
 public:
  /// `not_ready_why` is empty when ready.
  static Result<std::unique_ptr<HealthServer>> listen(runtime::Loop& loop, const std::string& address,
                                                      std::function<std::string()> not_ready_why);

  ports::Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override;

  std::uint16_t port() const { return server_->port(); }
  ports::Task<void> close() { return server_->close(); }

 private:
  explicit HealthServer(std::function<std::string()> not_ready_why)
      : not_ready_why_(std::move(not_ready_why)) {}

  std::function<std::string()> not_ready_why_;
  std::unique_ptr<runtime::HttpServer> server_;
};

}  // namespace berth::app
