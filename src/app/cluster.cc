#include "app/cluster.h"

#include <utility>

#include "app/version.h"
#include "kube/kubeconfig.h"
#include "runtime/http_client.h"

namespace berth::app {

Result<std::unique_ptr<Cluster>> Cluster::open(runtime::Loop& loop, const ports::Files& files,
                                               const Environment& environment, const KubeFlags& flags,
                                               std::string field_manager) {
  Result<kube::ClusterAccess> access =
      kube::find_cluster_access({.kubeconfig = flags.kubeconfig,
                                 .context = flags.context,
                                 .kubeconfig_env = variable(environment, "KUBECONFIG"),
                                 .home = variable(environment, "HOME"),
                                 .service_host = variable(environment, "KUBERNETES_SERVICE_HOST"),
                                 .service_port = variable(environment, "KUBERNETES_SERVICE_PORT")},
                                files);
  if (!access) {
    return std::move(access).error();
  }
  std::unique_ptr<Cluster> cluster(new Cluster());
  cluster->description_ = access->server + " (" + access->origin + ")";
  cluster->http_ = runtime::make_http_client(loop, {.ca_pem = access->ca_pem,
                                                    .client_certificate_pem = access->client_cert_pem,
                                                    .client_key_pem = access->client_key_pem,
                                                    .insecure_skip_verify = access->insecure_skip_tls_verify,
                                                    .tls_server_name = access->tls_server_name,
                                                    .proxy_url = access->proxy_url,
                                                    .user_agent = kUserAgent});
  cluster->client_ = std::make_unique<kube::Client>(std::move(access).value(), std::move(field_manager),
                                                    *cluster->http_, files, loop);
  return cluster;
}

}  // namespace berth::app
