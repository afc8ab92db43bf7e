#include "app/health_server.h"

#include <charconv>

namespace berth::app {

Result<runtime::Endpoint> parse_listen_address(const std::string& text) {
  const auto colon = text.rfind(':');
  std::uint16_t port = 0;
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stopped, status] = std::from_chars(begin, end, port);
    if (begin != end && status == std::errc{} && stopped == end) {
      std::string host = text.substr(0, colon);
      if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
      }
      return runtime::Endpoint{host.empty() ? "::" : host, port};
    }
  }
  return Error{
      ErrorKind::kInvalid, "--listen",
      "\"" + text + "\" is no address to listen on; expected HOST:PORT or :PORT, for example 127.0.0.1:8080"};
}

Result<std::unique_ptr<HealthServer>> HealthServer::listen(runtime::Loop& loop, const std::string& address,
                                                           std::function<std::string()> not_ready_why) {
  const Result<runtime::Endpoint> endpoint = parse_listen_address(address);
  if (!endpoint) {
    return endpoint.error();
  }
  std::unique_ptr<HealthServer> health(new HealthServer(std::move(not_ready_why)));
  auto server = runtime::HttpServer::listen(loop, *endpoint, std::nullopt, *health);
  if (!server) {
    return std::move(server).error();
  }
  health->server_ = std::move(server).value();
  return health;
}

ports::Task<void> HealthServer::handle(ports::HttpRequest request, ports::HttpResponder& responder) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  ports::HttpReply reply{200, {{"Content-Type", "text/plain; charset=utf-8"}}, "ok\n"};
  if (path == "/readyz") {
    if (const std::string why = not_ready_why_(); !why.empty()) {
      reply.status = 503;
      reply.body = "not ready: " + why + "\n";
    }
  } else if (path != "/healthz") {
    reply.status = 404;
    reply.body = "not found: there are /healthz and /readyz\n";
  }
  // A probe that has gone needs no answer.
  (void)co_await responder.reply(std::move(reply));
}

}  // namespace berth::app
