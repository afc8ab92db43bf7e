#include "sandbox/imds_server.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sandbox/ec2/query.h"

namespace berth::sandbox {
namespace {

constexpr std::string_view kAction = "imds";
constexpr std::string_view kTokenPath = "latest/api/token";
constexpr std::string_view kTtlHeader = "X-aws-ec2-metadata-token-ttl-seconds";
constexpr std::string_view kTokenHeader = "X-aws-ec2-metadata-token";
constexpr int kMostSeconds = 21600;
constexpr int kThrottled = 429;

ports::HttpReply text_reply(int status, std::string body) {
  return {.status = status, .headers = {{"Content-Type", "text/plain"}}, .body = std::move(body)};
}

/// "/latest//meta-data/?x" -> "latest/meta-data/"
std::string normalized_path(std::string_view target) {
  const std::string decoded = percent_decoded(target.substr(0, target.find('?')), false).value_or("");
  std::string path;
  for (const char c : decoded) {
    if (c != '/' || (!path.empty() && path.back() != '/')) {
      path += c;
    }
  }
  return path;
}

/// The names in a folder, each on a line; folders in it end with a slash. Nothing where there is no such
/// folder.
std::optional<std::string> listing(const std::map<std::string, std::string>& documents, std::string folder) {
  if (!folder.empty() && folder.back() != '/') {
    folder += '/';
  }
  std::vector<std::string> names;
  for (auto at = documents.lower_bound(folder); at != documents.end() && at->first.starts_with(folder);
       ++at) {
    const std::string rest = at->first.substr(folder.size());
    const std::size_t slash = rest.find('/');
    std::string name = slash == std::string::npos ? rest : rest.substr(0, slash + 1);
    if (names.empty() || names.back() != name) {
      names.push_back(std::move(name));
    }
  }
  return names.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(names, "\n")));
}

bool is_up(const Instance* instance) {
  return instance != nullptr && instance->state != InstanceState::kStopped &&
         instance->state != InstanceState::kTerminated;
}

}  // namespace

ImdsServer::ImdsServer(ports::Clock& clock, Faults& faults, Ec2World& world, InstanceId instance)
    : clock_(clock),
      faults_(faults),
      world_(world),
      instance_(std::move(instance)),
      prng_(world.options().seed ^ std::hash<std::string>()(instance_.str())) {}

ports::Task<void> ImdsServer::handle(ports::HttpRequest request, ports::HttpResponder& responder) {
  const Suffered suffered = faults_.on_call(kAction, clock_.mono_now());
  if (suffered.delay > Duration::zero()) {
    const MonoTime due = clock_.mono_now() + suffered.delay;
    const bool arrived = co_await ports::sleep_until(clock_, due, responder.stop());
    if (!arrived) {
      faults_.record(kAction, "lost-reply");
      responder.drop();
      co_return;
    }
  }
  ports::HttpReply reply = text_reply(kThrottled, "Too Many Requests");
  if (!suffered.throttled) {
    int status = 0;
    std::from_chars(suffered.error.data(), suffered.error.data() + suffered.error.size(), status);
    // A fault that names no status is still a failure.
    reply = suffered.error.empty() ? answer(request, suffered.stale)
                                   : text_reply(status >= 100 && status < 600 ? status : 500, suffered.error);
  }
  // Nothing answers at the link-local address of an instance that is off.
  if (suffered.lost_reply || !is_up(world_.now().instance(instance_))) {
    faults_.record(kAction, "lost-reply");
    responder.drop();
    co_return;
  }
  faults_.record(kAction, reply.status == 200 ? "ok" : std::to_string(reply.status));
  (void)co_await responder.reply(std::move(reply));
}

ports::HttpReply ImdsServer::answer(const ports::HttpRequest& request, Duration stale) {
  const std::string path = normalized_path(request.target);
  if (request.method == "PUT") {
    return path == kTokenPath ? issue_token(request) : text_reply(404, "Not Found");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return text_reply(405, "Method Not Allowed");
  }
  if (!is_authorized(request)) {
    return text_reply(401, "Unauthorized");
  }
  const Moment moment = world_.at(clock_.mono_now() - stale);
  const Instance* instance = moment.instance(instance_);
  if (instance == nullptr) {
    return text_reply(404, "Not Found");
  }
  const auto documents = metadata_documents(moment, *instance);
  if (const auto document = documents.find(path); document != documents.end()) {
    return text_reply(200, document->second);
  }
  const auto names = listing(documents, path);
  return names ? text_reply(200, *names) : text_reply(404, "Not Found");
}

ports::HttpReply ImdsServer::issue_token(const ports::HttpRequest& request) {
  if (request.headers.find("X-Forwarded-For")) {
    return text_reply(403, "Forbidden");  // a proxy must not hand tokens out
  }
  const auto ttl = request.headers.find(kTtlHeader);
  int seconds = 0;
  const bool is_number = ttl && std::from_chars(ttl->data(), ttl->data() + ttl->size(), seconds).ptr ==
                                    ttl->data() + ttl->size();
  if (!is_number || seconds < 1 || seconds > kMostSeconds) {
    return text_reply(400, "Bad Request");
  }
  const MonoTime now = clock_.mono_now();
  std::erase_if(tokens_, [now](const auto& token) { return token.second <= now; });
  const std::string token =
      fmt::format("AQAEA{:016x}{:016x}{:016x}==", prng_.next(), prng_.next(), prng_.next());
  tokens_.emplace(token, now + std::chrono::seconds(seconds));
  ports::HttpReply reply = text_reply(200, token);
  reply.headers.add(std::string(kTtlHeader), std::to_string(seconds));
  return reply;
}

bool ImdsServer::is_authorized(const ports::HttpRequest& request) {
  const auto token = tokens_.find(request.headers.find(kTokenHeader).value_or(""));
  return token != tokens_.end() && clock_.mono_now() < token->second;
}

}  // namespace berth::sandbox
