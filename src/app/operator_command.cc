#include <map>
#include <memory>

#include "app/commands.h"
#include "app/operator_process.h"
#include "runtime/files.h"

namespace berth::app {
namespace {

struct Flags {
  OperatorSettings settings;
  LogFlags log;
};

ports::Task<int> run_process(OperatorProcess& process, std::stop_token stop) {
  co_await process.run(stop);
  Logger("operator").info("Stopped; every association stays as it is");
  co_return kSuccess;
}

int run(const Flags& flags) {
  configure_log(flags.log.format, flags.log.level);
  runtime::Loop loop;
  const runtime::DiskFiles files;
  auto process = OperatorProcess::make(loop, files, process_environment(), flags.settings);
  if (!process) {
    return fail(Logger("operator"), process.error());
  }
  return run_until_signal(
      loop, [&process](std::stop_token stop) { return run_process(**process, std::move(stop)); });
}

}  // namespace

void add_operator_command(CLI::App& app, Runner& runner) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("operator", "Gives every node that asks for one a static public address");
  control::OperatorOptions& options = flags->settings.options;
  add_kube_flags(*command, flags->settings.kube);
  add_duration(*command, "--refresh-interval", options.refresh_interval,
               "How often all addresses are read; a free one reaches a waiting node within it");
  add_duration(*command, "--cloud-consistency-grace", options.consistency_grace,
               "How long the cloud's reads may lag behind its writes");
  static const std::map<std::string, plan::ReclaimPolicy> policies = {
      {"release", plan::ReclaimPolicy::kRelease}, {"retain", plan::ReclaimPolicy::kRetain}};
  command
      ->add_option("--static-ip-reclaim-policy", options.policy.reclaim,
                   "What becomes of the address of a node that asks for none any more: release or retain")
      ->transform(CLI::CheckedTransformer(policies, CLI::ignore_case).description(""))
      ->default_str("release")
      ->type_name("POLICY");
  command->add_option("--listen", flags->settings.listen,
                      "HOST:PORT for /healthz and /readyz [default: nowhere]");
  add_log_flags(*command, flags->log);
  command->callback([flags, &runner] { runner = [flags] { return run(*flags); }; });
}

}  // namespace berth::app
