#pragma once
// A whole small world on loopback: a Kubernetes API, EC2, instance metadata per node, and the control door,
// each on a port of its own. Nothing of Berth itself runs in it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/sandbox_folder.h"
#include "base/result.h"
#include "model/tag_map.h"
#include "runtime/http_server.h"
#include "runtime/loop.h"
#include "sandbox/control_server.h"
#include "sandbox/ec2/ec2_server.h"
#include "sandbox/ec2/world.h"
#include "sandbox/faults.h"
#include "sandbox/imds_server.h"
#include "sandbox/kube/api_server.h"

namespace berth::app {

struct SandboxOptions {
  std::size_t nodes = 3;
  std::size_t addresses = 1;
  model::TagMap address_tags = {{"anton", "test"}, {"kubernetes_cluster", "cluster-1"}};
};

class SandboxWorld {
 public:
  /// Listens on ports that are free; `folder` is filled. kInvalid, kAlreadyTaken.
  static Result<std::unique_ptr<SandboxWorld>> open(runtime::Loop& loop, SandboxOptions options,
                                                    const SandboxFolder& folder);

  ports::Task<void> close();

  const SandboxAccess& access() const { return access_; }
  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  SandboxWorld(runtime::Loop& loop, SandboxOptions options);

  Result<void> seed();
  Result<void> seed_node(const std::string& name);
  Result<void> listen();
  Result<std::string> serve(ports::HttpHandler& handler,
                            std::optional<runtime::TlsIdentity> tls = std::nullopt);

  runtime::Loop& loop_;
  SandboxOptions options_;
  SandboxAccess access_;
  sandbox::Faults faults_;
  sandbox::Ec2World ec2_world_;
  sandbox::Ec2Server ec2_;
  sandbox::KubeApiServer kube_;
  sandbox::ControlServer control_;
  std::vector<std::string> nodes_;
  std::vector<sandbox::InstanceId> instances_;  // of the nodes, in their order
  std::vector<std::unique_ptr<sandbox::ImdsServer>> imds_;
  std::vector<std::unique_ptr<runtime::HttpServer>> servers_;
};

}  // namespace berth::app
