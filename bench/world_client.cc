#include "bench/world_client.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/environment.h"
#include "aws/endpoint.h"
#include "kube/json.h"
#include "runtime/http_client.h"

namespace berth::bench {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr Duration kCallTime = 30s;
constexpr Duration kLookAgainAfter = 50ms;
constexpr std::size_t kLaunchBatch = 100;

/// The texts of all elements of that name, in order.
std::vector<std::string> texts_of(std::string_view xml, const std::string& element) {
  const std::string begin = "<" + element + ">";
  std::vector<std::string> texts;
  for (std::size_t at = xml.find(begin); at != std::string_view::npos; at = xml.find(begin, at)) {
    at += begin.size();
    texts.emplace_back(xml.substr(at, xml.find('<', at) - at));
  }
  return texts;
}

Error unexpected(std::string operation, std::string detail) {
  return {ErrorKind::kInternal, std::move(operation), std::move(detail)};
}

}  // namespace

Variables read_env_file(const std::string& text) {
  Variables variables;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view prefix = "export ";
    const std::size_t equals = line.find("='");
    if (!line.starts_with(prefix) || equals == std::string::npos) {
      continue;
    }
    std::string value = line.substr(equals + 2, line.size() - equals - 3);
    // How a shell writes a quote inside of quotes.
    const std::string_view quote = "'\\''";
    for (std::size_t at = value.find(quote); at != std::string::npos; at = value.find(quote, at + 1)) {
      value.replace(at, quote.size(), "'");
    }
    variables[line.substr(prefix.size(), equals - prefix.size())] = std::move(value);
  }
  return variables;
}

Result<std::unique_ptr<WorldClient>> WorldClient::open(runtime::Loop& loop, const Variables& variables,
                                                       std::stop_token stop) {
  const app::Environment nothing = [](const std::string&) { return std::nullopt; };
  const app::Environment environment = app::with(nothing, variables);
  std::unique_ptr<WorldClient> world(new WorldClient(loop, std::move(stop)));
  auto cluster = app::Cluster::open(loop, world->files_, environment, {}, "berth-bench");
  if (!cluster) {
    return std::move(cluster).error();
  }
  Result<aws::Ec2Endpoint> endpoint = aws::ec2_endpoint(environment);
  if (!endpoint) {
    return std::move(endpoint).error();
  }
  world->cluster_ = std::move(cluster).value();
  world->endpoint_ = std::move(endpoint).value();
  world->http_ = runtime::make_http_client(loop, {.no_proxy_at_all = true});
  world->credentials_ = aws::default_credentials(environment);
  world->ec2_ = std::make_unique<aws::Ec2Client>(*world->http_, *world->credentials_, world->endpoint_);
  world->control_url_ = app::variable(environment, "BERTH_SANDBOX_CONTROL");
  return world;
}

ports::CallLimits WorldClient::limits() const { return {loop_.mono_now() + kCallTime, stop_}; }

ports::Task<Result<std::string>> WorldClient::send(aws::Query query) {
  const Result<aws::Credentials> keys = co_await credentials_->fetch(limits());
  if (!keys) {
    co_return keys.error();
  }
  ports::HttpRequest request{
      .method = "POST",
      .target = endpoint_.url,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
      .body = query.body(),
      .sign = ports::AwsSigning{keys->access_key_id, keys->secret_access_key, "", endpoint_.region, "ec2"}};
  Result<ports::HttpReply> reply = co_await http_->fetch(std::move(request), limits());
  if (!reply) {
    co_return std::move(reply).error();
  }
  if (reply->status != 200) {
    co_return unexpected(query.action(), reply->body);
  }
  co_return std::move(reply->body);
}

