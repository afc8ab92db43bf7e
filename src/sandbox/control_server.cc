#include "sandbox/control_server.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/query.h"

namespace berth::sandbox {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> kVerbs = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "event"};
constexpr std::string_view kFaults = "/faults";
constexpr std::string_view kCalls = "/calls";

ports::HttpReply json_reply(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body) + "\n"};
}

ports::HttpReply no_content() { return {.status = 204}; }

ports::HttpReply error_reply(int status, std::string_view message) {
  return json_reply(status, json::serialize(json::object{{"error", message}}));
}

/// "patch:ciliumnodes/status"
bool is_kubernetes_action(std::string_view action) {
  const std::size_t colon = action.find(':');
  if (colon == std::string_view::npos || std::ranges::find(kVerbs, action.substr(0, colon)) == kVerbs.end()) {
    return false;
  }
  const std::string_view resource = action.substr(colon + 1);
  const bool has_empty_part = resource.empty() || resource.front() == '/' || resource.back() == '/';
  return !has_empty_part && std::ranges::count(resource, '/') <= 1 &&
         resource.find_first_not_of("abcdefghijklmnopqrstuvwxyz/") == std::string_view::npos;
}

/// What is wrong with the name of an action; nothing where it is one.
std::optional<std::string> check_action(std::string_view action) {
  if (find_action(action) != nullptr || action == "imds" || is_kubernetes_action(action)) {
    return std::nullopt;
  }
  return fmt::format(
      "the action \"{}\" is not known; expected an EC2 action ({}), imds, or VERB:RESOURCE or "
      "VERB:RESOURCE/SUBRESOURCE with a verb of {}, as \"patch:ciliumnodes/status\"",
      action, fmt::join(ec2_action_names(), ", "), fmt::join(kVerbs, ", "));
}

}  // namespace

ports::Task<void> ControlServer::handle(ports::HttpRequest request, ports::HttpResponder& responder) {
  ports::HttpReply reply = answer(request);
  (void)co_await responder.reply(std::move(reply));
}

ports::HttpReply ControlServer::answer(const ports::HttpRequest& request) {
  const std::string_view target = request.target;
  const auto decoded = percent_decoded(target.substr(0, target.find('?')), false);
  if (!decoded) {
    return error_reply(400, fmt::format("{} has a broken % escape", target));
  }
  const std::string& path = *decoded;
  const std::string& method = request.method;
  if (path == kCalls && method == "GET") {
    return json_reply(200, faults_.calls_json());
  }
  if (path == kCalls && method == "DELETE") {
    faults_.reset_calls();
    return no_content();
  }
  if (path == kFaults && method == "GET") {
    return json_reply(200, faults_.in_force_json());
  }
  if (path == kFaults && method == "DELETE") {
    faults_.clear();
    return no_content();
  }
  if (path.starts_with("/faults/") && (method == "PUT" || method == "DELETE")) {
    const std::string action = path.substr(kFaults.size() + 1);
    if (const auto wrong = check_action(action)) {
      return error_reply(400, *wrong);
    }
    if (method == "PUT") {
      return put_fault(action, request.body);
    }
    faults_.clear(action);
    return no_content();
  }
  return error_reply(
      404, fmt::format("{} {} is nothing here; expected PUT or DELETE /faults/ACTION, GET or DELETE "
                       "/faults, GET or DELETE /calls",
                       method, path));
}

ports::HttpReply ControlServer::put_fault(const std::string& action, std::string_view body) {
  auto fault = Faults::parse(body);
  if (!fault) {
    return error_reply(400, fmt::format("fault for {}: {}", action, fault.error().detail));
  }
  faults_.set(action, std::move(*fault), clock_.mono_now());
  return no_content();
}

}  // namespace berth::sandbox
