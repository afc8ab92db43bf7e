#include "app/commands.h"

namespace berth::app {

int run_command_line(int argc, char** argv) {
  CLI::App app("Static public IPs for Kubernetes nodes.", "berth");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  Runner runner;
  add_operator_command(app, runner);
  add_agent_command(app, runner);
  add_sandbox_command(app, runner);
  add_demo_command(app, runner);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return runner();
}

}  // namespace berth::app
