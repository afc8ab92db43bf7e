#include <chrono>
#include <memory>

#include "app/agent_process.h"
#include "app/commands.h"
#include "runtime/files.h"

namespace berth::app {
namespace {

constexpr Duration kOnceWithin = std::chrono::seconds(30);

struct Flags {
  AgentSettings settings;
  LogFlags log;
  bool once = false;
};

ports::Task<int> run_process(AgentProcess& process, bool once, std::stop_token stop) {
  if (!once) {
    co_await process.run(stop);
    co_return kSuccess;
  }
  const Result<void> done = co_await process.run_once(kOnceWithin, stop);
  co_return done ? kSuccess : fail(Logger("agent"), done.error());
}

int run(const Flags& flags) {
  configure_log(flags.log.format, flags.log.level);
  runtime::Loop loop;
  const runtime::DiskFiles files;
  auto process = AgentProcess::make(loop, files, process_environment(), flags.settings);
  if (!process) {
    return fail(Logger("agent"), process.error());
  }
  return run_until_signal(loop, [&process, once = flags.once](std::stop_token stop) {
    return run_process(**process, once, std::move(stop));
  });
}

void add_count(CLI::App& app, const std::string& name, std::optional<std::int64_t>& count,
               const std::string& description) {
  app.add_option(name, count, description)
      ->check(CLI::Range(std::int64_t{0}, agent::kMaxCount))
      ->type_name("N");
}

void add_node_flags(CLI::App& app, agent::AgentFlags& flags) {
  agent::IpamSettings& ipam = flags.ipam;
  add_tags(app, "--ipam-static-ip-tags", ipam.static_ip_tags,
           "Tags that the node's static address must carry");
  add_count(app, "--ipam-min-allocate", ipam.min_allocate, "Pod addresses that the node has at least");
  add_count(app, "--ipam-pre-allocate", ipam.pre_allocate, "Pod addresses that are kept free");
  add_count(app, "--ipam-max-allocate", ipam.max_allocate, "Pod addresses that the node has at most");
  agent::EniSettings& eni = flags.eni;
  add_count(app, "--eni-first-interface-index", eni.first_interface_index,
            "First interface whose addresses pods get");
  app.add_option("--eni-use-primary-address", eni.use_primary_address,
                 "Whether pods get primary addresses too");
  app.add_option("--eni-disable-prefix-delegation", eni.disable_prefix_delegation,
                 "Whether prefixes are not used");
  app.add_option("--eni-delete-on-termination", eni.delete_on_termination,
                 "Whether interfaces go with their instance");
  app.add_option("--eni-subnet-ids", eni.subnet_ids, "Subnets of new interfaces")->delimiter(',');
  add_tags(app, "--eni-subnet-tags", eni.subnet_tags, "Tags of the subnets of new interfaces");
  app.add_option("--eni-security-groups", eni.security_groups, "Security groups of new interfaces")
      ->delimiter(',');
  add_tags(app, "--eni-security-group-tags", eni.security_group_tags,
           "Tags of the security groups of new interfaces");
  add_tags(app, "--eni-exclude-interface-tags", eni.exclude_interface_tags,
           "Tags of interfaces that pods do not use");
}

}  // namespace

void add_agent_command(CLI::App& app, Runner& runner) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("agent", "Publishes this node's CNI configuration and instance on its CiliumNode");
  command->add_option("--node-name", flags->settings.node_name, "Name of the Node, and of its CiliumNode")
      ->required();
  command
      ->add_option("--cni-conf", flags->settings.cni_conf,
                   "CNI configuration: a file, or a folder of which the first file with our plugin counts")
      ->required();
  command->add_flag("--once", flags->once, "Publish once and exit; non-zero where that was not possible");
  add_kube_flags(*command, flags->settings.kube);
  command->add_option("--listen", flags->settings.listen,
                      "HOST:PORT for /healthz and /readyz [default: nowhere]");
  add_log_flags(*command, flags->log);
  add_node_flags(*command, flags->settings.flags);
  command->callback([flags, &runner] { runner = [flags] { return run(*flags); }; });
}

}  // namespace berth::app
