// What lies beside the records, and whose it is.
#include "store/owner.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::store::owner_test {
namespace {

namespace fs = std::filesystem;

TEST(OwnBelow, AFolderOfMineToWhichNobodyElseAdds) {
  const unit::Folder folder;
  const std::string records = folder.path();
  ASSERT_EQ(::chmod(records.c_str(), 01777), 0);
  EXPECT_FALSE(own_below(records, ".queued"));
  ASSERT_EQ(::mkdir((records + "/.queued").c_str(), 0700), 0);
  EXPECT_TRUE(own_below(records, ".queued"));
  ASSERT_EQ(::chmod((records + "/.queued").c_str(), 0777), 0);
  EXPECT_FALSE(own_below(records, ".queued"));
  fs::create_directory_symlink(".queued", records + "/link");
  EXPECT_FALSE(own_below(records, "link"));
  EXPECT_EQ(not_own_below(records, "link"), records + "/link is not a folder of yours alone");
  EXPECT_EQ(not_own_below(records, "none"), records + "/none cannot be made");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chmod((records + "/.queued").c_str(), 0700), 0);
  ASSERT_EQ(::chown((records + "/.queued").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(own_below(records, ".queued"));
}

// In a folder of all records that is mine, nobody else has made anything.
TEST(OwnBelow, AllThatLiesInAFolderOfMine) {
  const unit::Folder folder;
  ASSERT_EQ(::mkdir((folder.path() + "/.queued").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((folder.path() + "/.queued").c_str(), 0775), 0);
  EXPECT_TRUE(own_below(folder.path(), ".queued"));
  EXPECT_FALSE(own_below(folder.path(), ".fetched"));
}

}  // namespace
}  // namespace muster::store::owner_test
