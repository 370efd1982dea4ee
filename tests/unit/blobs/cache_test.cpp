// own_part_of: what muster makes of a cache is closed to others, and why it makes nothing is told.
#include "blobs/cache.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;

// With the group of a folder above, and such a umask, that group could write to it.
TEST(Cache, WhatIsMadeOfItIsClosedWhateverTheUmaskIs) {
  const unit::Folder folder;
  const std::string cache = folder.path() + "/home/.cache/muster";
  const mode_t before = ::umask(0002);
  const auto first = own_part_of(cache, "environments", Use::executed);
  const auto second = own_part_of(cache, "environments", Use::executed);
  ::umask(before);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, cache + "/environments");
  for (const std::string& path : {cache, *first}) {
    const fs::perms others = fs::status(path).permissions() & fs::perms(0077);
    EXPECT_EQ(others, fs::perms::none) << path;
  }
}

TEST(Cache, WhyNothingCanBeMadeIsTold) {
  const unit::Folder folder;
  folder.file("file", "", false);
  for (const Use use : {Use::executed, Use::checked}) {
    const auto found = own_part_of(folder.path() + "/file/muster", "images", use);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what,
              "cannot make " + folder.path() + "/file/muster/images: Not a directory");
    EXPECT_EQ(found.error().hint, "set XDG_CACHE_HOME to a folder that you may write to");
  }
}

}  // namespace
}  // namespace muster::blobs
