// Kubeconfig YAML to values. yaml-cpp throws; its exceptions end in parse_kubeconfig.

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "kube/kubeconfig.h"

namespace berth::kube {
namespace {

/// Reads maps and keeps the first problem; after that everything reads as empty.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {
    const auto slash = path_.rfind('/');
    folder_ = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  }

  const std::string& path() const { return path_; }
  const std::string& problem() const { return problem_; }

  void complain(const std::string& where, const YAML::Node& found, std::string_view expected) {
    if (problem_.empty()) {
      problem_ = fmt::format("{} in {} is {}, expected {}", where, path_, type_of(found), expected);
    }
  }

  YAML::Node map(const YAML::Node& parent, const char* key, const std::string& where) {
    const YAML::Node found = parent[key];
    if (!found || found.IsNull()) {
      return YAML::Node(YAML::NodeType::Map);
    }
    if (!found.IsMap()) {
      complain(where + key, found, "a map");
      return YAML::Node(YAML::NodeType::Map);
    }
    return found;
  }

  std::string text(const YAML::Node& map, const char* key, const std::string& where) {
    const YAML::Node found = map[key];
    if (!found || found.IsNull()) {
      return "";
    }
    if (!found.IsScalar()) {
      complain(where + key, found, "a text");
      return "";
    }
    return found.Scalar();
  }

  bool flag(const YAML::Node& map, const char* key, const std::string& where) {
    const std::string value = text(map, key, where);
    if (!value.empty() && value != "true" && value != "false") {
      complain(where + key, map[key], "true or false");
    }
    return value == "true";
  }

  /// A path inside a kubeconfig is relative to that kubeconfig.
  std::string file(const YAML::Node& map, const char* key, const std::string& where) {
    std::string value = text(map, key, where);
    return value.empty() || value.front() == '/' ? value : folder_ + value;
  }

  KubeconfigValue value(const YAML::Node& map, const char* data_key, const char* file_key,
                        const std::string& where) {
    return {.inline_base64 = text(map, data_key, where), .path = file(map, file_key, where)};
  }

  /// The entries of a list of {name: …, BODY: {…}}; of two with one name the first counts.
  template <class Read>
  auto named(const YAML::Node& root, const char* list_key, const char* body_key, Read read) {
    std::map<std::string, decltype(read(*this, YAML::Node(), std::string()))> all;
    const YAML::Node list = root[list_key];
    if (!list || list.IsNull()) {
      return all;
    }
    if (!list.IsSequence()) {
      complain(list_key, list, "a list");
      return all;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const YAML::Node entry = list[i];
      const std::string where = fmt::format("{}[{}].", list_key, i);
      if (!entry.IsMap()) {
        complain(fmt::format("{}[{}]", list_key, i), entry, "a map");
        return all;
      }
      const std::string name = text(entry, "name", where);
      const YAML::Node body = map(entry, body_key, where);
      all.try_emplace(name, read(*this, body, where + body_key + "."));
    }
    return all;
  }

 private:
  static std::string type_of(const YAML::Node& node) {
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return "a map";
      case YAML::NodeType::Sequence:
        return "a list";
      case YAML::NodeType::Scalar:
        return "a plain value";
      default:
        return "empty";
    }
  }

  std::string path_;
  std::string folder_;  // with its slash; empty: the working folder
  std::string problem_;
};

KubeconfigCluster read_cluster(Reader& reader, const YAML::Node& body, const std::string& where) {
  return {.file = reader.path(),
          .server = reader.text(body, "server", where),
          .ca = reader.value(body, "certificate-authority-data", "certificate-authority", where),
          .insecure_skip_tls_verify = reader.flag(body, "insecure-skip-tls-verify", where),
          .tls_server_name = reader.text(body, "tls-server-name", where),
          .proxy_url = reader.text(body, "proxy-url", where)};
}

KubeconfigUser read_user(Reader& reader, const YAML::Node& body, const std::string& where) {
  KubeconfigUser user{
      .file = reader.path(),
      .client_cert = reader.value(body, "client-certificate-data", "client-certificate", where),
      .client_key = reader.value(body, "client-key-data", "client-key", where),
      .token = reader.text(body, "token", where),
      .token_file = reader.file(body, "tokenFile", where),
      .unsupported = ""};
  const YAML::Node exec = reader.map(body, "exec", where);
  if (exec.size() > 0) {
    user.unsupported =
        fmt::format("the program \"{}\" (exec)", reader.text(exec, "command", where + "exec."));
  } else if (reader.map(body, "auth-provider", where).size() > 0) {
    user.unsupported = "an auth-provider";
  } else if (!reader.text(body, "username", where).empty() || !reader.text(body, "password", where).empty()) {
    user.unsupported = "a user name and password";
  } else if (!reader.text(body, "as", where).empty()) {
    user.unsupported = "impersonation (as)";
  }
  return user;
}

KubeconfigContext read_context(Reader& reader, const YAML::Node& body, const std::string& where) {
  return {.file = reader.path(),
          .cluster = reader.text(body, "cluster", where),
          .user = reader.text(body, "user", where),
          .default_namespace = reader.text(body, "namespace", where)};
}

Error invalid(const std::string& path, std::string detail) {
  return {.kind = ErrorKind::kInvalid, .operation = "read kubeconfig " + path, .detail = std::move(detail)};
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    Kubeconfig config{.files = {path}, .current_context = "", .clusters = {}, .users = {}, .contexts = {}};
    if (!root || root.IsNull()) {
      return config;  // an empty file says nothing, which is allowed
    }
    if (!root.IsMap()) {
      return invalid(path, "is no kubeconfig: expected a map with clusters, users and contexts");
    }
    Reader reader(path);
    config.current_context = reader.text(root, "current-context", "");
    config.clusters = reader.named(root, "clusters", "cluster", read_cluster);
    config.users = reader.named(root, "users", "user", read_user);
    config.contexts = reader.named(root, "contexts", "context", read_context);
    if (!reader.problem().empty()) {
      return invalid(path, reader.problem());
    }
    return config;
  } catch (const YAML::Exception& failure) {
    return invalid(path, fmt::format("is not YAML: line {}, column {}: {}", failure.mark.line + 1,
                                     failure.mark.column + 1, failure.msg));
  } catch (const std::exception& failure) {
    return invalid(path, fmt::format("is not YAML: {}", failure.what()));
  }
}

}  // namespace berth::kube
