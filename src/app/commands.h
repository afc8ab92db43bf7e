#pragma once
// The subcommands, and the choice among them.

#include <CLI/CLI.hpp>

#include "app/command.h"

namespace berth::app {

// Each adds its subcommand to `app`; `runner` is set where it is the one that was asked for.
void add_operator_command(CLI::App& app, Runner& runner);
void add_agent_command(CLI::App& app, Runner& runner);
void add_sandbox_command(CLI::App& app, Runner& runner);
void add_demo_command(CLI::App& app, Runner& runner);

/// The process's exit code.
int run_command_line(int argc, char** argv);

}  // namespace berth::app
