#include <memory>

#include "app/commands.h"
#include "app/demo.h"
#include "runtime/write_file.h"

namespace berth::app {
namespace {

int run() {
  const Result<std::string> folder = runtime::make_temporary_folder("berth-demo-");
  if (!folder) {
    return fail(Logger("demo"), folder.error());
  }
  int code = kFailure;
  {
    runtime::Loop loop;
    Demo demo(loop, *folder);
    code = run_until_signal(loop, [&demo](std::stop_token stop) { return demo.play(std::move(stop)); });
  }
  runtime::remove_folder(*folder);
  return code;
}

}  // namespace

void add_demo_command(CLI::App& app, Runner& runner) {
  CLI::App* command = app.add_subcommand(
      "demo", "Plays the main case on an embedded world and prints it; exit code 0 only if every step holds");
  command->callback([&runner] { runner = run; });
}

}  // namespace berth::app
