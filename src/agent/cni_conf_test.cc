#include "agent/cni_conf.h"

#include <string>

#include <gtest/gtest.h>

#include "agent/fake_node_world.h"

namespace berth::agent {
namespace {

constexpr const char* kFolder = "/etc/cni/net.d";

std::string ours(const std::string& value) {
  return R"({"plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"k":")" + value + R"("}}}]})";
}
constexpr const char* kBridge = R"({"plugins":[{"type":"bridge"},{"type":"portmap"}]})";

std::string chosen(const FakeFiles& files, const std::string& path = kFolder) {
  const Result<CniSettings> loaded = load_cni_settings(files, path);
  return loaded ? loaded->file : loaded.error().message();
}

TEST(CniConf, a_folder_gives_the_first_file_in_byte_order_that_holds_our_plugin) {
  FakeFiles files;
  files.files = {{"/etc/cni/net.d/10-b.conf", ours("b")},
                 {"/etc/cni/net.d/10-B.json", ours("B")},
                 {"/etc/cni/net.d/05-bridge.conflist", kBridge},
                 {"/etc/cni/net.d/9-late.conflist", ours("late")}};
  EXPECT_EQ(chosen(files), "/etc/cni/net.d/10-B.json");
  files.files.erase("/etc/cni/net.d/10-B.json");
  EXPECT_EQ(chosen(files), "/etc/cni/net.d/10-b.conf");
  EXPECT_EQ(chosen(files, "/etc/cni/net.d/9-late.conflist"), "/etc/cni/net.d/9-late.conflist");
}

TEST(CniConf, other_extensions_and_folders_are_passed_over) {
  FakeFiles files;
  files.files = {{"/etc/cni/net.d/00-old.conflist.bak", "{"},
                 {"/etc/cni/net.d/00-folder.conf/file", "x"},
                 {"/etc/cni/net.d/10.conflist", ours("a")}};
  EXPECT_EQ(chosen(files), "/etc/cni/net.d/10.conflist");
}

TEST(CniConf, a_broken_file_before_the_chosen_one_is_an_error_and_one_after_it_is_not) {
  FakeFiles files;
  files.files = {{"/etc/cni/net.d/05.conflist", "{\"plugins\":"}, {"/etc/cni/net.d/10.conflist", ours("a")}};
  EXPECT_EQ(
      chosen(files),
      "read /etc/cni/net.d/05.conflist: the file ends in the middle of its JSON, at line 1, column 12: it is "
      "half-written "
      "or cut off; complete it");
  files.files["/etc/cni/net.d/05.conflist"] = kBridge;
  files.files["/etc/cni/net.d/20.conflist"] = "{";
  EXPECT_EQ(chosen(files), "/etc/cni/net.d/10.conflist");
}

TEST(CniConf, a_file_that_cannot_be_read_is_named_with_the_reason) {
  FakeFiles files;
  files.files = {{"/etc/cni/net.d/05.conflist", ""}};
  files.unreadable = {
      {"/etc/cni/net.d/05.conflist",
       Error{.kind = ErrorKind::kInvalid, .operation = "open", .detail = "permission denied"}}};
  EXPECT_EQ(chosen(files), "read /etc/cni/net.d/05.conflist: permission denied");
}

TEST(CniConf, a_folder_without_a_file_of_ours_lists_what_is_there) {
  FakeFiles files;
  files.files = {{"/etc/cni/net.d/05.conflist", kBridge},
                 {"/etc/cni/net.d/06.json", "{}"},
                 {"/etc/cni/net.d/README", "text"}};
  EXPECT_EQ(
      chosen(files),
      "read /etc/cni/net.d: no file of this folder holds a plugin of type cilium-cni or berth-cni; looked "
      "for "
      "*.conflist, *.conf and *.json, found 05.conflist (bridge, portmap), 06.json (no plugin), README (not "
      "looked into)");
  files.files.clear();
  files.empty_folders = {kFolder};
  EXPECT_EQ(chosen(files),
            "read /etc/cni/net.d: no file of this folder holds a plugin of type cilium-cni or berth-cni; "
            "looked for "
            "*.conflist, *.conf and *.json, found nothing");
}

TEST(CniConf, a_missing_path_says_what_is_expected_there) {
  EXPECT_EQ(
      chosen(FakeFiles(), "/nowhere"),
      "read /nowhere: there is no such file or folder; expected a CNI configuration with a plugin of type "
      "cilium-cni or berth-cni, or the folder that holds it");
}

}  // namespace
}  // namespace berth::agent
