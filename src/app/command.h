#pragma once
// What the subcommands share: flags that several have, and running until a signal comes.

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cluster.h"
#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "model/tag_map.h"
#include "ports/task.h"
#include "runtime/loop.h"

namespace berth::app {

// Exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

/// A subcommand: registers itself with its flags; when it is the one that was asked for, runs and says how it
/// ended.
using Runner = std::function<int()>;

/// "15s", "1m30s"; anything else is a usage error that shows the form.
void add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& description);

/// "k=v,k=v", or a JSON object where a value holds a comma.
void add_tags(CLI::App& app, const std::string& name, model::TagMap& tags, const std::string& description);

void add_kube_flags(CLI::App& app, KubeFlags& flags);

struct LogFlags {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;
};
void add_log_flags(CLI::App& app, LogFlags& flags);

/// Runs `body` until it ends, and asks it to stop at SIGINT or SIGTERM. A second signal ends the process at
/// once.
int run_until_signal(runtime::Loop& loop, std::function<ports::Task<int>(std::stop_token)> body);

/// Logs an error that keeps a command from starting.
int fail(const Logger& logger, const Error& error);

}  // namespace berth::app
