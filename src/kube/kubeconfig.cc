#include "kube/kubeconfig.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

namespace berth::kube {
namespace {

// https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount/";

Error invalid(std::string operation, std::string detail) {
  return {.kind = ErrorKind::kInvalid, .operation = std::move(operation), .detail = std::move(detail)};
}

std::string trimmed(std::string_view text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && blank(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

std::optional<std::string> decode_base64(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
  if (text.empty() || text.size() % 4 != 0 || padding > 2 || text.find('=') < text.size() - padding) {
    return std::nullopt;
  }
  std::vector<unsigned char> out(text.size() / 4 * 3);
  std::vector<unsigned char> in(text.begin(), text.end());
  if (EVP_DecodeBlock(out.data(), in.data(), static_cast<int>(in.size())) < 0) {
    return std::nullopt;
  }
  return std::string(out.begin(), out.end() - static_cast<std::ptrdiff_t>(padding));
}

/// A certificate or key, from wherever it is. `what` is the key of the kubeconfig: "client-key".
Result<std::string> read_pem(const KubeconfigValue& value, const std::string& what, const std::string& origin,
                             const ports::Files& files) {
  std::string pem;
  std::string where;
  if (!value.inline_base64.empty()) {
    where = what + "-data";
    const auto decoded = decode_base64(value.inline_base64);
    if (!decoded) {
      return invalid(origin, fmt::format("{} is not base64", where));
    }
    pem = *decoded;
  } else if (!value.path.empty()) {
    where = fmt::format("{} {}", what, value.path);
    auto text = files.read(value.path);
    if (!text) {
      Error error = std::move(text).error();
      error.detail = fmt::format("{}, which is its {}, cannot be read: {}", value.path, what, error.detail);
      error.operation = origin;
      return error;
    }
    pem = *text;
  } else {
    return pem;
  }
  if (pem.find("-----BEGIN ") == std::string::npos) {
    return invalid(origin, fmt::format("{} holds no PEM block: expected -----BEGIN …", where));
  }
  return pem;
}

template <class Map>
std::string names(const Map& map) {
  std::vector<std::string> all;
  all.reserve(map.size());
  for (const auto& [name, entry] : map) {
    all.push_back('"' + name + '"');
  }
  return all.empty() ? "there is none" : fmt::format("there are {}", fmt::join(all, ", "));
}

template <class Map>
Result<typename Map::mapped_type> find_named(const Map& map, std::string_view kind, const std::string& name,
                                             const std::string& origin) {
  const auto found = map.find(name);
  if (found == map.end()) {
    return Error{.kind = ErrorKind::kNotFound,
                 .operation = origin,
                 .detail = fmt::format("there is no {} \"{}\"; {}", kind, name, names(map))};
  }
  return found->second;
}

std::string files_of(const Kubeconfig& config) { return fmt::format("{}", fmt::join(config.files, ", ")); }

Result<void> take_cluster(const KubeconfigCluster& cluster, const std::string& name,
                          const ports::Files& files, ClusterAccess& access) {
  const std::string origin = fmt::format("cluster \"{}\" of {}", name, cluster.file);
  access.server = cluster.server;
  while (access.server.ends_with('/')) {
    access.server.pop_back();
  }
  if (!access.server.starts_with("https://") && !access.server.starts_with("http://")) {
    return invalid(
        origin, fmt::format("server is \"{}\", expected a URL like https://10.0.0.1:6443", cluster.server));
  }
  auto ca = read_pem(cluster.ca, "certificate-authority", origin, files);
  if (!ca) {
    return std::move(ca).error();
  }
  access.ca_pem = *std::move(ca);
  access.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
  access.tls_server_name = cluster.tls_server_name;
  access.proxy_url = cluster.proxy_url;
  return {};
}

Result<void> take_user(const KubeconfigUser& user, const std::string& name, const ports::Files& files,
                       ClusterAccess& access) {
  const std::string origin = fmt::format("user \"{}\" of {}", name, user.file);
  if (!user.unsupported.empty()) {
    return invalid(origin, fmt::format("it signs in with {}, which berth does not support. Use a token, a "
                                       "tokenFile or a client certificate, for example of a service account",
                                       user.unsupported));
  }
  auto cert = read_pem(user.client_cert, "client-certificate", origin, files);
  if (!cert) {
    return std::move(cert).error();
  }
  auto key = read_pem(user.client_key, "client-key", origin, files);
  if (!key) {
    return std::move(key).error();
  }
  access.client_cert_pem = *std::move(cert);
  access.client_key_pem = *std::move(key);
  if (access.client_cert_pem.empty() != access.client_key_pem.empty()) {
    return invalid(origin, "it has only one of client-certificate and client-key, and needs both");
  }
  access.token = trimmed(user.token);
  access.token_file = user.token_file;
  const bool has_token = !access.token.empty() || !access.token_file.empty();
  if (has_token && access.server.starts_with("http://")) {
    return invalid(origin, fmt::format("its token would cross the network unencrypted to {}; use https://",
                                       access.server));
  }
  return {};
}

Result<Kubeconfig> read_kubeconfig(const std::string& path, const ports::Files& files) {
  auto text = files.read(path);
  if (!text) {
    return std::move(text).error();
  }
  return parse_kubeconfig(*text, path);
}

/// As kubectl: of the files that the variable names, those that exist.
Result<Kubeconfig> read_all(const std::string& joined, const ports::Files& files) {
  Kubeconfig all;
  for (std::size_t begin = 0; begin <= joined.size();) {
    const std::size_t end = std::min(joined.find(':', begin), joined.size());
    const std::string path = joined.substr(begin, end - begin);
    begin = end + 1;
    if (path.empty()) {
      continue;
    }
    auto one = read_kubeconfig(path, files);
    if (one) {
      all = merge_kubeconfigs(std::move(all), *std::move(one));
    } else if (one.error().kind != ErrorKind::kNotFound) {
      return std::move(one).error();
    }
  }
  if (all.files.empty()) {
    return Error{.kind = ErrorKind::kNotFound,
                 .operation = "KUBECONFIG",
                 .detail = fmt::format("it is \"{}\", and no such file exists", joined)};
  }
  return all;
}

}  // namespace

Kubeconfig merge_kubeconfigs(Kubeconfig first, Kubeconfig second) {
  first.files.insert(first.files.end(), second.files.begin(), second.files.end());
  if (first.current_context.empty()) {
    first.current_context = std::move(second.current_context);
  }
  first.clusters.merge(second.clusters);
  first.users.merge(second.users);
  first.contexts.merge(second.contexts);
  return first;
}

Result<ClusterAccess> resolve_kubeconfig(const Kubeconfig& config, const std::string& context,
                                         const ports::Files& files) {
  const std::string origin = "kubeconfig " + files_of(config);
  const std::string& chosen = context.empty() ? config.current_context : context;
  if (chosen.empty()) {
    return invalid(origin, fmt::format("no current-context is set; {}; choose one with --context or "
                                       "kubectl config use-context",
                                       names(config.contexts)));
  }
  const auto found = find_named(config.contexts, "context", chosen, origin);
  if (!found) {
    return found.error();
  }
  const auto cluster = find_named(config.clusters, "cluster", found->cluster, origin);
  if (!cluster) {
    return cluster.error();
  }
  ClusterAccess access;
  access.origin = fmt::format("context \"{}\" of {}", chosen, found->file);
  access.default_namespace = found->default_namespace.empty() ? "default" : found->default_namespace;
  if (auto taken = take_cluster(*cluster, found->cluster, files, access); !taken) {
    return std::move(taken).error();
  }
  if (found->user.empty()) {
    return access;  // nobody in particular: a proxy that signs in for us
  }
  const auto user = find_named(config.users, "user", found->user, origin);
  if (!user) {
    return user.error();
  }
  if (auto taken = take_user(*user, found->user, files, access); !taken) {
    return std::move(taken).error();
  }
  return access;
}

Result<ClusterAccess> in_cluster_access(const std::string& host, const std::string& port,
                                        const ports::Files& files) {
  const std::string folder = kServiceAccountFolder;
  ClusterAccess access;
  const bool is_v6 = host.find(':') != std::string::npos;
  access.server = fmt::format("https://{}:{}", is_v6 ? '[' + host + ']' : host, port.empty() ? "443" : port);
  access.origin = "the pod's service account";
  access.token_file = folder + "token";
  auto token = files.read(access.token_file);
  if (!token) {
    Error error = std::move(token).error();
    error.operation = access.origin;
    error.detail = fmt::format(
        "KUBERNETES_SERVICE_HOST is set, so this is a pod, but {} cannot be read: {}. Set "
        "automountServiceAccountToken, or give --kubeconfig",
        access.token_file, error.detail);
    return error;
  }
  access.token = trimmed(*token);
  auto ca = read_pem({.inline_base64 = "", .path = folder + "ca.crt"}, "ca.crt", access.origin, files);
  if (!ca) {
    return std::move(ca).error();
  }
  access.ca_pem = *std::move(ca);
  const auto space = files.read(folder + "namespace");
  access.default_namespace = space ? trimmed(*space) : "default";
  return access;
}

Result<ClusterAccess> find_cluster_access(const AccessSettings& settings, const ports::Files& files) {
  if (!settings.kubeconfig.empty()) {
    const auto config = read_kubeconfig(settings.kubeconfig, files);
    return config ? resolve_kubeconfig(*config, settings.context, files) : config.error();
  }
  if (!settings.kubeconfig_env.empty()) {
    const auto config = read_all(settings.kubeconfig_env, files);
    return config ? resolve_kubeconfig(*config, settings.context, files) : config.error();
  }
  if (!settings.service_host.empty()) {
    return in_cluster_access(settings.service_host, settings.service_port, files);
  }
  const std::string path = settings.home + "/.kube/config";
  const auto config = read_kubeconfig(path, files);
  if (!config && config.error().kind == ErrorKind::kNotFound) {
    return Error{
        .kind = ErrorKind::kNotFound,
        .operation = "find the cluster",
        .detail = fmt::format("--kubeconfig and KUBECONFIG are not set, this is not a pod, and there is "
                              "no {}",
                              path)};
  }
  return config ? resolve_kubeconfig(*config, settings.context, files) : config.error();
}

}  // namespace berth::kube
