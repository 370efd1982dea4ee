// copy_file and SparseWriter: bytes and holes, on the file system of the tests.
#include "process/copy_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

constexpr off_t kMegabyte = 1 << 20;

class CopyFile : public testing::Test {
 protected:
  [[nodiscard]] UniqueFd opened(const std::string& name) const {
    return UniqueFd(::open((folder_.path() + "/" + name).c_str(), O_RDWR | O_CREAT, 0600));
  }
  [[nodiscard]] struct stat facts(const std::string& name) const {
    struct stat found {};
    EXPECT_EQ(::stat((folder_.path() + "/" + name).c_str(), &found), 0);
    return found;
  }

  unit::Folder folder_;
};

TEST_F(CopyFile, BytesAndHolesAreThoseOfTheFirst) {
  const UniqueFd from = opened("from");
  ASSERT_EQ(::pwrite(from.get(), "begin", 5, 0), 5);
  ASSERT_EQ(::pwrite(from.get(), "middle", 6, 2 * kMegabyte), 6);
  ASSERT_EQ(::ftruncate(from.get(), 4 * kMegabyte), 0);
  const UniqueFd to = opened("to");
  ASSERT_TRUE(copy_file(from.get(), to.get()));
  EXPECT_EQ(facts("to").st_size, 4 * kMegabyte);
  EXPECT_LE(facts("to").st_blocks, facts("from").st_blocks);
  EXPECT_EQ(folder_.read("to"), folder_.read("from"));
}

TEST_F(CopyFile, AnEmptyFileIsEmpty) {
  const UniqueFd from = opened("from");
  const UniqueFd to = opened("to");
  ASSERT_TRUE(copy_file(from.get(), to.get()));
  EXPECT_EQ(facts("to").st_size, 0);
}

TEST_F(CopyFile, ByNamesItReplacesWhatIsThere) {
  (void)folder_.file("from", "new", false);
  (void)folder_.file("to", "old and longer", false);
  ASSERT_TRUE(copy_file(folder_.path() + "/from", folder_.path() + "/to", 0750));
  EXPECT_EQ(folder_.read("to"), "new");
  EXPECT_EQ(facts("to").st_mode & 07777, 0750U);
}

TEST_F(CopyFile, ByNamesItWaitsForNobodyAndChangesNothingElse) {
  (void)folder_.file("from", "new", false);
  (void)folder_.file("else", "kept", false);
  const std::string to = folder_.path() + "/to";
  ASSERT_EQ(::mkfifo(to.c_str(), 0600), 0);
  const UniqueFd reader(::open(to.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(copy_file(folder_.path() + "/from", to, 0600));
  EXPECT_TRUE(S_ISREG(facts("to").st_mode));
  EXPECT_EQ(folder_.read("to"), "new");
  ASSERT_EQ(::unlink(to.c_str()), 0);
  ASSERT_EQ(::symlink("else", to.c_str()), 0);
  ASSERT_TRUE(copy_file(folder_.path() + "/from", to, 0600));
  EXPECT_EQ(folder_.read("to"), "new");
  EXPECT_EQ(folder_.read("else"), "kept");
}

TEST_F(CopyFile, WhatFailsSaysWhyAndLeavesNothing) {
  (void)folder_.file("from", "text", false);
  EXPECT_FALSE(copy_file(folder_.path() + "/none", folder_.path() + "/to", 0700));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(folder_.has("to"));
  const UniqueFd from = opened("from");
  const UniqueFd full(::open("/dev/full", O_WRONLY));
  EXPECT_FALSE(copy_file(from.get(), full.get()));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(CopyFile, IsGivenUpBetweenPieces) {
  const UniqueFd from = opened("from");
  for (int i = 0; i < 100; ++i) ASSERT_EQ(::pwrite(from.get(), "x", 1, i * kMegabyte), 1);
  const UniqueFd to = opened("to");
  if (clone_file(from.get(), to.get())) GTEST_SKIP() << "files are cloned at once here";
  int asked = 0;
  EXPECT_FALSE(copy_file(from.get(), to.get(), [&] { return ++asked <= 3; }));
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_EQ(asked, 4);
  ASSERT_EQ(::ftruncate(to.get(), 0), 0);
  EXPECT_TRUE(copy_file(from.get(), to.get(), [] { return true; }));
  EXPECT_EQ(folder_.read("to"), folder_.read("from"));
}

TEST_F(CopyFile, PiecesOfZerosBecomeHoles) {
  const UniqueFd to = opened("to");
  SparseWriter writer(to.get());
  const std::string zeros(kMegabyte, '\0');
  std::string whole;
  for (const std::string& piece : {std::string("a"), zeros, std::string("bc"), zeros, zeros}) {
    ASSERT_TRUE(writer.add(piece));
    whole += piece;
  }
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(folder_.read("to"), whole);
  EXPECT_LT(facts("to").st_blocks * 512, kMegabyte);
}

TEST_F(CopyFile, PiecesThatEndWithinABlockBecomeHolesAsWell) {
  for (const std::size_t size : {1'000U, 4'097U, 100'001U}) {
    const std::string name = std::to_string(size);
    const UniqueFd to = opened(name);
    SparseWriter writer(to.get());
    ASSERT_TRUE(writer.add("x"));
    off_t end = 1;
    for (; end < 4 * kMegabyte; end += off_t(size)) {
      ASSERT_TRUE(writer.add(std::string(size, '\0')));
    }
    ASSERT_TRUE(writer.finish());
    EXPECT_EQ(facts(name).st_size, end);
    EXPECT_LE(facts(name).st_blocks * 512, 65'536) << size;
    EXPECT_EQ(folder_.read(name), "x" + std::string(std::size_t(end) - 1, '\0')) << size;
  }
}

TEST_F(CopyFile, PiecesOfAnySizeKeepTheirBytes) {
  for (const std::size_t size : {1U, 7U, 4095U, 4096U, 4097U, 10'000U}) {
    std::string whole(50'000, '\0');
    for (const std::size_t at : {0U, 4096U, 9'000U, 20'480U, 49'999U}) whole[at] = 'x';
    const std::string name = std::to_string(size);
    const UniqueFd to = opened(name);
    SparseWriter writer(to.get());
    for (std::size_t at = 0; at < whole.size(); at += size) {
      ASSERT_TRUE(writer.add(std::string_view(whole).substr(at, size)));
    }
    ASSERT_TRUE(writer.finish());
    EXPECT_EQ(folder_.read(name), whole) << size;
  }
}

}  // namespace
}  // namespace muster::process
