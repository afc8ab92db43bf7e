#include "kube/kubeconfig.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_files.h"

namespace berth::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
constexpr const char* kPemBase64 =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1BPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

std::string config_yaml(const std::string& cluster, const std::string& user) {
  return R"(apiVersion: v1
kind: Config
current-context: main
contexts:
- name: main
  context: {cluster: c, user: u, namespace: apps}
- name: other
  context: {cluster: c}
clusters:
- name: c
  cluster:
)" + cluster +
         R"(users:
- name: u
  user:
)" + user;
}

class KubeconfigTest : public testing::Test {
 protected:
  Result<ClusterAccess> find(const std::string& yaml, const std::string& context = "") {
    files_.files["/home/me/kube.yaml"] = yaml;
    return find_cluster_access({.kubeconfig = "/home/me/kube.yaml", .context = context}, files_);
  }
  static std::string why(const Result<ClusterAccess>& result) {
    return result.ok() ? "it was accepted" : result.error().message();
  }

  FakeFiles files_;
};

TEST_F(KubeconfigTest, inline_data_is_decoded) {
  const auto access = find(config_yaml(
      std::string("    server: https://10.0.0.1:6443/\n") + "    certificate-authority-data: " + kPemBase64 +
          "\n" + "    tls-server-name: kube.example\n    proxy-url: http://proxy:3128\n",
      std::string("    client-certificate-data: ") + kPemBase64 + "\n    client-key-data: " + kPemBase64 +
          "\n"));
  ASSERT_TRUE(access.ok()) << why(access);
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->ca_pem, kPem);
  EXPECT_EQ(access->client_cert_pem, kPem);
  EXPECT_EQ(access->client_key_pem, kPem);
  EXPECT_EQ(access->tls_server_name, "kube.example");
  EXPECT_EQ(access->proxy_url, "http://proxy:3128");
  EXPECT_EQ(access->default_namespace, "apps");
  EXPECT_FALSE(access->insecure_skip_tls_verify);
  EXPECT_EQ(access->origin, "context \"main\" of /home/me/kube.yaml");
}

TEST_F(KubeconfigTest, files_are_relative_to_the_kubeconfig_and_inline_data_wins) {
  files_.files["/home/me/pki/ca.crt"] = kPem;
  files_.files["/abs/key.pem"] = kPem;
  const auto access =
      find(config_yaml("    server: https://a\n    certificate-authority: pki/ca.crt\n"
                       "    insecure-skip-tls-verify: true\n",
                       std::string("    client-key: /abs/key.pem\n    client-certificate: /not/there\n") +
                           "    client-certificate-data: " + kPemBase64 + "\n    tokenFile: secret/token\n"));
  ASSERT_TRUE(access.ok()) << why(access);
  EXPECT_EQ(access->ca_pem, kPem);
  EXPECT_EQ(access->client_key_pem, kPem);
  EXPECT_EQ(access->client_cert_pem, kPem);
  EXPECT_TRUE(access->insecure_skip_tls_verify);
  EXPECT_EQ(access->token_file, "/home/me/secret/token");
}

TEST_F(KubeconfigTest, another_context_than_the_current_one_can_be_chosen_and_may_have_no_user) {
  const auto access = find(config_yaml("    server: https://a\n", "    token: secret\n"), "other");
  ASSERT_TRUE(access.ok()) << why(access);
  EXPECT_TRUE(access->token.empty());
  EXPECT_EQ(access->default_namespace, "default");
}

TEST_F(KubeconfigTest, a_missing_context_cluster_or_user_is_named_with_the_ones_that_exist) {
  EXPECT_THAT(why(find(config_yaml("    server: https://a\n", "    token: t\n"), "prod")),
              AllOf(HasSubstr("/home/me/kube.yaml"),
                    HasSubstr("no context \"prod\"; there are \"main\", \"other\"")));
  EXPECT_THAT(why(find("current-context: m\ncontexts: [{name: m, context: {cluster: x, user: u}}]\n")),
              HasSubstr("no cluster \"x\"; there is none"));
  EXPECT_THAT(
      why(find("current-context: m\ncontexts: [{name: m, context: {cluster: c, user: x}}]\n"
               "clusters: [{name: c, cluster: {server: https://a}}]\nusers: [{name: u, user: {}}]\n")),
      HasSubstr("no user \"x\"; there are \"u\""));
  EXPECT_THAT(why(find("contexts: [{name: m, context: {}}]\n")),
              AllOf(HasSubstr("no current-context is set; there are \"m\""), HasSubstr("--context")));
  EXPECT_THAT(why(find_cluster_access({.kubeconfig = "/nowhere"}, files_)), HasSubstr("/nowhere"));
}

