#pragma once
// What a sandbox leaves in its folder so that people and tools find it: kubeconfig, env, a wrapper for older
// aws CLIs, and each node's CNI configuration.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tag_map.h"

namespace berth::app {

struct SandboxAccess {
  std::string kube_server;  // URLs
  std::string ec2_url;
  std::string control_url;
  std::string ca_pem;
  std::string bearer_token;
  std::string region;
  std::string access_key_id;
  std::string secret_access_key;
  std::map<std::string, std::string> imds_url_of_node;
};

class SandboxFolder {
 public:
  /// `path` is made absolute.
  explicit SandboxFolder(const std::string& path);

  Result<void> write(const SandboxAccess& access, const model::TagMap& static_ip_tags) const;

  const std::string& path() const { return path_; }
  std::string kubeconfig() const { return path_ + "/kubeconfig"; }
  std::string env_file() const { return path_ + "/env"; }
  std::string cni_folder(const std::string& node) const { return path_ + "/nodes/" + node + "/cni/net.d"; }
  std::string conflist(const std::string& node) const {
    return cni_folder(node) + "/10-generic-veth.conflist";
  }

  /// The variables of the env file, for the commands that run inside the sandbox's process.
  std::map<std::string, std::string> variables(const SandboxAccess& access) const;

 private:
  std::string path_;
};

/// The CNI configuration that asks for an address with these tags.
std::string conflist_text(const model::TagMap& static_ip_tags);

}  // namespace berth::app
