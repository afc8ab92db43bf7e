#include "app/agent_process.h"

#include <random>
#include <utility>

#include "app/version.h"
#include "aws/endpoint.h"
#include "base/log.h"
#include "runtime/http_client.h"

namespace berth::app {

Result<std::unique_ptr<AgentProcess>> AgentProcess::make(runtime::Loop& loop, const ports::Files& files,
                                                         const Environment& environment,
                                                         AgentSettings settings) {
  std::unique_ptr<AgentProcess> process(new AgentProcess(loop));
  auto cluster = Cluster::open(loop, files, environment, settings.kube, "berth-agent");
  if (!cluster) {
    return std::move(cluster).error();
  }
  process->cluster_ = std::move(cluster).value();

  Result<std::string> endpoint = aws::imds_endpoint(environment);
  if (!endpoint) {
    return std::move(endpoint).error();
  }
  process->imds_http_ = runtime::make_http_client(loop, {.no_proxy_at_all = true, .user_agent = kUserAgent});
  process->imds_ = std::make_unique<aws::Imds>(*process->imds_http_, loop, std::move(endpoint).value());
  process->agent_ = std::make_unique<agent::Agent>(agent::AgentOptions{.node_name = settings.node_name,
                                                                       .cni_conf = settings.cni_conf,
                                                                       .flags = settings.flags,
                                                                       .seed = std::random_device{}()},
                                                   loop, files, *process->imds_, process->cluster_->client(),
                                                   Logger("agent"));
  if (!settings.listen.empty()) {
    auto health = HealthServer::listen(
        loop, settings.listen, [running = process->agent_.get()] { return running->not_ready_why(); });
    if (!health) {
      return std::move(health).error();
    }
    process->health_ = std::move(health).value();
  }
  return process;
}

ports::Task<void> AgentProcess::run(std::stop_token stop) {
  co_await agent_->run(stop);
  if (health_) {
    co_await health_->close();
  }
}

ports::Task<Result<void>> AgentProcess::run_once(Duration time, std::stop_token stop) {
  return agent_->run_once({loop_.mono_now() + time, std::move(stop)});
}

}  // namespace berth::app
