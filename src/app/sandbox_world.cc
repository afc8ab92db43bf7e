#include "app/sandbox_world.h"

#include <utility>

#include <boost/json.hpp>

#include "sandbox/tls.h"

namespace berth::app {
namespace {

namespace json = boost::json;

// Keys that open nothing but a sandbox.
constexpr const char* kAccessKeyId = "AKIASANDBOXSANDBOX00";
constexpr const char* kSecretAccessKey = "sandbox-secret-access-key-00000000000000";
constexpr const char* kBearerToken = "sandbox-token";

/// The Node that a kubelet on this instance would register.
json::object node_object(const std::string& name, const std::string& zone, const std::string& instance,
                         const std::string& private_ip) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name},
            {"labels",
             {{"kubernetes.io/hostname", name},
              {"kubernetes.io/os", "linux"},
              {"topology.kubernetes.io/zone", zone},
              {"node.kubernetes.io/instance-type", "m5.large"}}}}},
          {"spec", {{"providerID", "aws:///" + zone + "/" + instance}}},
          {"status",
           {{"addresses", json::array{json::object{{"type", "InternalIP"}, {"address", private_ip}},
                                      json::object{{"type", "Hostname"}, {"address", name}}}},
            {"conditions",
             json::array{json::object{{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}}}},
            {"nodeInfo", {{"kubeletVersion", "v1.32.0"}}}}}};
}

}  // namespace

SandboxWorld::SandboxWorld(runtime::Loop& loop, SandboxOptions options)
    : loop_(loop),
      options_(std::move(options)),
      ec2_world_(loop),
      ec2_(loop, faults_, ec2_world_, {{kAccessKeyId, kSecretAccessKey, ""}}),
      kube_(loop, faults_, {.bearer_token = kBearerToken}),
      control_(loop, faults_) {
  access_.region = ec2_world_.options().region;
  access_.access_key_id = kAccessKeyId;
  access_.secret_access_key = kSecretAccessKey;
  access_.bearer_token = kBearerToken;
}

Result<std::unique_ptr<SandboxWorld>> SandboxWorld::open(runtime::Loop& loop, SandboxOptions options,
                                                         const SandboxFolder& folder) {
  std::unique_ptr<SandboxWorld> world(new SandboxWorld(loop, std::move(options)));
  if (Result<void> seeded = world->seed(); !seeded) {
    return std::move(seeded).error();
  }
  if (Result<void> listening = world->listen(); !listening) {
    return std::move(listening).error();
  }
  if (Result<void> written = folder.write(world->access_, world->options_.address_tags); !written) {
    return std::move(written).error();
  }
  return world;
}

Result<void> SandboxWorld::seed() {
  for (std::size_t i = 0; i < options_.addresses; ++i) {
    ec2_world_.allocate_seed_address(options_.address_tags);
  }
  for (std::size_t i = 1; i <= options_.nodes; ++i) {
    if (Result<void> seeded = seed_node("node-" + std::to_string(i)); !seeded) {
      return seeded;
    }
  }
  return {};
}

Result<void> SandboxWorld::seed_node(const std::string& name) {
  sandbox::Launch launch;
  launch.tags = {{"Name", name}};
  const sandbox::InstanceId id = ec2_world_.run_seed_instance(launch);
  const sandbox::Moment now = ec2_world_.now();
  const sandbox::Instance* instance = now.instance(id);
  const sandbox::Interface* interface = now.interface(instance->interfaces.front());
  const std::string private_ip = interface->private_addresses.front().ip.to_string();
  nodes_.push_back(name);
  instances_.push_back(id);
  auto seeded = kube_.seed(node_object(name, ec2_world_.options().zone(), id.str(), private_ip));
  return seeded ? Result<void>() : std::move(seeded).error();
}

Result<void> SandboxWorld::listen() {
  Result<sandbox::TlsIdentity> tls = sandbox::make_tls_identity(loop_.wall_now());
  if (!tls) {
    return std::move(tls).error();
  }
  access_.ca_pem = tls->ca_certificate;
  Result<std::string> kube = serve(kube_, runtime::TlsIdentity{tls->server_certificate, tls->server_key});
  Result<std::string> ec2 = serve(ec2_);
  Result<std::string> control = serve(control_);
  for (Result<std::string>* url : {&kube, &ec2, &control}) {
    if (!*url) {
      return std::move(*url).error();
    }
  }
  access_.kube_server = *kube;
  access_.ec2_url = *ec2;
  access_.control_url = *control;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    imds_.push_back(std::make_unique<sandbox::ImdsServer>(loop_, faults_, ec2_world_, instances_[i]));
    Result<std::string> url = serve(*imds_.back());
    if (!url) {
      return std::move(url).error();
    }
    access_.imds_url_of_node[nodes_[i]] = *url;
  }
  return {};
}

/// The URL under which it is served.
Result<std::string> SandboxWorld::serve(ports::HttpHandler& handler,
                                        std::optional<runtime::TlsIdentity> tls) {
  const std::string scheme = tls ? "https" : "http";
  auto server = runtime::HttpServer::listen(loop_, {}, std::move(tls), handler);
  if (!server) {
    return std::move(server).error();
  }
  servers_.push_back(std::move(server).value());
  return scheme + "://127.0.0.1:" + std::to_string(servers_.back()->port());
}

ports::Task<void> SandboxWorld::close() {
  for (const auto& server : servers_) {
    co_await server->close();
  }
}

}  // namespace berth::app
