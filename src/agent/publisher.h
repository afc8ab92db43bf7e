#pragma once
// Brings one CiliumNode to what its node wants it to say: creates it, or patches exactly what differs.
// Decides nothing (node_spec.h does) and waits for nothing; whoever calls it tries again.

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "ports/http.h"
#include "ports/kube_api.h"
#include "ports/task.h"

namespace berth::agent {

/// What one pass wrote; nothing, where all was so already.
struct Written {
  bool created = false;
  std::vector<std::string> paths;  // "spec.ipam.static-ip-tags.anton"
};

class Publisher {
 public:
  /// `kube` outlives the publisher, the publisher its tasks.
  Publisher(std::string node_name, ports::KubeApi& kube) : node_name_(std::move(node_name)), kube_(kube) {}

  /// `desired` as desired_spec gives it. kNotFound where the Node, or the type CiliumNode, does not exist
  /// (yet); kInvalid where the API server refuses a value or leaves a field out; otherwise what the API says.
  /// A conflict with another writer is read again and solved here a few times before it is an error.
  ports::Task<Result<Written>> publish(boost::json::object desired, ports::CallLimits limits);

 private:
  ports::Task<Result<boost::json::object>> fetch_owner(ports::CallLimits limits);
  ports::Task<Result<Written>> publish_once(boost::json::object desired, boost::json::object owner,
                                            ports::CallLimits limits);
  ports::Task<Result<Written>> create(boost::json::object desired, boost::json::object owner,
                                      ports::CallLimits limits);
  ports::Task<Result<Written>> correct(boost::json::object current, boost::json::object desired,
                                       boost::json::object owner, ports::CallLimits limits);
  Result<void> check_kept(const boost::json::object& now, const boost::json::object& desired) const;

  std::string node_name_;
  ports::KubeApi& kube_;
};

}  // namespace berth::agent