ports::Task<Result<std::vector<std::string>>> WorldClient::launch(std::size_t count) {
  std::vector<std::string> ids;
  while (ids.size() < count) {
    const std::size_t batch = std::min(kLaunchBatch, count - ids.size());
    aws::Query query("RunInstances");
    query.set("ImageId", "ami-00000000000000000")
        .set("InstanceType", "m5.large")
        .set("MinCount", std::to_string(batch))
        .set("MaxCount", std::to_string(batch));
    const Result<std::string> reply = co_await send(std::move(query));
    if (!reply) {
      co_return reply.error();
    }
    std::vector<std::string> launched = texts_of(*reply, "instanceId");
    if (launched.size() != batch) {
      co_return unexpected("RunInstances",
                           fmt::format("{} instances were asked for, {} came", batch, launched.size()));
    }
    if (Result<void> running = co_await wait_until_running(launched); !running) {
      co_return std::move(running).error();
    }
    std::ranges::move(launched, std::back_inserter(ids));
  }
  co_return ids;
}

ports::Task<Result<void>> WorldClient::wait_until_running(std::vector<std::string> ids) {
  const MonoTime deadline = loop_.mono_now() + kCallTime;
  while (loop_.mono_now() < deadline) {
    const auto instances = co_await ec2_->describe_instances(ids, limits());
    if (!instances) {
      co_return instances.error();
    }
    const auto running = std::ranges::count(*instances, "running", &aws::InstanceItem::state);
    if (static_cast<std::size_t>(running) == ids.size()) {
      co_return {};
    }
    co_await ports::sleep_for(loop_, kLookAgainAfter, stop_);
  }
  co_return unexpected("RunInstances", "not all instances run after " + format_duration(kCallTime));
}

ports::Task<Result<std::string>> WorldClient::allocate_address() {
  aws::Query query("AllocateAddress");
  query.set("Domain", "vpc");
  const Result<std::string> reply = co_await send(std::move(query));
  if (!reply) {
    co_return reply.error();
  }
  std::vector<std::string> ids = texts_of(*reply, "allocationId");
  if (ids.size() != 1) {
    co_return unexpected("AllocateAddress", "one allocationId was expected in " + *reply);
  }
  co_return std::move(ids.front());
}

ports::Task<Result<void>> WorldClient::create_node(std::string name, std::string instance) {
  json::object node = {{"apiVersion", "cilium.io/v2"},
                       {"kind", "CiliumNode"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"instance-id", instance}, {"ipam", json::object()}}}};
  const auto created =
      co_await kube().create({"cilium.io", "v2", "ciliumnodes"}, "", std::move(node), limits());
  co_return created ? Result<void>() : created.error();
}

ports::Task<Result<void>> WorldClient::patch_node(std::string name, json::object patch) {
  const auto patched =
      co_await kube().merge_patch({{"cilium.io", "v2", "ciliumnodes"}, name}, "", std::move(patch), limits());
  co_return patched ? Result<void>() : patched.error();
}

ports::Task<Result<std::string>> WorldClient::control(std::string method, std::string path) {
  Result<ports::HttpReply> reply =
      co_await http_->fetch({.method = method, .target = control_url_ + path}, limits());
  if (!reply) {
    co_return std::move(reply).error();
  }
  if (reply->status != 200 && reply->status != 204) {
    co_return unexpected(method + " " + path, reply->body);
  }
  co_return std::move(reply->body);
}

ports::Task<Result<void>> WorldClient::reset_calls() {
  const auto reply = co_await control("DELETE", "/calls");
  co_return reply ? Result<void>() : reply.error();
}

ports::Task<Result<Calls>> WorldClient::get_calls() {
  const auto reply = co_await control("GET", "/calls");
  if (!reply) {
    co_return reply.error();
  }
  const auto actions = kube::parse_object(*reply);
  if (!actions) {
    co_return actions.error();
  }
  Calls calls;
  for (const auto& [action, results] : *actions) {
    if (!results.is_object()) {
      co_return unexpected("GET /calls", "an object for each action was expected in " + *reply);
    }
    for (const auto& [result, count] : results.get_object()) {
      boost::system::error_code error;
      calls[action][result] = count.to_number<std::uint64_t>(error);
      if (error) {
        co_return unexpected("GET /calls", "a number for each result was expected in " + *reply);
      }
    }
  }
  co_return calls;
}

}  // namespace berth::bench
