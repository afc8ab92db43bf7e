#pragma once
// The Kubernetes API over HTTP: single objects, pages of a list, and the opening of a watch. Each call is one
// request (after a 401 with a token that has changed: two). It does not retry, wait or cache; whoever calls
// decides that. A reply that is not what the API promises is kInternal, never a crash.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "kube/bearer_token.h"
#include "kube/cluster_access.h"
#include "mechanism/watch.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/http.h"
#include "ports/kube_api.h"
#include "ports/task.h"

namespace berth::kube {

/// What a list or watch covers.
struct Collection {
  ports::ResourceType type;
  std::string space = {};           // namespace; empty: cluster-scoped, or all of them
  std::string field_selector = {};  // "metadata.name=node-1"; empty: everything
};

struct ListReply {
  std::vector<boost::json::object> items;
  std::size_t unreadable = 0;    // items that are no objects
  std::string resource_version;  // never empty on the last page
  std::string continue_token;    // empty: this is the last page
};

class Client final : public ports::KubeApi {
 public:
  /// `http` speaks TLS as `access` asks for. `field_manager` names us in managedFields: "berth-operator".
  Client(ClusterAccess access, std::string field_manager, ports::HttpClient& http, const ports::Files& files,
         ports::Clock& clock);

  ports::Task<Result<boost::json::object>> get(ports::ObjectRef ref, ports::CallLimits limits) override;
  ports::Task<Result<boost::json::object>> create(ports::ResourceType type, std::string space,
                                                  boost::json::object object,
                                                  ports::CallLimits limits) override;
  ports::Task<Result<boost::json::object>> merge_patch(ports::ObjectRef ref, std::string subresource,
                                                       boost::json::object patch,
                                                       ports::CallLimits limits) override;

  ports::Task<Result<ListReply>> list_page(Collection collection, mechanism::ListPage page,
                                           ports::CallLimits limits);

  /// The stream has status 200; its lines are watch events. `limits` bound only the opening.
  ports::Task<Result<std::unique_ptr<ports::HttpStream>>> open_watch(Collection collection,
                                                                     mechanism::OpenWatch watch,
                                                                     ports::CallLimits limits);

  const std::string& server() const { return server_; }

 private:
  Error unreachable(Error error, std::string operation) const;
  Result<void> sign(ports::HttpRequest& request);
  ports::Task<Result<ports::HttpReply>> fetch(ports::HttpRequest request, std::string operation,
                                              ports::CallLimits limits);
  ports::Task<Result<boost::json::object>> fetch_object(ports::HttpRequest request, std::string operation,
                                                        ports::CallLimits limits);

  std::string server_;
  std::string field_manager_;
  ports::HttpClient& http_;
  BearerToken token_;
};

}  // namespace berth::kube
