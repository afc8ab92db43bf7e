#include "runtime/files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace berth::runtime {
namespace {

class DiskFilesTest : public ::testing::Test {
 public:
  ~DiskFilesTest() override { std::filesystem::remove_all(folder_); }

 protected:
  DiskFilesTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-files-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
  DiskFiles files_;
};

TEST_F(DiskFilesTest, a_file_is_read_whole_byte_by_byte) {
  const std::string content = std::string(100'000, 'x') + std::string("\0\xff\n", 3);
  EXPECT_EQ(files_.read(write("a", content)).value(), content);
  EXPECT_EQ(files_.read(write("empty", "")).value(), "");
  EXPECT_NE(files_.read("/proc/self/status").value().find("Pid:"), std::string::npos) << "its size says 0";
}

TEST_F(DiskFilesTest, a_file_that_is_not_there_is_not_found_and_named) {
  const auto missing = files_.read((folder_ / "none").string());
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(missing.error().message(), "read " + (folder_ / "none").string() + ": No such file or directory");
  EXPECT_EQ(files_.read(write("a", "") + "/below").error().kind, ErrorKind::kNotFound);
}

TEST_F(DiskFilesTest, folders_pipes_and_large_files_are_refused) {
  EXPECT_EQ(files_.read(folder_.string()).error().kind, ErrorKind::kInvalid);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(files_.read(pipe).error().kind, ErrorKind::kInvalid) << "and does not wait for a writer";
  const std::string large = write("large", "");
  std::filesystem::resize_file(large, (16 << 20) + 1);
  EXPECT_NE(files_.read(large).error().detail.find("16 MiB"), std::string::npos);
  std::filesystem::resize_file(large, 16 << 20);
  EXPECT_EQ(files_.read(large).value().size(), 16U << 20U);
}

TEST_F(DiskFilesTest, a_folder_is_listed_in_byte_order) {
  write("b", "");
  write("a", "");
  write("Z", "");
  std::filesystem::create_directory(folder_ / "c");
  EXPECT_EQ(files_.list(folder_.string()).value(), (std::vector<std::string>{"Z", "a", "b", "c"}));
  EXPECT_EQ(files_.list((folder_ / "none").string()).error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(files_.list((folder_ / "a").string()).ok());
}

TEST_F(DiskFilesTest, a_folder_is_told_from_a_file) {
  EXPECT_TRUE(files_.is_folder(folder_.string()));
  EXPECT_FALSE(files_.is_folder(write("a", "")));
  EXPECT_FALSE(files_.is_folder((folder_ / "none").string()));
}

}  // namespace
}  // namespace berth::runtime
