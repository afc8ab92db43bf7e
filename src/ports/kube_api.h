#pragma once
// Single objects of a Kubernetes API, as JSON. What is written is always a whole new object or a merge patch
// of exactly the caller's own keys (RFC 7386); there is no call that replaces an object, so a field that we
// do not know cannot be lost.

#include <string>

#include <boost/json.hpp>

#include "base/result.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::ports {

/// Where objects of one type live: {"cilium.io", "v2", "ciliumnodes"}; the core group is "".
struct ResourceType {
  std::string group;
  std::string version;
  std::string plural;
};

struct ObjectRef {
  ResourceType type;
  std::string name;
  std::string space = {};  // namespace; empty for cluster-scoped types
};

class KubeApi {
 public:
  KubeApi() = default;
  KubeApi(const KubeApi&) = delete;
  KubeApi& operator=(const KubeApi&) = delete;
  virtual ~KubeApi() = default;

  virtual Task<Result<boost::json::object>> get(ObjectRef ref, CallLimits limits) = 0;

  /// Into the collection that `type` and `space` name. kConflict where the name is taken.
  virtual Task<Result<boost::json::object>> create(ResourceType type, std::string space,
                                                   boost::json::object object, CallLimits limits) = 0;

  /// `subresource` is "" or "status". Gives the object as it is afterwards.
  virtual Task<Result<boost::json::object>> merge_patch(ObjectRef ref, std::string subresource,
                                                        boost::json::object patch, CallLimits limits) = 0;
};

}  // namespace berth::ports
