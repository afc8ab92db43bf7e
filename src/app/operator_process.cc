#include "app/operator_process.h"

#include <random>
#include <utility>

#include "app/version.h"
#include "aws/endpoint.h"
#include "aws/names.h"
#include "base/log.h"
#include "runtime/http_client.h"

namespace berth::app {

Result<std::unique_ptr<OperatorProcess>> OperatorProcess::make(runtime::Loop& loop, const ports::Files& files,
                                                               const Environment& environment,
                                                               OperatorSettings settings) {
  std::unique_ptr<OperatorProcess> process(new OperatorProcess());
  process->prng_ = std::make_unique<Prng>(std::random_device{}());

  auto cluster = Cluster::open(loop, files, environment, settings.kube, "berth-operator");
  if (!cluster) {
    return std::move(cluster).error();
  }
  process->cluster_ = std::move(cluster).value();

  Result<aws::Ec2Endpoint> endpoint = aws::ec2_endpoint(environment);
  if (!endpoint) {
    return std::move(endpoint).error();
  }
  const Logger logger("operator");
  logger.info("Serving " + process->cluster_->description() + " with the addresses of " + endpoint->region +
                  " (" + endpoint->url + ")",
              {{"server", process->cluster_->client().server()}, {"region", endpoint->region}});

  process->ec2_http_ = runtime::make_http_client(loop, {.user_agent = kUserAgent});
  process->credentials_ = aws::default_credentials(environment);
  process->cloud_ = std::make_unique<aws::Ec2Cloud>(*process->ec2_http_, *process->credentials_,
                                                    std::move(endpoint).value());
  process->source_ = std::make_unique<kube::CiliumNodeSource>(process->cluster_->client(), loop,
                                                              *process->prng_, "berth-operator");
  settings.options.policy.is_instance_id = aws::is_instance_id;
  process->operator_ = std::make_unique<control::Operator>(loop, *process->cloud_, *process->source_,
                                                           *process->prng_, settings.options);
  if (!settings.listen.empty()) {
    auto health = HealthServer::listen(
        loop, settings.listen, [running = process->operator_.get()] { return running->not_ready_why(); });
    if (!health) {
      return std::move(health).error();
    }
    process->health_ = std::move(health).value();
  }
  return process;
}

ports::Task<void> OperatorProcess::run(std::stop_token stop) {
  co_await operator_->run(stop);
  if (health_) {
    co_await health_->close();
  }
}

}  // namespace berth::app
