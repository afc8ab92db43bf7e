#include "app/sandbox_folder.h"

#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "runtime/write_file.h"

namespace berth::app {
namespace {

constexpr unsigned kReadable = 0644;
constexpr unsigned kSecret = 0600;
constexpr unsigned kExecutable = 0755;

/// In single quotes, as a shell reads a word literally.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string kubeconfig_text(const SandboxAccess& access, const std::string& ca_file) {
  return fmt::format(R"(apiVersion: v1
kind: Config
current-context: sandbox
contexts:
- name: sandbox
  context: {{cluster: sandbox, user: sandbox}}
clusters:
- name: sandbox
  cluster:
    server: {}
    certificate-authority: {}
users:
- name: sandbox
  user:
    token: {}
)",
                     access.kube_server, boost::json::serialize(boost::json::string(ca_file)),
                     access.bearer_token);
}

/// Finds the next aws on the PATH: before 2.13 it knows no AWS_ENDPOINT_URL and would call the real AWS.
constexpr std::string_view kAwsWrapper = R"sh(#!/bin/sh
# The next aws on the PATH, with the sandbox's endpoint.
here=$(cd "$(dirname "$0")" && pwd)
saved_ifs=$IFS
IFS=:
for folder in $PATH; do
  # Another sandbox's wrapper would call this one back.
  if [ "$folder" != "$here" ] && [ -x "$folder/aws" ] && ! grep -qs '^# The next aws on the PATH' "$folder/aws"; then
    IFS=$saved_ifs
    exec "$folder/aws" --endpoint-url "${AWS_ENDPOINT_URL:?source the env file of the sandbox first}" "$@"
  fi
done
echo "aws: no AWS CLI on the PATH (Debian: apt-get install awscli)" >&2
exit 127
)sh";

std::string env_text(const std::map<std::string, std::string>& variables, const std::string& bin) {
  std::string text = "# source this file\n";
  for (const auto& [name, value] : variables) {
    text += "export " + name + "=" + quoted(value) + "\n";
  }
  // Sourcing it twice leaves one entry.
  const std::string folder = quoted(bin);
  return text + "case \":$PATH:\" in *:" + folder + ":*) ;; *) export PATH=" + folder +
         ":\"$PATH\" ;; esac\n";
}

}  // namespace

std::string conflist_text(const model::TagMap& static_ip_tags) {
  std::string tags;
  for (const auto& [key, value] : static_ip_tags) {
    tags += tags.empty() ? "\n" : ",\n";
    tags += "          " + boost::json::serialize(boost::json::string(key)) + ": " +
            boost::json::serialize(boost::json::string(value));
  }
  return R"({
  "cniVersion": "0.3.1",
  "name": "cilium",
  "plugins": [
    {
      "name": "cilium",
      "type": "cilium-cni",
      "eni": {
        "delete-on-termination": true,
        "first-interface-index": 1,
        "use-primary-address": false,
        "pre-allocate": 1,
        "min-allocate": 3
      },
      "ipam": {
        "pre-allocate": 1,
        "min-allocate": 3,
        "static-ip-tags": {)" +
         tags + R"(
        }
      }
    }
  ]
}
)";
}

SandboxFolder::SandboxFolder(const std::string& path)
    : path_(std::filesystem::absolute(path).lexically_normal()) {
  while (path_.size() > 1 && path_.ends_with('/')) {
    path_.pop_back();
  }
}

std::map<std::string, std::string> SandboxFolder::variables(const SandboxAccess& access) const {
  return {{"KUBECONFIG", kubeconfig()},
          {"AWS_ENDPOINT_URL", access.ec2_url},
          {"AWS_ENDPOINT_URL_EC2", access.ec2_url},
          {"AWS_REGION", access.region},
          {"AWS_DEFAULT_REGION", access.region},
          {"AWS_ACCESS_KEY_ID", access.access_key_id},
          {"AWS_SECRET_ACCESS_KEY", access.secret_access_key},
          {"BERTH_SANDBOX_CONTROL", access.control_url}};
}

Result<void> SandboxFolder::write(const SandboxAccess& access, const model::TagMap& static_ip_tags) const {
  struct File {
    std::string path;
    std::string text;
    unsigned mode;
  };
  const std::string ca_file = path_ + "/ca.crt";
  std::vector<File> files = {{ca_file, access.ca_pem, kReadable},
                             {kubeconfig(), kubeconfig_text(access, ca_file), kSecret},
                             {env_file(), env_text(variables(access), path_ + "/bin"), kSecret},
                             {path_ + "/bin/aws", std::string(kAwsWrapper), kExecutable}};
  for (const auto& [node, imds_url] : access.imds_url_of_node) {
    files.push_back({conflist(node), conflist_text(static_ip_tags), kReadable});
    files.push_back(
        {path_ + "/nodes/" + node + "/env",
         "# source this file\nexport AWS_EC2_METADATA_SERVICE_ENDPOINT=" + quoted(imds_url) + "\n",
         kReadable});
  }
  for (const File& file : files) {
    if (Result<void> written = runtime::write_file(file.path, file.text, file.mode); !written) {
      return written;
    }
  }
  return {};
}

}  // namespace berth::app
