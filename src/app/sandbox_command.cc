#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "app/agent_process.h"
#include "app/commands.h"
#include "app/operator_process.h"
#include "app/sandbox_world.h"
#include "runtime/files.h"

namespace berth::app {
namespace {

struct Flags {
  std::string folder;
  SandboxOptions options;
  OperatorSettings operator_settings;
  bool world_only = false;
  LogFlags log;
};

std::string describe(const SandboxWorld& world, const SandboxFolder& folder, const Flags& flags) {
  const SandboxAccess& access = world.access();
  std::string text = fmt::format(
      "Kubernetes API  {}  {} nodes, cilium.io/v2 CiliumNode\n"
      "EC2             {}   {}, {} instances, {} addresses with the tags {}\n",
      access.kube_server, world.nodes().size(), access.ec2_url, access.region, world.nodes().size(),
      flags.options.addresses, model::to_string(flags.options.address_tags));
  for (const auto& [node, url] : access.imds_url_of_node) {
    text += fmt::format("IMDSv2          {}   {}\n", url, node);
  }
  text += fmt::format(
      "Control         {}   PUT /faults/ACTION, DELETE /faults, GET /calls\n"
      "Berth           {}\n\n"
      "To look at it, in another terminal:\n"
      "  source {}\n"
      "  kubectl get ciliumnodes\n"
      "  aws ec2 describe-addresses\n"
      "  curl $BERTH_SANDBOX_CONTROL/calls\n",
      access.control_url,
      flags.world_only ? "not running: start `berth operator` and `berth agent` with that environment"
                       : "the operator and one agent per node run in this process",
      folder.env_file());
  return text;
}

class Sandbox {
 public:
  Sandbox(runtime::Loop& loop, const Flags& flags) : loop_(loop), flags_(flags), folder_(flags.folder) {}

  ports::Task<int> run(std::stop_token stop) {
    auto opened = SandboxWorld::open(loop_, flags_.options, folder_);
    if (!opened) {
      co_return fail(logger_, opened.error());
    }
    world_ = std::move(opened).value();
    int code = kSuccess;
    if (const Result<void> started = flags_.world_only ? Result<void>() : start_berth(stop); !started) {
      code = fail(logger_, started.error());
    } else {
      std::cout << describe(*world_, folder_, flags_) << "ready" << std::endl;
      ports::Event never(loop_);
      co_await never.wait(std::nullopt, stop);
    }
    co_await scope_.join();
    co_await world_->close();
    co_return code;
  }

 private:
  Result<void> start_berth(std::stop_token stop) {
    const Environment base = with(process_environment(), folder_.variables(world_->access()));
    auto made = OperatorProcess::make(loop_, files_, base, flags_.operator_settings);
    if (!made) {
      return std::move(made).error();
    }
    for (const std::string& node : world_->nodes()) {
      const Environment environment =
          with(base, {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", world_->access().imds_url_of_node.at(node)}});
      auto agent = AgentProcess::make(loop_, files_, environment,
                                      {.node_name = node, .cni_conf = folder_.cni_folder(node)});
      if (!agent) {
        return std::move(agent).error();
      }
      agents_.push_back(std::move(agent).value());
    }
    operator_ = std::move(made).value();
    scope_.spawn(operator_->run(stop));
    for (const auto& agent : agents_) {
      scope_.spawn(agent->run(stop));
    }
    return {};
  }

  runtime::Loop& loop_;
  const Flags& flags_;
  SandboxFolder folder_;
  Logger logger_{"sandbox"};
  runtime::DiskFiles files_;
  std::unique_ptr<SandboxWorld> world_;
  std::unique_ptr<OperatorProcess> operator_;
  std::vector<std::unique_ptr<AgentProcess>> agents_;
  ports::TaskScope scope_;
};

int run(const Flags& flags) {
  configure_log(flags.log.format, flags.log.level);
  runtime::Loop loop;
  Sandbox sandbox(loop, flags);
  return run_until_signal(loop, [&sandbox](std::stop_token stop) { return sandbox.run(std::move(stop)); });
}

}  // namespace

void add_sandbox_command(CLI::App& app, Runner& runner) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "sandbox", "Serves a small world on loopback until stopped: a Kubernetes API, EC2, instance metadata");
  command
      ->add_option("--dir", flags->folder,
                   "Folder for kubeconfig, env, bin/aws and the nodes' CNI configurations")
      ->required();
  command->add_option("--nodes", flags->options.nodes, "Nodes, each with a running instance")
      ->check(CLI::Range(0, 500))
      ->capture_default_str();
  command->add_option("--addresses", flags->options.addresses, "Elastic IPs")
      ->check(CLI::Range(0, 60000))
      ->capture_default_str();
  add_tags(*command, "--address-tags", flags->options.address_tags,
           "Tags of these Elastic IPs, and what the nodes' CNI configurations ask for");
  command->add_flag("--world-only", flags->world_only, "Without the operator and the agents");
  add_duration(*command, "--refresh-interval", flags->operator_settings.options.refresh_interval,
               "Of the operator: how often all addresses are read");
  add_log_flags(*command, flags->log);
  command->callback([flags, &runner] { runner = [flags] { return run(*flags); }; });
}

}  // namespace berth::app
