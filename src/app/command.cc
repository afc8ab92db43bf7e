#include "app/command.h"

#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include "agent/settings.h"
#include "runtime/signals.h"

namespace berth::app {
namespace {

ports::Task<void> stop_at_signal(runtime::Loop& loop, std::stop_source stop, std::stop_token done) {
  if (co_await runtime::wait_for_signal(loop, {SIGINT, SIGTERM}, done) == 0) {
    co_return;
  }
  stop.request_stop();
  if (const int again = co_await runtime::wait_for_signal(loop, {SIGINT, SIGTERM}, done); again != 0) {
    std::_Exit(128 + again);
  }
}

ports::Task<int> run_with_signals(runtime::Loop& loop,
                                  std::function<ports::Task<int>(std::stop_token)> body) {
  const std::stop_source stop;
  const std::stop_source done;
  ports::TaskScope signals;
  signals.spawn(stop_at_signal(loop, stop, done.get_token()));
  const int code = co_await body(stop.get_token());
  done.request_stop();
  co_await signals.join();
  co_return code;
}

}  // namespace

void add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [name, &value](const std::string& text) {
           const std::optional<Duration> duration = parse_duration(text);
           if (!duration || *duration <= Duration::zero()) {
             throw CLI::ValidationError(
                 name, "\"" + text + "\" is no duration; expected for example 15s, 1m30s or 250ms");
           }
           value = *duration;
         },
         description)
      ->default_str(format_duration(value))
      ->type_name("DURATION");
}

void add_kube_flags(CLI::App& app, KubeFlags& flags) {
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "Kubeconfig file [default: $KUBECONFIG, the pod's service account, ~/.kube/config]");
  app.add_option("--context", flags.context, "Context of the kubeconfig [default: its current one]");
}

void add_tags(CLI::App& app, const std::string& name, model::TagMap& tags, const std::string& description) {
  app.add_option_function<std::string>(
         name,
         [name, &tags](const std::string& text) {
           Result<model::TagMap> parsed = agent::parse_tags_flag(name, text);
           if (!parsed) {
             throw CLI::ValidationError(parsed.error().message());
           }
           tags = std::move(parsed).value();
         },
         description)
      ->type_name("TAGS");
}

void add_log_flags(CLI::App& app, LogFlags& flags) {
  static const std::map<std::string, LogFormat> formats = {{"text", LogFormat::kText},
                                                           {"json", LogFormat::kJson}};
  static const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                         {"info", LogLevel::kInfo},
                                                         {"warning", LogLevel::kWarning},
                                                         {"error", LogLevel::kError}};
  app.add_option("--log-format", flags.format, "text or json, one event a line on standard error")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case).description(""))
      ->default_str("text")
      ->type_name("FORMAT");
  app.add_option("--log-level", flags.level, "The least level that is logged: debug, info, warning or error")
      ->transform(CLI::CheckedTransformer(levels, CLI::ignore_case).description(""))
      ->default_str("info")
      ->type_name("LEVEL");
}

int run_until_signal(runtime::Loop& loop, std::function<ports::Task<int>(std::stop_token)> body) {
  return loop.run(run_with_signals(loop, std::move(body)));
}

int fail(const Logger& logger, const Error& error) {
  logger.error(error.message());
  return kFailure;
}

}  // namespace berth::app
