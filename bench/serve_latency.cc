// How long a node waits for its address: from the patch of its CiliumNode to the status that a watch shows.
// The built binary is driven as people drive it: a sandbox and an operator as processes of their own, over
// sockets. Prints one table. The exit code says whether everything worked, never whether it was fast.

#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "bench/child_process.h"
#include "bench/measured.h"
#include "bench/node_watch.h"
#include "bench/world_client.h"
#include "runtime/write_file.h"

namespace berth::bench {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using ports::Task;

constexpr Duration kStartTime = 30s;
constexpr Duration kServeTime = 60s;  // whoever is not served by then never will be
constexpr Duration kSettleTime = 1s;  // for calls that come after the last node is served
constexpr Duration kLookAgainAfter = 10ms;
constexpr std::size_t kSpareAddresses = 99;
constexpr std::size_t kLogLines = 30;  // of each program, where something fails

struct Options {
  std::string berth;
  std::size_t sequential = 100;
  std::size_t at_once = 500;
};

json::object ask_for_address() { return {{"spec", {{"ipam", {{"static-ip-tags", {{"bench", "yes"}}}}}}}}; }

json::object set_label() { return {{"metadata", {{"labels", {{kEchoLabel, "yes"}}}}}}; }

Error not_seen(const std::string& what) {
  return {ErrorKind::kTimeout, "watch CiliumNodes",
          what + " was not seen within " + format_duration(kServeTime)};
}

class ServeLatency {
 public:
  /// `folder` exists and is empty.
  ServeLatency(runtime::Loop& loop, Options options, std::string folder, std::stop_token stop)
      : loop_(loop), options_(std::move(options)), folder_(std::move(folder)), stop_(std::move(stop)) {}

  Task<int> run() {
    const Result<void> done = co_await measure();
    watch_stop_.request_stop();
    co_await scope_.join();
    if (done) {
      std::cout << table(std::move(measured_));
    } else if (stop_.stop_requested()) {
      std::cerr << "serve_latency: stopped\n";
    } else {
      std::cerr << "serve_latency: " << done.error().message() << "\n";
      print_log("sandbox", sandbox_.get());
      print_log("operator", operator_.get());
    }
    operator_.reset();
    sandbox_.reset();
    co_return done ? app::kSuccess : app::kFailure;
  }

 private:
  using Step = Task<Result<void>> (ServeLatency::*)();
  using SeenAt = std::optional<MonoTime> NodeWatch::Seen::*;
  using Nodes = std::vector<std::string>;

  Task<Result<void>> measure() {
    constexpr Step steps[] = {&ServeLatency::start_programs,     &ServeLatency::populate,
                              &ServeLatency::serve_first,        &ServeLatency::measure_ec2,
                              &ServeLatency::measure_sequential, &ServeLatency::measure_at_once,
                              &ServeLatency::check_cloud};
    for (const Step step : steps) {
      if (Result<void> done = co_await (this->*step)(); !done) {
        co_return done;
      }
    }
    co_return {};
  }

  Task<Result<void>> start_programs();
  Task<Result<void>> populate();
  Task<Result<void>> serve_first();
  Task<Result<void>> measure_ec2();
  Task<Result<void>> measure_sequential();
  Task<Result<void>> measure_at_once();
  Task<Result<void>> check_cloud();

  /// Patches one node; how long until the watch shows it.
  Task<Result<Duration>> time_patch(std::string node, json::object patch, SeenAt seen);
  /// Patches all nodes at the same time; how long until the watch shows each.
  Task<Result<std::vector<Duration>>> time_patches(Nodes nodes, json::object patch, SeenAt seen);
  Task<void> create(std::string node, std::string instance);
  Task<void> patch(std::string node, json::object patch);
  Result<void> first_error();
  static void print_log(const std::string& name, ChildProcess* program);

  runtime::Loop& loop_;
  Options options_;
  std::string folder_;
  std::stop_token stop_;
  std::unique_ptr<ChildProcess> sandbox_;
  std::unique_ptr<ChildProcess> operator_;
  std::unique_ptr<WorldClient> world_;
  std::unique_ptr<NodeWatch> watch_;
  std::stop_source watch_stop_;
  ports::TaskScope scope_;
  std::vector<Error> errors_;  // of calls that ran side by side

