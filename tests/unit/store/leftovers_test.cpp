// What muster keeps beside records is its own.
#include "store/leftovers.hpp"

#include <gtest/gtest.h>

#include "store/folder.hpp"
#include "unit/folder.hpp"

namespace muster::store {
namespace {

TEST(Leftovers, WhatMusterKeepsBesideRecordsIsKnown) {
  const unit::Folder folder;
  folder.file(std::string(kCheckpointsLock), "", false);
  folder.file(".index.sqlite", "", false);
  for (const char* name : {".blobs", ".steps", ".queued", ".registered", ".fetched", ".placed"}) {
    std::filesystem::create_directory(folder.path() + "/" + name);
  }
  const Leftovers found = leftovers_in(folder.path(), {});
  EXPECT_EQ(found.strange, std::vector<std::string>{});
  EXPECT_EQ(found.paths, std::vector<std::string>{});
  EXPECT_TRUE(is_of_records(folder.path()));
}

TEST(Leftovers, TheSameNameOfAnotherKindIsNot) {
  const unit::Folder folder;
  std::filesystem::create_directory(folder.path() + "/" + std::string(kCheckpointsLock));
  folder.file(".blobs", "", false);
  const Leftovers found = leftovers_in(folder.path(), {});
  EXPECT_EQ(found.strange, (std::vector<std::string>{".blobs", ".checkpoints"}));
}

}  // namespace
}  // namespace muster::store
