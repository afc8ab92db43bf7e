#include "runtime/write_file.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "runtime/files.h"

namespace berth::runtime {
namespace {

class WriteFile : public testing::Test {
 public:
  ~WriteFile() override { remove_folder(folder); }

 protected:
  std::string folder = make_temporary_folder("berth-test-").value();
  DiskFiles files;
};

TEST_F(WriteFile, makes_the_folders_that_are_missing_and_sets_the_mode) {
  const std::string path = folder + "/a/b/key";
  ASSERT_TRUE(write_file(path, "secret", 0600).ok());
  EXPECT_EQ(files.read(path).value(), "secret");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(WriteFile, replaces_what_is_there_and_leaves_nothing_beside_it) {
  const std::string path = folder + "/file";
  ASSERT_TRUE(write_file(path, "a longer old text", 0644).ok());
  ASSERT_TRUE(write_file(path, "new", 0644).ok());
  EXPECT_EQ(files.read(path).value(), "new");
  EXPECT_EQ(files.list(folder).value(), std::vector<std::string>{"file"});
}

TEST_F(WriteFile, a_path_that_cannot_be_written_is_named) {
  ASSERT_TRUE(write_file(folder + "/file", "x", 0644).ok());
  const Result<void> written = write_file(folder + "/file/below", "x", 0644);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message().find(folder + "/file"), std::string::npos);
}

TEST_F(WriteFile, a_folder_is_removed_with_what_is_in_it) {
  ASSERT_TRUE(write_file(folder + "/a/b", "x", 0644).ok());
  remove_folder(folder);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace berth::runtime
