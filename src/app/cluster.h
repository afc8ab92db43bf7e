#pragma once
// A connection to a Kubernetes API: from flags and environment to a client that works.

#include <memory>
#include <string>

#include "app/environment.h"
#include "base/result.h"
#include "kube/client.h"
#include "ports/files.h"
#include "ports/http.h"
#include "runtime/loop.h"

namespace berth::app {

struct KubeFlags {
  std::string kubeconfig;  // empty: $KUBECONFIG, the pod's service account, ~/.kube/config
  std::string context;     // empty: the current one
};

class Cluster {
 public:
  /// `field_manager` is the name that managedFields and Events show. The error says what is missing where.
  static Result<std::unique_ptr<Cluster>> open(runtime::Loop& loop, const ports::Files& files,
                                               const Environment& environment, const KubeFlags& flags,
                                               std::string field_manager);

  kube::Client& client() { return *client_; }
  /// For people: "https://127.0.0.1:6443 (context "sandbox" of /tmp/w/kubeconfig)".
  const std::string& description() const { return description_; }

 private:
  Cluster() = default;

  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<kube::Client> client_;
  std::string description_;
};

}  // namespace berth::app
