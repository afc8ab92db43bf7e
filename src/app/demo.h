#pragma once
// The scenario, played by the real agent and operator against a sandbox, step by step. What each step shows
// is read from outside, over the sandbox's sockets, as kubectl and aws would read it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "app/agent_process.h"
#include "app/operator_process.h"
#include "app/sandbox_world.h"
#include "aws/ec2_client.h"
#include "base/log.h"
#include "runtime/files.h"

namespace berth::app {

class Demo {
 public:
  /// `folder` exists and is left as it is.
  Demo(runtime::Loop& loop, std::string folder);

  /// The exit code: success only where every step held.
  ports::Task<int> play(std::stop_token stop);

 private:
  using Step = ports::Task<bool> (Demo::*)();

  ports::Task<bool> open_world();
  ports::Task<bool> show_pool();
  ports::Task<bool> show_conflist();
  ports::Task<bool> publish();
  ports::Task<bool> associate();
  ports::Task<bool> show_status();
  ports::Task<bool> show_cloud();
  ports::Task<bool> show_waiting_node();
  ports::Task<bool> add_address();

  // Reading the world from outside.
  ports::Task<std::optional<boost::json::object>> get_node(std::string name);
  ports::Task<std::optional<boost::json::object>> get_node_until(
      std::string name, std::function<bool(const boost::json::object&)> holds);
  ports::Task<std::optional<std::vector<aws::AddressItem>>> get_addresses();
  ports::Task<bool> allocate_address();
  ports::CallLimits limits() const;

  bool fail(const std::string& why);
  void print_log(std::string_view containing) const;

  runtime::Loop& loop_;
  SandboxFolder folder_;
  SandboxOptions options_;
  runtime::DiskFiles files_;
  LogCapture log_;
  std::stop_token stop_;
  std::stop_source berth_stop_;
  std::unique_ptr<SandboxWorld> world_;
  std::unique_ptr<Cluster> cluster_;  // an outsider's connection
  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::unique_ptr<aws::Ec2Client> ec2_;
  std::vector<std::unique_ptr<AgentProcess>> agents_;
  std::unique_ptr<OperatorProcess> operator_;
  ports::TaskScope berth_;
  std::vector<std::string> served_;
  std::string waiting_;
};

}  // namespace berth::app
