#pragma once
// The agent with its real surroundings: a Kubernetes API, the disk and the instance metadata service.

#include <memory>
#include <string>

#include "agent/agent.h"
#include "app/cluster.h"
#include "app/environment.h"
#include "app/health_server.h"
#include "aws/imds.h"
#include "base/result.h"
#include "ports/files.h"
#include "runtime/loop.h"

namespace berth::app {

struct AgentSettings {
  KubeFlags kube;
  std::string node_name;
  std::string cni_conf;
  agent::AgentFlags flags;
  std::string listen;  // for probes; empty: nowhere
};

class AgentProcess {
 public:
  static Result<std::unique_ptr<AgentProcess>> make(runtime::Loop& loop, const ports::Files& files,
                                                    const Environment& environment, AgentSettings settings);

  ports::Task<void> run(std::stop_token stop);
  /// One pass within `time`.
  ports::Task<Result<void>> run_once(Duration time, std::stop_token stop);

 private:
  explicit AgentProcess(runtime::Loop& loop) : loop_(loop) {}

  runtime::Loop& loop_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<ports::HttpClient> imds_http_;
  std::unique_ptr<aws::Imds> imds_;
  std::unique_ptr<agent::Agent> agent_;
  std::unique_ptr<HealthServer> health_;
};

}  // namespace berth::app