TEST_F(KubeconfigTest, ways_to_sign_in_that_are_not_supported_are_named_with_user_and_file) {
  const auto why_not = [this](const std::string& user) {
    return why(find(config_yaml("    server: https://a\n", user)));
  };
  EXPECT_THAT(why_not("    exec: {command: aws, args: [eks, get-token]}\n"),
              AllOf(HasSubstr("user \"u\" of /home/me/kube.yaml"), HasSubstr("the program \"aws\" (exec)"),
                    HasSubstr("does not support")));
  EXPECT_THAT(why_not("    auth-provider: {name: gcp}\n"), HasSubstr("an auth-provider"));
  EXPECT_THAT(why_not("    username: me\n    password: hunter2\n"),
              AllOf(HasSubstr("a user name and password"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(why_not("    token: t\n    as: admin\n"), HasSubstr("impersonation"));
}

TEST_F(KubeconfigTest, what_is_wrong_in_the_file_is_named_with_its_place_and_never_a_secret) {
  EXPECT_THAT(why(find("clusters: [\n")),
              AllOf(HasSubstr("/home/me/kube.yaml"), HasSubstr("is not YAML: line")));
  EXPECT_THAT(why(find("- a\n- b\n")), HasSubstr("expected a map"));
  EXPECT_THAT(why(find("just text\n")), HasSubstr("expected a map"));
  EXPECT_THAT(why(find("")), HasSubstr("no current-context"));
  EXPECT_THAT(why(find("clusters: null\ncontexts:\nusers: []\npreferences: {}\n")),
              HasSubstr("no current-context is set; there is none"));
  EXPECT_THAT(why(find("clusters: {a: b}\n")),
              HasSubstr("clusters in /home/me/kube.yaml is a map, expected a list"));
  EXPECT_THAT(why(find("users: [7]\n")), HasSubstr("users[0] in /home/me/kube.yaml is a plain value"));
  EXPECT_THAT(why(find("users: [{name: u, user: {token: [s3cret]}}]\n")),
              AllOf(HasSubstr("users[0].user.token"), HasSubstr("is a list, expected a text"),
                    Not(HasSubstr("s3cret"))));
  EXPECT_THAT(
      why(find(config_yaml("    server: https://a\n    insecure-skip-tls-verify: maybe\n", "    {}\n"))),
      HasSubstr("clusters[0].cluster.insecure-skip-tls-verify"));
  EXPECT_THAT(why(find(config_yaml("    server: 10.0.0.1:6443\n", "    {}\n"))),
              HasSubstr("server is \"10.0.0.1:6443\", expected a URL"));
  EXPECT_THAT(
      why(find(config_yaml("    server: https://a\n    certificate-authority-data: '%%%'\n", "    {}\n"))),
      HasSubstr("certificate-authority-data is not base64"));
  EXPECT_THAT(
      why(find(config_yaml("    server: https://a\n    certificate-authority-data: MA==\n", "    {}\n"))),
      HasSubstr("holds no PEM block"));
  EXPECT_THAT(
      why(find(config_yaml("    server: https://a\n    certificate-authority: gone.crt\n", "    {}\n"))),
      HasSubstr("/home/me/gone.crt, which is its certificate-authority, cannot be read"));
  EXPECT_THAT(why(find(config_yaml("    server: https://a\n",
                                   std::string("    client-certificate-data: ") + kPemBase64 + "\n"))),
              HasSubstr("needs both"));
  EXPECT_THAT(why(find(config_yaml("    server: http://far.example\n", "    token: s3cret\n"))),
              AllOf(HasSubstr("unencrypted"), Not(HasSubstr("s3cret"))));
}

TEST_F(KubeconfigTest, no_text_whatever_makes_the_parser_throw) {
  const std::string good =
      config_yaml(std::string("    server: https://a\n    certificate-authority-data: ") + kPemBase64 + "\n",
                  "    token: secret\n");
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    static_cast<void>(find(good.substr(0, cut)));
    std::string bent = good;
    for (const char c : {'[', '{', ':', '&', '*', '\0', '\xff', '\t', '\n', '"'}) {
      bent[cut] = c;
      static_cast<void>(find(bent));
    }
  }
  EXPECT_FALSE(find(std::string(20'000, '[')).ok());
  EXPECT_FALSE(find("a: &a [*a]\n").ok());
}

TEST_F(KubeconfigTest, of_several_files_the_first_to_set_a_thing_wins) {
  files_.files["/a"] = "current-context: m\nclusters: [{name: c, cluster: {server: https://first}}]\n";
  files_.files["/b"] =
      "current-context: other\nclusters: [{name: c, cluster: {server: https://second}}]\n"
      "contexts: [{name: m, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\n";
  const auto access = find_cluster_access({.kubeconfig_env = ":/gone:/a:/b:"}, files_);
  ASSERT_TRUE(access.ok()) << why(access);
  EXPECT_EQ(access->server, "https://first");
  EXPECT_EQ(access->token, "t");
  EXPECT_EQ(access->origin, "context \"m\" of /b");
  EXPECT_THAT(why(find_cluster_access({.kubeconfig_env = "/gone:/too"}, files_)),
              AllOf(HasSubstr("KUBECONFIG"), HasSubstr("/gone:/too")));
}

TEST_F(KubeconfigTest, the_flag_comes_before_the_variable_before_the_pod_before_the_home_folder) {
  const auto config = [](const std::string& server) {
    return "current-context: m\ncontexts: [{name: m, context: {cluster: c}}]\n"
           "clusters: [{name: c, cluster: {server: https://" +
           server + "}}]\n";
  };
  files_.files["/flag"] = config("flag");
  files_.files["/env"] = config("env");
  files_.files["/root/.kube/config"] = config("home");
  files_.files["/var/run/secrets/kubernetes.io/serviceaccount/token"] = "pod-token\n";
  files_.files["/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"] = kPem;
  files_.files["/var/run/secrets/kubernetes.io/serviceaccount/namespace"] = "kube-system";
  AccessSettings all{.kubeconfig = "/flag",
                     .kubeconfig_env = "/env",
                     .home = "/root",
                     .service_host = "10.0.0.1",
                     .service_port = "443"};
  EXPECT_EQ(find_cluster_access(all, files_)->server, "https://flag");
  all.kubeconfig = "";
  EXPECT_EQ(find_cluster_access(all, files_)->server, "https://env");
  all.kubeconfig_env = "";
  const auto pod = find_cluster_access(all, files_);
  EXPECT_EQ(pod->server, "https://10.0.0.1:443");
  EXPECT_EQ(pod->token, "pod-token");
  EXPECT_EQ(pod->token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  EXPECT_EQ(pod->ca_pem, kPem);
  EXPECT_EQ(pod->default_namespace, "kube-system");
  all.service_host = "";
  EXPECT_EQ(find_cluster_access(all, files_)->server, "https://home");
  all.home = "/nobody";
  EXPECT_THAT(why(find_cluster_access(all, files_)), HasSubstr("there is no /nobody/.kube/config"));
}

TEST_F(KubeconfigTest, a_pod_without_its_token_says_so) {
  EXPECT_THAT(
      why(in_cluster_access("fd00::1", "443", files_)),
      AllOf(HasSubstr("serviceaccount/token cannot be read"), HasSubstr("automountServiceAccountToken")));
  files_.files["/var/run/secrets/kubernetes.io/serviceaccount/token"] = "t";
  files_.files["/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"] = kPem;
  EXPECT_EQ(in_cluster_access("fd00::1", "6443", files_)->server, "https://[fd00::1]:6443");
}

}  // namespace
}  // namespace berth::kube
