#include "app/demo.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "app/command.h"
#include "app/json_text.h"
#include "app/version.h"
#include "aws/endpoint.h"
#include "aws/query.h"
#include "runtime/http_client.h"

namespace berth::app {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr Duration kStepTime = 15s;         // any step that takes longer has failed
constexpr Duration kLookAgainAfter = 20ms;  // between two looks at the API
constexpr Duration kRefreshInterval = 1s;   // so that a person need not wait 15 s for the last step

const char* const kTagFilter = "Name=tag:anton,Values=test";

void say(const std::string& text) { std::cout << text << std::endl; }

void title(int number, const std::string& text) { say(fmt::format("\n== {}. {}", number, text)); }

void show(const std::string& command, const std::string& output) { say("$ " + command + "\n" + output); }

/// A part of an object by its path; null where there is none.
json::value part(const json::object& object, std::initializer_list<std::string_view> path) {
  const json::value* at = nullptr;
  const json::object* inside = &object;
  for (const std::string_view key : path) {
    at = inside != nullptr ? inside->if_contains(key) : nullptr;
    inside = at != nullptr ? at->if_object() : nullptr;
  }
  return at != nullptr ? *at : json::value(nullptr);
}

std::string text_part(const json::object& object, std::initializer_list<std::string_view> path) {
  const json::value value = part(object, path);
  return value.is_string() ? std::string(value.as_string()) : "";
}

std::string assigned_ip(const json::object& node) {
  return text_part(node, {"status", "ipam", "assigned-static-ip"});
}
std::string operator_error(const json::object& node) {
  return text_part(node, {"status", "ipam", "operator-status", "error"});
}

/// As kubectl prints objects: keys in byte order.
json::value in_key_order(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) {
    return value;
  }
  std::map<std::string, json::value> ordered;
  for (const auto& [key, element] : *object) {
    ordered.emplace(key, in_key_order(element));
  }
  json::object out;
  for (auto& [key, element] : ordered) {
    out.emplace(key, std::move(element));
  }
  return out;
}

