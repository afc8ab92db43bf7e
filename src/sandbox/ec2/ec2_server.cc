#include "sandbox/ec2/ec2_server.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sandbox/ec2/errors.h"

namespace berth::sandbox {
namespace {

constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view kNamespace = "http://ec2.amazonaws.com/doc/2016-11-15/";

ports::HttpReply xml_reply(int status, std::string body) {
  return {.status = status, .headers = {{"Content-Type", "text/xml;charset=UTF-8"}}, .body = std::move(body)};
}

}  // namespace

Ec2Server::Ec2Server(ports::Clock& clock, Faults& faults, Ec2World& world, std::vector<AwsCredentials> known)
    : clock_(clock),
      faults_(faults),
      world_(world),
      known_(std::move(known)),
      prng_(world.options().seed ^ 0x5265717565737449U) {}

Ec2Server::~Ec2Server() {
  for (const auto timer : late_) {
    clock_.cancel(timer);
  }
}

ports::Task<void> Ec2Server::handle(ports::HttpRequest request, ports::HttpResponder& responder) {
  Outcome<Accepted> accepted = accept(request);
  if (!accepted) {
    Finished finished = refused(accepted.error());
    (void)co_await responder.reply(std::move(finished.reply));
    co_return;
  }
  Suffered suffered = faults_.on_call(accepted->action->name, clock_.mono_now());
  if (suffered.throttled) {
    suffered.error = "RequestLimitExceeded";
  }
  if (suffered.delay > Duration::zero()) {
    const MonoTime due = clock_.mono_now() + suffered.delay;
    const bool arrived = co_await ports::sleep_until(clock_, due, responder.stop());
    if (!arrived) {
      run_later(due, std::move(*accepted), std::move(suffered));
      responder.drop();
      co_return;
    }
  }
  Finished finished = run(*accepted, suffered);
  if (suffered.lost_reply) {
    faults_.record(accepted->action->name, "lost-reply");
    responder.drop();
    co_return;
  }
  faults_.record(accepted->action->name, finished.result);
  (void)co_await responder.reply(std::move(finished.reply));
}

Outcome<Ec2Server::Accepted> Ec2Server::accept(const ports::HttpRequest& request) {
  if (request.method != "POST" && request.method != "GET") {
    return refuse("InvalidAction",
                  fmt::format("The method {} is not valid for this web service.", request.method));
  }
  auto query = Query::parse(request);
  if (!query) {
    return tl::unexpected(query.error());
  }
  const auto name = query->find("Action");
  const Action* action = find_action(name.value_or(""));
  const SigV4Scope scope{world_.options().region, "ec2"};
  if (const auto verified = verify_sigv4(request, known_, scope, clock_.wall_now()); !verified) {
    if (action != nullptr) {
      faults_.record(action->name, verified.error().code);
    }
    return tl::unexpected(verified.error());
  }
  if (!name) {
    return refuse("MissingAction", "The request must contain the parameter Action");
  }
  if (action == nullptr) {
    return refuse("InvalidAction", fmt::format("The action {} is not valid for this web service.", *name));
  }
  return Accepted{action, std::move(*query)};
}

Ec2Server::Finished Ec2Server::run(const Accepted& accepted, const Suffered& suffered) {
  if (!suffered.error.empty()) {
    return refused({suffered.error, usual_message(suffered.error)});
  }
  const Action& action = *accepted.action;
  if (const auto checked = check_parameters(action, accepted.query); !checked) {
    return refused(checked.error());
  }
  Xml out;
  Call call{world_, accepted.query, world_.at(clock_.mono_now() - suffered.stale), out};
  if (const auto done = action.run(call); !done) {
    return refused(done.error());
  }
  const std::string request_id = next_request_id();
  Finished finished{
      xml_reply(200, fmt::format("{}<{}Response xmlns=\"{}\"><requestId>{}</requestId>{}</{}Response>",
                                 kProlog, action.name, kNamespace, request_id, out.str(), action.name)),
      "ok"};
  finished.reply.headers.add("x-amzn-RequestId", request_id);
  return finished;
}

Ec2Server::Finished Ec2Server::refused(const Ec2Error& error) {
  const std::string body = fmt::format(
      "{}<Response><Errors><Error><Code>{}</Code><Message>{}</Message></Error></Errors><RequestID>{}</"
      "RequestID>"
      "</Response>",
      kProlog, xml_escaped(error.code), xml_escaped(error.message), next_request_id());
  return {xml_reply(http_status(error.code), body), error.code};
}

void Ec2Server::run_later(MonoTime at, Accepted accepted, Suffered suffered) {
  const auto id = std::make_shared<ports::Clock::TimerId>();
  const auto late = std::make_shared<std::pair<Accepted, Suffered>>(std::move(accepted), std::move(suffered));
  *id = clock_.call_at(at, [this, id, late] {
    late_.erase(*id);
    run(late->first, late->second);
    faults_.record(late->first.action->name, "lost-reply");
  });
  late_.insert(*id);
}

std::string Ec2Server::next_request_id() {
  const std::uint64_t high = prng_.next();
  const std::uint64_t low = prng_.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xfffU, (low >> 48U) & 0xfffU, low & 0xffffffffffffU);
}

}  // namespace berth::sandbox
