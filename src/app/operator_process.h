#pragma once
// The operator with its real surroundings: a Kubernetes API and EC2.

#include <memory>
#include <string>

#include "app/cluster.h"
#include "app/environment.h"
#include "app/health_server.h"
#include "aws/credentials.h"
#include "aws/provider.h"
#include "base/prng.h"
#include "base/result.h"
#include "control/operator.h"
#include "control/options.h"
#include "kube/cilium_node_source.h"
#include "ports/files.h"
#include "runtime/loop.h"

namespace berth::app {

struct OperatorSettings {
  KubeFlags kube;
  control::OperatorOptions options;
  std::string listen;  // for probes; empty: nowhere
};

class OperatorProcess {
 public:
  /// Everything outlives it. The error says what is missing, and where it was looked for.
  static Result<std::unique_ptr<OperatorProcess>> make(runtime::Loop& loop, const ports::Files& files,
                                                       const Environment& environment,
                                                       OperatorSettings settings);

  ports::Task<void> run(std::stop_token stop);

 private:
  OperatorProcess() = default;

  std::unique_ptr<Prng> prng_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<ports::HttpClient> ec2_http_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::unique_ptr<aws::Ec2Cloud> cloud_;
  std::unique_ptr<kube::CiliumNodeSource> source_;
  std::unique_ptr<control::Operator> operator_;
  std::unique_ptr<HealthServer> health_;
};

}  // namespace berth::app
