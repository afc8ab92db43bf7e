#include "sandbox/kube/api_server.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sandbox/crds.h"
#include "sandbox/kube/discovery.h"
#include "sandbox/kube/watch.h"

namespace berth::sandbox {
namespace {

using namespace std::chrono_literals;
using kube::Failure;
using kube::Outcome;
using kube::refuse;
using kube::Url;
using ports::HttpReply;
using ports::HttpRequest;
using ports::HttpResponder;
using ports::Task;

constexpr std::string_view kScheme = "Bearer ";

/// A watch that names no timeout ends at some moment between this and twice this, as in the real server.
constexpr Duration kLeastWatchTimeout = 30min;

HttpReply json_reply(int status, std::string body) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
          std::move(body)};
}

HttpReply failure_reply(const Failure& failure) {
  HttpReply reply = json_reply(failure.code, boost::json::serialize(kube::status_object(failure)) + "\n");
  if (failure.code == 401) {
    reply.headers.add("WWW-Authenticate", "Bearer realm=\"kubernetes-master\"");
  }
  if (failure.details.contains("retryAfterSeconds")) {
    reply.headers.add("Retry-After", boost::json::serialize(failure.details.at("retryAfterSeconds")));
  }
  return reply;
}

HttpReply text_reply(int status, std::string_view type, std::string body) {
  return {status, {{"Content-Type", std::string(type)}}, std::move(body)};
}

HttpReply no_such_path() { return text_reply(404, "text/plain; charset=utf-8", "404 page not found\n"); }

/// All error texts of the wait above us are the responder's business: the client is gone then.
Task<void> send(HttpResponder& responder, HttpReply reply) {
  const auto sent = co_await responder.reply(std::move(reply));
  static_cast<void>(sent.ok());
}

/// Characters are compared to the end, whatever they are: how long it takes tells nothing.
bool same_secret(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size() && i < other.size(); ++i) {
    difference |= static_cast<unsigned>(one[i] ^ other[i]);
  }
  return difference == 0;
}

}  // namespace

KubeApiServer::KubeApiServer(ports::Clock& clock, Faults& faults, KubeApiOptions options)
    : clock_(clock),
      faults_(faults),
      options_(std::move(options)),
      prng_(options_.seed),
      store_(clock, options_.history_length),
      registry_(clock, store_, types_, prng_.next()) {
  for (const std::string_view name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    CHECK(
        seed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", boost::json::object{{"name", name}}}})
            .ok());
  }
  auto definition = kube::parse_yaml(cilium_node_crd_yaml());
  CHECK(definition.ok() && definition->is_object());
  CHECK(seed(definition->get_object()).ok());
}

Result<boost::json::object> KubeApiServer::seed(boost::json::object object) {
  const kube::TypePtr type =
      types_.find_kind(kube::find_text(object, {"apiVersion"}), kube::find_text(object, {"kind"}));
  if (type == nullptr || type->create_only) {
    return Error{ErrorKind::kInvalid, "seed",
                 fmt::format("the sandbox serves no kind \"{}\" of \"{}\"", kube::find_text(object, {"kind"}),
                             kube::find_text(object, {"apiVersion"}))};
  }
  std::string space(kube::find_text(object, {"metadata", "namespace"}));
  if (type->namespaced && space.empty()) {
    space = "default";
  }
  const auto written =
      registry_.create({type, space, ""}, std::move(object),
                       {.dry_run = false, .fields = kube::FieldValidation::kStrict, .keep_status = true});
  if (!written) {
    return Error{ErrorKind::kInvalid, "seed", written.error().message, written.error().reason};
  }
  return written->object->parsed();
}

std::optional<boost::json::object> KubeApiServer::find(std::string_view api_version, std::string_view kind,
                                                       std::string_view space, std::string_view name) const {
  const kube::TypePtr type = types_.find_kind(api_version, kind);
  const kube::ObjectPtr found = type == nullptr ? nullptr : store_.find(*type, space, name);
  return found == nullptr ? std::nullopt : std::optional(found->parsed());
}

bool KubeApiServer::is_authorized(const HttpRequest& request) const {
  const std::string_view header = request.headers.find("authorization").value_or("");
  return header.starts_with(kScheme) && same_secret(header.substr(kScheme.size()), options_.bearer_token);
}