/// As `aws ec2 describe-addresses` shows it.
json::array addresses_json(const std::vector<aws::AddressItem>& addresses) {
  json::array list;
  for (const aws::AddressItem& address : addresses) {
    json::object item = {{"AllocationId", address.allocation_id}, {"PublicIp", address.public_ip}};
    const std::pair<const char*, const std::string&> optional[] = {
        {"AssociationId", address.association_id},
        {"InstanceId", address.instance_id},
        {"NetworkInterfaceId", address.network_interface_id},
        {"PrivateIpAddress", address.private_ip_address}};
    for (const auto& [name, value] : optional) {
      if (!value.empty()) {
        item[name] = value;
      }
    }
    json::array tags;
    for (const auto& [key, value] : address.tags) {
      tags.push_back({{"Key", key}, {"Value", value}});
    }
    item["Tags"] = std::move(tags);
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

Demo::Demo(runtime::Loop& loop, std::string folder) : loop_(loop), folder_(folder) {
  options_.nodes = 3;
  options_.addresses = 2;
}

ports::Task<int> Demo::play(std::stop_token stop) {
  stop_ = std::move(stop);
  constexpr Step steps[] = {&Demo::open_world, &Demo::show_pool,         &Demo::show_conflist,
                            &Demo::publish,    &Demo::associate,         &Demo::show_status,
                            &Demo::show_cloud, &Demo::show_waiting_node, &Demo::add_address};
  bool holds = true;
  for (const Step step : steps) {
    holds = holds && co_await (this->*step)();
  }
  berth_stop_.request_stop();
  co_await berth_.join();
  if (world_) {
    co_await world_->close();
  }
  say(holds ? "\nEvery step holds." : "\nThe demo failed.");
  co_return holds ? kSuccess : kFailure;
}

bool Demo::fail(const std::string& why) {
  if (stop_.stop_requested()) {
    say("Stopped.");
    return false;
  }
  say("This step does not hold: " + why + "\nThe log:");
  print_log("");
  return false;
}

void Demo::print_log(std::string_view containing) const {
  for (const LogRecord& record : log_.records()) {
    if (record.message.find(containing) != std::string::npos) {
      say("  " + format_log_text(record));
    }
  }
}

ports::CallLimits Demo::limits() const { return {loop_.mono_now() + kStepTime, stop_}; }

ports::Task<bool> Demo::open_world() {
  auto world = SandboxWorld::open(loop_, options_, folder_);
  if (!world) {
    co_return fail(world.error().message());
  }
  world_ = std::move(world).value();
  const Environment environment = with(process_environment(), folder_.variables(world_->access()));
  auto cluster = Cluster::open(loop_, files_, environment, {}, "berth-demo");
  const Result<aws::Ec2Endpoint> endpoint = aws::ec2_endpoint(environment);
  if (!cluster || !endpoint) {
    co_return fail(!cluster ? cluster.error().message() : endpoint.error().message());
  }
  cluster_ = std::move(cluster).value();
  http_ = runtime::make_http_client(loop_, {.no_proxy_at_all = true, .user_agent = kUserAgent});
  credentials_ = aws::default_credentials(environment);
  ec2_ = std::make_unique<aws::Ec2Client>(*http_, *credentials_, *endpoint);
  say(fmt::format("A sandbox on this machine: Kubernetes API {}, EC2 {}, {} nodes.",
                  world_->access().kube_server, world_->access().ec2_url, world_->nodes().size()));
  co_return true;
}

ports::Task<bool> Demo::show_pool() {
  title(1, "The address pool: two Elastic IPs with the tags, associated with nothing");
  const auto addresses = co_await get_addresses();
  if (!addresses) {
    co_return false;
  }
  show(fmt::format("aws ec2 describe-addresses --filters {}", kTagFilter),
       json_text(addresses_json(*addresses)));
  const bool all_free =
      std::ranges::all_of(*addresses, &std::string::empty, &aws::AddressItem::association_id);
  co_return addresses->size() == 2 && all_free ? true : fail("two free addresses were expected");
}

ports::Task<bool> Demo::show_conflist() {
  title(2, "The nodes' CNI configuration asks for these tags");
  const std::string path = folder_.conflist("node-1");
  const Result<std::string> text = files_.read(path);
  if (!text) {
    co_return fail(text.error().message());
  }
  show("cat " + path, *text);
  co_return true;
}

ports::Task<bool> Demo::publish() {
  title(3, "The agent on each node publishes its settings on its CiliumNode");
  const Environment base = with(process_environment(), folder_.variables(world_->access()));
  for (const std::string& node : world_->nodes()) {
    const Environment environment =
        with(base, {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", world_->access().imds_url_of_node.at(node)}});
    auto agent = AgentProcess::make(loop_, files_, environment,
                                    {.node_name = node, .cni_conf = folder_.cni_folder(node)});
    if (!agent) {
      co_return fail(agent.error().message());
    }
    agents_.push_back(std::move(agent).value());
    berth_.spawn(agents_.back()->run(berth_stop_.get_token()));
  }
  json::object tags;
  for (const auto& [key, value] : options_.address_tags) {
    tags[key] = value;
  }
  const json::object expected = {{"min-allocate", 3},
                                 {"pool", json::object()},
                                 {"pools", json::object()},
                                 {"pre-allocate", 1},
                                 {"static-ip-tags", tags}};
  for (const std::string& name : world_->nodes()) {
    const auto node = co_await get_node_until(
        name, [&expected](const json::object& object) { return part(object, {"spec", "ipam"}) == expected; });
    if (!node) {
      co_return fail("spec.ipam of " + name + " is not what its CNI configuration says");
    }
    if (name == "node-1") {
      show("kubectl get ciliumnode node-1 -o=jsonpath='{.spec.ipam}' | jq",
           json_text(in_key_order(part(*node, {"spec", "ipam"}))));
    }
  }
  co_return true;
}

ports::Task<bool> Demo::associate() {
  title(4, "The operator starts, finds the addresses and associates them");
  const Environment environment = with(process_environment(), folder_.variables(world_->access()));
  OperatorSettings settings;
  settings.options.refresh_interval = kRefreshInterval;
  auto made = OperatorProcess::make(loop_, files_, environment, settings);
  if (!made) {
    co_return fail(made.error().message());
  }
  operator_ = std::move(made).value();
  berth_.spawn(operator_->run(berth_stop_.get_token()));
  for (const std::string& name : world_->nodes()) {
    const auto node = co_await get_node_until(name, [](const json::object& object) {
      return !assigned_ip(object).empty() || !operator_error(object).empty();
    });
    if (!node) {
      co_return fail(name + " has neither an address nor a reason");
    }
    if (assigned_ip(*node).empty()) {
      waiting_ = name;
    } else {
      served_.push_back(name);
    }
  }
  print_log("EIP");
  if (served_.size() != 2 || waiting_.empty()) {
    co_return fail("two of the three nodes were to be served");
  }
  const bool found =
      log_.count("Found 2 EIPs corresponding to tags anton=test,kubernetes_cluster=cluster-1") == 1;
  co_return found&& log_.count("Associated EIP") == 2 ? true : fail("the operator did not say what it did");
}

ports::Task<bool> Demo::show_status() {
  const std::string name = served_.front();
  title(5, "The status shows the address");
  const auto node = co_await get_node(name);
  if (!node) {
    co_return false;
  }
  const json::value ipam = part(*node, {"status", "ipam"});
  show(fmt::format("kubectl get ciliumnode {} -o=jsonpath='{{.status.ipam}}' | jq", name),
       json_text(in_key_order(ipam)));
  const json::object expected = {{"assigned-static-ip", assigned_ip(*node)},
                                 {"operator-status", json::object()}};
  co_return ipam == expected ? true : fail("status.ipam is not as expected");
}

ports::Task<bool> Demo::show_cloud() {
  title(6,
        "The cloud shows it on the primary interface of the node's instance, on its primary private address");
  const auto addresses = co_await get_addresses();
  if (!addresses) {
    co_return false;
  }
  show(fmt::format("aws ec2 describe-addresses --filters {}", kTagFilter),
       json_text(addresses_json(*addresses)));
  for (const std::string& name : served_) {
    const auto node = co_await get_node(name);
    if (!node) {
      co_return false;
    }
    const std::string instance = text_part(*node, {"spec", "instance-id"});
    const auto instances = co_await ec2_->describe_instances(std::vector<std::string>{instance}, limits());
    if (!instances || instances->size() != 1) {
      co_return fail("instance " + instance + " cannot be read");
    }
    const auto& interfaces = instances->front().interfaces;
    const auto primary =
        std::ranges::find(interfaces, std::optional<int>(0), &aws::InstanceInterfaceItem::device_index);
    const auto address = std::ranges::find(*addresses, assigned_ip(*node), &aws::AddressItem::public_ip);
    if (address == addresses->end() || primary == interfaces.end() ||
        address->network_interface_id != primary->network_interface_id ||
        address->private_ip_address != primary->private_ip_address) {
      co_return fail("the address of " + name + " is not on its instance's primary interface");
    }
  }
  co_return true;
}

ports::Task<bool> Demo::show_waiting_node() {
  title(7, "The third node waits, and says why");
  const auto node = co_await get_node(waiting_);
  if (!node) {
    co_return false;
  }
  show(fmt::format("kubectl get ciliumnode {} -o=jsonpath='{{.status.ipam}}' | jq", waiting_),
       json_text(in_key_order(part(*node, {"status", "ipam"}))));
  co_return operator_error(*node).starts_with("Waiting: ") && assigned_ip(*node).empty()
      ? true
      : fail("the node was to wait in line");
}

ports::Task<bool> Demo::add_address() {
  title(8, "An address with the tags is added, and the waiting node is served");
  if (!co_await allocate_address()) {
    co_return false;
  }
  const auto node = co_await get_node_until(
      waiting_, [](const json::object& object) { return !assigned_ip(object).empty(); });
  if (!node) {
    co_return fail(waiting_ + " was not served");
  }
  show(fmt::format("kubectl get ciliumnode {} -o=jsonpath='{{.status.ipam}}' | jq", waiting_),
       json_text(in_key_order(part(*node, {"status", "ipam"}))));
  co_return operator_error(*node).empty() ? true : fail("a served node still names a reason");
}

ports::Task<std::optional<json::object>> Demo::get_node(std::string name) {
  auto node = co_await cluster_->client().get({{"cilium.io", "v2", "ciliumnodes"}, name}, limits());
  if (!node) {
    fail(node.error().message());
    co_return std::nullopt;
  }
  co_return std::move(node).value();
}

/// Looks again and again; nothing where it does not come to hold in time.
ports::Task<std::optional<json::object>> Demo::get_node_until(
    std::string name, std::function<bool(const json::object&)> holds) {
  const MonoTime deadline = loop_.mono_now() + kStepTime;
  while (loop_.mono_now() < deadline) {
    auto node = co_await cluster_->client().get({{"cilium.io", "v2", "ciliumnodes"}, name}, limits());
    if (node && holds(*node)) {
      co_return std::move(node).value();
    }
    if (!co_await ports::sleep_for(loop_, kLookAgainAfter, stop_)) {
      break;
    }
  }
  co_return std::nullopt;
}

ports::Task<std::optional<std::vector<aws::AddressItem>>> Demo::get_addresses() {
  auto addresses = co_await ec2_->describe_addresses(limits());
  if (!addresses) {
    fail(addresses.error().message());
    co_return std::nullopt;
  }
  co_return std::move(addresses).value();
}

/// Not one of the operator's calls, so it is put together here.
ports::Task<bool> Demo::allocate_address() {
  aws::Query query("AllocateAddress");
  query.set("Domain", "vpc").set("TagSpecification.1.ResourceType", "elastic-ip");
  std::string specification = "ResourceType=elastic-ip,Tags=[";
  int number = 0;
  for (const auto& [key, value] : options_.address_tags) {
    const std::string tag = fmt::format("TagSpecification.1.Tag.{}", ++number);
    query.set(tag + ".Key", key).set(tag + ".Value", value);
    specification += fmt::format("{}{{Key={},Value={}}}", number == 1 ? "" : ",", key, value);
  }
  const SandboxAccess& access = world_->access();
  const Result<ports::HttpReply> reply = co_await http_->fetch(
      {.method = "POST",
       .target = access.ec2_url + "/",
       .headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
       .body = query.body(),
       .sign = ports::AwsSigning{.access_key_id = access.access_key_id,
                                 .secret_access_key = access.secret_access_key,
                                 .session_token = "",
                                 .region = access.region,
                                 .service = "ec2"}},
      limits());
  say(fmt::format("$ aws ec2 allocate-address --tag-specifications '{}]'", specification));
  if (!reply || reply->status != 200) {
    co_return fail(reply ? reply->body : reply.error().message());
  }
  co_return true;
}

}  // namespace berth::app
