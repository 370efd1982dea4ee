// Which files may hold a secret.
#include "cli/secret_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::cli::secret_file_test {
namespace {

class SecretFile : public testing::Test {
 protected:
  std::string make(const std::string& text, mode_t mode) {
    std::filesystem::remove(folder_.path() + "/secret");
    const std::string path = folder_.file("secret", text, false);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  unit::Folder folder_;
};

TEST_F(SecretFile, IsReadWithoutItsLineEnd) {
  EXPECT_EQ(read_secret_file(make("hush\n", 0600)), "hush");
  EXPECT_EQ(read_secret_file(make("a b\r\n", 0400)), "a b");
}

TEST_F(SecretFile, MayBeALinkAsInAPod) {
  const std::string path = make("hush", 0400);
  const std::string link = folder_.path() + "/link";
  ASSERT_EQ(::symlink("secret", link.c_str()), 0);
  EXPECT_EQ(read_secret_file(link), "hush");
}

TEST_F(SecretFile, OthersMayNotReadIt) {
  for (const mode_t mode : {0644, 0604, 0620, 0602}) {
    const auto read = read_secret_file(make("hush", mode));
    ASSERT_FALSE(read) << mode;
    EXPECT_EQ(read.error().what,
              fmt::format("others may read or write the secret (mode {:04o})", mode));
    EXPECT_NE(read.error().hint.find("chmod 600"), std::string::npos);
  }
}

TEST_F(SecretFile, AGroupMayReadOneOfRoots) {
  const std::string path = make("hush", 0440);
  if (::geteuid() != 0) {
    EXPECT_FALSE(read_secret_file(path));
    return;
  }
  EXPECT_EQ(read_secret_file(path), "hush");
  ASSERT_EQ(::chown(path.c_str(), 1, 1), 0);
  EXPECT_FALSE(read_secret_file(path));
}

TEST_F(SecretFile, HoldsSomethingAndIsAFile) {
  EXPECT_FALSE(read_secret_file(make("\n", 0600)));
  EXPECT_FALSE(read_secret_file(make(std::string(5000, 'x'), 0600)));
  EXPECT_FALSE(read_secret_file(folder_.path()));
  EXPECT_FALSE(read_secret_file(folder_.path() + "/missing"));
  const std::string fifo = folder_.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(read_secret_file(fifo));
}

}  // namespace
}  // namespace muster::cli::secret_file_test
