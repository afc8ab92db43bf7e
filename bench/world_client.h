#pragma once
// A sandbox's world, as a client from outside sees and changes it: EC2 and the Kubernetes API over sockets,
// and the count of calls behind the control door. Calls that fail are not repeated.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "app/cluster.h"
#include "aws/credentials.h"
#include "aws/ec2_client.h"
#include "base/result.h"
#include "ports/http.h"
#include "runtime/files.h"
#include "runtime/loop.h"

namespace berth::bench {

using Variables = std::map<std::string, std::string>;

/// What a shell would have set after sourcing the sandbox's env file; its PATH is left out.
Variables read_env_file(const std::string& text);

/// Number of calls by action and result ("ok", or an error's code).
using Calls = std::map<std::string, std::map<std::string, std::uint64_t>>;

class WorldClient {
 public:
  /// `variables` are those of the sandbox's env file; `stop` ends whatever call is under way.
  static Result<std::unique_ptr<WorldClient>> open(runtime::Loop& loop, const Variables& variables,
                                                   std::stop_token stop);

  /// Ids of new instances; returns when all of them run.
  ports::Task<Result<std::vector<std::string>>> launch(std::size_t count);

  /// The allocation id of a new address without tags.
  ports::Task<Result<std::string>> allocate_address();

  ports::Task<Result<void>> create_node(std::string name, std::string instance);
  ports::Task<Result<void>> patch_node(std::string name, boost::json::object patch);

  ports::Task<Result<void>> reset_calls();
  ports::Task<Result<Calls>> get_calls();

  aws::Ec2Client& ec2() { return *ec2_; }
  kube::Client& kube() { return cluster_->client(); }
  ports::CallLimits limits() const;

 private:
  WorldClient(runtime::Loop& loop, std::stop_token stop) : loop_(loop), stop_(std::move(stop)) {}

  /// For actions that the operator never calls: the body of EC2's reply.
  ports::Task<Result<std::string>> send(aws::Query query);
  ports::Task<Result<void>> wait_until_running(std::vector<std::string> ids);
  ports::Task<Result<std::string>> control(std::string method, std::string path);

  runtime::Loop& loop_;
  std::stop_token stop_;
  runtime::DiskFiles files_;
  std::unique_ptr<app::Cluster> cluster_;
  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  aws::Ec2Endpoint endpoint_;
  std::unique_ptr<aws::Ec2Client> ec2_;
  std::string control_url_;
};

}  // namespace berth::bench