std::optional<HttpReply> KubeApiServer::answer_about_server(const Url& url) const {
  const auto& segments = url.segments;
  if (segments.empty()) {
    return json_reply(
        200,
        R"({"paths":["/api","/apis","/healthz","/livez","/openapi/v2","/openapi/v3","/readyz","/version"]})");
  }
  if (segments[0] == "openapi" && segments.size() == 2 && segments[1] == "v2") {
    // Older clients want protobuf here. An empty document is one, and it says that nothing is known.
    return text_reply(200, "application/octet-stream", "");
  }
  std::optional<boost::json::object> document;
  if (segments[0] == "openapi" && segments.size() >= 2 && segments[1] == "v3") {
    document = kube::openapi_document(types_, segments);
  } else {
    document = kube::discovery_document(types_, segments);
  }
  if (!document) {
    return std::nullopt;
  }
  return json_reply(200, boost::json::serialize(*document) + "\n");
}

Task<void> KubeApiServer::handle(HttpRequest request, HttpResponder& responder) {
  Url url = kube::parse_url(request.target);
  const std::string_view first = url.segments.empty() ? std::string_view() : url.segments.front();
  if (first == "healthz" || first == "readyz" || first == "livez") {
    co_return co_await send(responder, text_reply(200, "text/plain; charset=utf-8", "ok"));
  }
  if (first == "version") {
    co_return co_await send(responder, json_reply(200, boost::json::serialize(kube::version_document())));
  }
  if (!is_authorized(request)) {
    co_return co_await send(responder, failure_reply(kube::unauthorized()));
  }
  if (request.method == "GET") {
    if (auto about = answer_about_server(url)) {
      co_return co_await send(responder, *std::move(about));
    }
  }
  auto call = read_call(request, url);
  if (!call) {
    const Failure failure = std::move(call).error();
    co_return co_await send(responder, failure.reason.empty() ? no_such_path() : failure_reply(failure));
  }
  co_await serve(std::move(request), std::move(url), *std::move(call), responder);
}

Task<void> KubeApiServer::serve(HttpRequest request, Url url, Call call, HttpResponder& responder) {
  const Suffered suffered = faults_.on_call(call.action, clock_.mono_now());
  if (suffered.throttled) {
    faults_.record(call.action, "TooManyRequests");
    co_return co_await send(responder, failure_reply(kube::too_many_requests()));
  }
  if (suffered.delay > Duration::zero() &&
      !co_await ports::sleep_for(clock_, suffered.delay, responder.stop())) {
    co_return;
  }
  if (call.verb == Verb::kWatch) {
    co_return co_await serve_watch(std::move(url), std::move(call), suffered, responder);
  }
  if (suffered.stale > Duration::zero()) {
    call.stale_version =
        store_.collection(*call.where.type).version_at(clock_.mono_now() - suffered.stale, store_.version());
  }
  const Outcome<HttpReply> outcome =
      suffered.error.empty() ? carry_out(request, url, call) : refuse(kube::failure_of_fault(suffered.error));
  faults_.record(call.action, outcome ? std::string_view("ok") : std::string_view(outcome.error().reason));
  if (suffered.lost_reply) {
    responder.drop();
    co_return;
  }
  co_await send(responder, outcome ? *outcome : failure_reply(outcome.error()));
}

Task<void> KubeApiServer::serve_watch(Url url, Call call, Suffered suffered, HttpResponder& responder) {
  const kube::TypePtr type = call.where.type;
  const Duration spread(
      static_cast<Duration::rep>(prng_.unit() * static_cast<double>(kLeastWatchTimeout.count())));
  auto options = kube::WatchOptions::read(url, *type, call.where.space, call.representation,
                                          kLeastWatchTimeout + spread, options_.bookmark_interval);
  if (!options) {
    faults_.record(call.action, options.error().reason);
    co_return co_await send(responder, failure_reply(options.error()));
  }
  const std::uint64_t asked = options->version.value_or(0);
  kube::Watch watch(clock_, store_, store_.collection(*type), faults_, type, *std::move(options));
  std::optional<Failure> failure = watch.expired();
  bool as_event = !options_.expired_watch_as_status;
  if (suffered.error == "ExpiredEvent" || suffered.error == "Expired") {
    failure = kube::expired(fmt::format("too old resource version: {} ({})", asked, store_.version()));
    as_event = suffered.error == "ExpiredEvent";
  } else if (!suffered.error.empty()) {
    failure = kube::failure_of_fault(suffered.error);
    as_event = false;
  }
  faults_.record(call.action, failure ? std::string_view(failure->reason) : "ok");
  if (failure && as_event) {
    co_await kube::Watch::send_error(responder, *std::move(failure));
  } else if (failure) {
    co_await send(responder, failure_reply(*failure));
  } else if (suffered.lost_reply) {
    responder.drop();
  } else {
    co_await watch.run(responder);
  }
}

}  // namespace berth::sandbox
