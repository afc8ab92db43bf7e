#include "app/commands.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

#include "app/version.h"

namespace berth::app {

namespace {

bool has_subcommand(const CLI::App& app, std::string_view name) {
  return std::ranges::any_of(app.get_subcommands({}),
                             [name](const CLI::App* command) { return command->get_name() == name; });
}

std::string subcommands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("Static public IPs for Kubernetes nodes.", "berth");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(kUserAgent));
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  Runner runner;
  add_operator_command(app, runner);
  add_agent_command(app, runner);
  add_sandbox_command(app, runner);
  add_demo_command(app, runner);
  if (argc < 2 || (argv[1][0] != '-' && !has_subcommand(app, argv[1]))) {
    const std::string what =
        argc < 2 ? "a subcommand is missing" : "there is no subcommand '" + std::string(argv[1]) + "'";
    std::cerr << "berth: " << what << "; there are: " << subcommands(app) << "\nRun berth --help for more.\n";
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  return runner();
}

}  // namespace berth::app
