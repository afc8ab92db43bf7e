#pragma once
// Finding the cluster: kubeconfig files as kubectl reads them, and the configuration that every pod is given.
// The environment comes in as values; nothing here talks to the cluster.
//
// Supported: inline and file certificates, keys, CA; token and tokenFile; proxy-url; tls-server-name;
// insecure-skip-tls-verify; several files, of which for each name the first one to set it wins.
// Not supported, and said so: exec, auth-provider, username and password, impersonation.
//
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/cluster_access.h"
#include "ports/files.h"

namespace berth::kube {

/// A value that is written inline or kept in a file of its own; inline wins, as for kubectl.
struct KubeconfigValue {
  std::string inline_base64;
  std::string path;  // absolute, or relative to the working folder as the kubeconfig's path was
};

struct KubeconfigCluster {
  std::string file;  // that said so
  std::string server;
  KubeconfigValue ca;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;
  std::string proxy_url;
};

struct KubeconfigUser {
  std::string file;
  KubeconfigValue client_cert;
  KubeconfigValue client_key;
  std::string token;
  std::string token_file;
  std::string unsupported;  // what of it we cannot do, as a phrase; empty: nothing
};

struct KubeconfigContext {
  std::string file;
  std::string cluster;
  std::string user;
  std::string default_namespace;
};

struct Kubeconfig {
  std::vector<std::string> files;
  std::string current_context;
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
};

/// `path` is where `text` was read: for messages, and for the paths inside. kInvalid.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path);

/// What `first` does not say is taken from `second`.
Kubeconfig merge_kubeconfigs(Kubeconfig first, Kubeconfig second);

/// The cluster and user of `context` (empty: the current one). Reads the files that it refers to. kInvalid,
/// kNotFound.
Result<ClusterAccess> resolve_kubeconfig(const Kubeconfig& config, const std::string& context,
                                         const ports::Files& files);

/// What the process was told about where the cluster is.
struct AccessSettings {
  std::string kubeconfig;      // --kubeconfig; must exist where it is given
  std::string context;         // --context; empty: the current one
  std::string kubeconfig_env;  // $KUBECONFIG: paths joined by ':'
  std::string home;            // $HOME
  std::string service_host;    // $KUBERNETES_SERVICE_HOST: set in every pod
  std::string service_port;    // $KUBERNETES_SERVICE_PORT
};

/// The first that is given: --kubeconfig, $KUBECONFIG, the pod's service account, ~/.kube/config.
Result<ClusterAccess> find_cluster_access(const AccessSettings& settings, const ports::Files& files);

/// Only the pod's service account.
Result<ClusterAccess> in_cluster_access(const std::string& host, const std::string& port,
                                        const ports::Files& files);

}  // namespace berth::kube