  Nodes sequential_;
  Nodes at_once_;
  std::map<std::string, std::string> instance_of_;  // of all nodes
  std::string outside_instance_;                    // of no node
  Measured measured_;
};

Task<Result<void>> ServeLatency::start_programs() {
  const std::size_t addresses = 1 + options_.sequential + options_.at_once + kSpareAddresses;
  auto sandbox =
      ChildProcess::start({options_.berth, "sandbox", "--dir", folder_, "--nodes", "0", "--addresses",
                           std::to_string(addresses), "--address-tags", "bench=yes", "--world-only"},
                          {}, folder_ + "/sandbox.log");
  if (!sandbox) {
    co_return sandbox.error();
  }
  sandbox_ = std::move(sandbox).value();
  const MonoTime deadline = loop_.mono_now() + kStartTime;
  while (!sandbox_->output().ends_with("\nready\n")) {
    if (!sandbox_->is_running() || loop_.mono_now() > deadline) {
      co_return Error{ErrorKind::kInternal, "berth sandbox", "it did not come to say \"ready\""};
    }
    if (!co_await ports::sleep_for(loop_, kLookAgainAfter, stop_)) {
      co_return Error{ErrorKind::kCancelled, "berth sandbox", "stopped"};
    }
  }
  const Result<std::string> env = runtime::DiskFiles().read(folder_ + "/env");
  if (!env) {
    co_return env.error();
  }
  const Variables variables = read_env_file(*env);
  auto started = ChildProcess::start({options_.berth, "operator"}, variables, folder_ + "/operator.log");
  if (!started) {
    co_return started.error();
  }
  operator_ = std::move(started).value();
  auto world = WorldClient::open(loop_, variables, stop_);
  if (!world) {
    co_return world.error();
  }
  world_ = std::move(world).value();
  co_return {};
}

/// Instances that run, and a CiliumNode without a request for each but the last.
Task<Result<void>> ServeLatency::populate() {
  const std::size_t nodes = 1 + options_.sequential + options_.at_once;
  const auto instances = co_await world_->launch(nodes + 1);
  if (!instances) {
    co_return instances.error();
  }
  outside_instance_ = instances->back();
  ports::TaskScope creations;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string name = fmt::format("node-{:04}", i);
    instance_of_.emplace(name, (*instances)[i]);
    if (i > 0) {  // the first is for serve_first
      (i <= options_.sequential ? sequential_ : at_once_).push_back(name);
    }
    creations.spawn(create(name, (*instances)[i]));
  }
  co_await creations.join();
  if (Result<void> created = first_error(); !created) {
    co_return created;
  }
  measured_.berth = options_.berth;
  measured_.nodes = nodes;
  watch_ = std::make_unique<NodeWatch>(loop_, world_->kube());
  scope_.spawn(watch_->run(watch_stop_.get_token()));
  const bool seen = co_await watch_->wait_until([this, nodes] { return watch_->known() == nodes; },
                                                loop_.mono_now() + kServeTime, stop_);
  co_return seen ? Result<void>() : not_seen("every CiliumNode");
}

/// Shows that the operator is up, with its connections open; not part of any measurement.
Task<Result<void>> ServeLatency::serve_first() {
  const auto served =
      co_await time_patch(instance_of_.begin()->first, ask_for_address(), &NodeWatch::Seen::served);
  co_return served ? Result<void>() : served.error();
}

/// What the operator's two calls for one node cost by themselves.
Task<Result<void>> ServeLatency::measure_ec2() {
  const auto address = co_await world_->allocate_address();
  if (!address) {
    co_return address.error();
  }
  const std::vector<std::string> ids = {outside_instance_};
  for (std::size_t i = 0; i < options_.sequential; ++i) {
    MonoTime start = loop_.mono_now();
    const auto instances = co_await world_->ec2().describe_instances(ids, world_->limits());
    measured_.describe_calls.push_back(loop_.mono_now() - start);
    if (!instances) {
      co_return instances.error();
    }
    if (instances->empty() || instances->front().interfaces.empty()) {
      co_return Error{ErrorKind::kInternal, "DescribeInstances", outside_instance_ + " has no interface"};
    }
    const auto& interface = instances->front().interfaces.front();
    const aws::AssociateAddressRequest request{*address, interface.network_interface_id,
                                               interface.private_ip_address};
    start = loop_.mono_now();
    const auto association = co_await world_->ec2().associate_address(request, world_->limits());
    measured_.associate_calls.push_back(loop_.mono_now() - start);
    if (!association) {
      co_return association.error().error;
    }
    const auto gone = co_await world_->ec2().disassociate_address(*association, world_->limits());
    if (!gone) {
      co_return gone.error().error;
    }
  }
  co_return {};
}

Task<Result<void>> ServeLatency::measure_sequential() {
  for (const std::string& node : sequential_) {
    const auto echo = co_await time_patch(node, set_label(), &NodeWatch::Seen::echo);
    if (!echo) {
      co_return echo.error();
    }
    measured_.echoes.push_back(*echo);
  }
  for (const std::string& node : sequential_) {
    const auto served = co_await time_patch(node, ask_for_address(), &NodeWatch::Seen::served);
    if (!served) {
      co_return served.error();
    }
    measured_.served.push_back(*served);
  }
  co_return {};
}

Task<Result<void>> ServeLatency::measure_at_once() {
  auto echoes = co_await time_patches(at_once_, set_label(), &NodeWatch::Seen::echo);
  if (!echoes) {
    co_return echoes.error();
  }
  measured_.echoes_at_once = std::move(echoes).value();
  if (Result<void> reset = co_await world_->reset_calls(); !reset) {
    co_return reset;
  }
  auto served = co_await time_patches(at_once_, ask_for_address(), &NodeWatch::Seen::served);
  if (!served) {
    co_return served.error();
  }
  measured_.served_at_once = std::move(served).value();
  co_await ports::sleep_for(loop_, kSettleTime, stop_);
  auto calls = co_await world_->get_calls();
  if (!calls) {
    co_return calls.error();
  }
  measured_.calls = std::move(calls).value();
  const std::uint64_t associations = count_calls(measured_.calls, "AssociateAddress");
  if (associations != at_once_.size()) {
    co_return Error{ErrorKind::kInternal, "AssociateAddress",
                    fmt::format("called {} times for {} nodes", associations, at_once_.size())};
  }
  co_return {};
}

/// Every status names an address of its own, and the cloud says the same.
Task<Result<void>> ServeLatency::check_cloud() {
  const auto addresses = co_await world_->ec2().describe_addresses(world_->limits());
  if (!addresses) {
    co_return addresses.error();
  }
  std::map<std::string, std::string> address_of;
  for (const aws::AddressItem& address : *addresses) {
    if (!address.association_id.empty()) {
      address_of[address.instance_id] = address.public_ip;
    }
  }
  for (const auto& [node, instance] : instance_of_) {
    const std::string& shown = watch_->seen(node).address;
    if (shown.empty() || address_of[instance] != shown) {
      co_return Error{ErrorKind::kInternal, "DescribeAddresses",
                      fmt::format("the status of {} names \"{}\", but its instance {} has \"{}\"", node,
                                  shown, instance, address_of[instance])};
    }
  }
  co_return {};
}

Task<Result<Duration>> ServeLatency::time_patch(std::string node, json::object patch, SeenAt seen) {
  const MonoTime start = loop_.mono_now();
  if (const auto patched = co_await world_->patch_node(node, std::move(patch)); !patched) {
    co_return patched.error();
  }
  const bool shown = co_await watch_->wait_until(
      [this, &node, seen] { return (watch_->seen(node).*seen).has_value(); }, start + kServeTime, stop_);
  if (!shown) {
    co_return not_seen("the change of " + node);
  }
  co_return *(watch_->seen(node).*seen) - start;
}

Task<Result<std::vector<Duration>>> ServeLatency::time_patches(Nodes nodes, json::object patch_of_all,
                                                               SeenAt seen) {
  const MonoTime start = loop_.mono_now();
  ports::TaskScope patches;
  for (const std::string& node : nodes) {
    patches.spawn(patch(node, patch_of_all));
  }
  co_await patches.join();
  if (const Result<void> patched = first_error(); !patched) {
    co_return patched.error();
  }
  std::vector<Duration> times;
  for (const std::string& node : nodes) {
    const bool shown = co_await watch_->wait_until(
        [this, &node, seen] { return (watch_->seen(node).*seen).has_value(); }, start + kServeTime, stop_);
    if (!shown) {
      co_return not_seen("the change of " + node);
    }
    times.push_back(*(watch_->seen(node).*seen) - start);
  }
  co_return times;
}

Task<void> ServeLatency::create(std::string node, std::string instance) {
  if (Result<void> created = co_await world_->create_node(std::move(node), std::move(instance)); !created) {
    errors_.push_back(std::move(created).error());
  }
}

Task<void> ServeLatency::patch(std::string node, json::object patch) {
  if (Result<void> patched = co_await world_->patch_node(std::move(node), std::move(patch)); !patched) {
    errors_.push_back(std::move(patched).error());
  }
}

Result<void> ServeLatency::first_error() { return errors_.empty() ? Result<void>() : errors_.front(); }

void ServeLatency::print_log(const std::string& name, ChildProcess* program) {
  if (program != nullptr) {
    std::cerr << fmt::format("\nberth {} {}; the end of what it said:\n{}", name,
                             program->is_running() ? "runs" : "has ended", program->last_lines(kLogLines));
  }
}

int run(const Options& options) {
  const Result<std::string> folder = runtime::make_temporary_folder("berth-bench-");
  if (!folder) {
    return app::fail(Logger("serve_latency"), folder.error());
  }
  int code = app::kFailure;
  {
    runtime::Loop loop;
    std::unique_ptr<ServeLatency> bench;
    code = app::run_until_signal(loop, [&](std::stop_token stop) {
      bench = std::make_unique<ServeLatency>(loop, options, *folder, std::move(stop));
      return bench->run();
    });
  }
  runtime::remove_folder(*folder);
  return code;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  CLI::App app("Measures how long nodes wait for their addresses. Prints a table.", "serve_latency");
  berth::bench::Options options;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  options.berth = std::filesystem::proximate(self.parent_path().parent_path() / "berth", error).string();
  app.add_option("--berth", options.berth, "The program to measure")->capture_default_str();
  app.add_option("--nodes-sequential", options.sequential, "Nodes that are served one after the other")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--nodes-at-once", options.at_once, "Nodes that ask at the same time")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return berth::bench::run(options);
}
