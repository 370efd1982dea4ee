// The beginning of a record, where it cannot be made.
#include "store/writer.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::store::writer_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRun = "20261121-212530.123-kufa";

TEST(Writer, LeavesNothingOfARecordThatCannotBeMade) {
  const unit::Folder records;
  const std::string folder = records.path() + "/" + kRun;
  const auto failed = RecordWriter::create(folder, {"{}", "{}", "created\n", {"spec.json/x"}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "cannot keep a record in " + folder + ": Not a directory");
  EXPECT_TRUE(fs::is_empty(records.path()));
  EXPECT_TRUE(RecordWriter::create(folder, {"{}", "{}", "created\n"}));
}

TEST(Writer, LeavesNothingOfARecordThatCannotBeShown) {
  const unit::Folder records;
  const std::string folder = records.path() + "/" + kRun;
  records.file(kRun, "taken", false);
  EXPECT_FALSE(RecordWriter::create(folder, {"{}", "{}", "created\n"}));
  EXPECT_EQ(records.read(kRun), "taken");
  fs::remove(folder);
  EXPECT_TRUE(fs::is_empty(records.path()));
}

// It is another process' that is making it.
TEST(Writer, LeavesAloneWhatItHasNotMade) {
  const unit::Folder records;
  const std::string fresh = records.path() + "/.new-" + kRun;
  fs::create_directory(fresh);
  EXPECT_FALSE(RecordWriter::create(records.path() + "/" + kRun, {"{}", "{}", "created\n"}));
  EXPECT_TRUE(fs::is_directory(fresh));
}

}  // namespace
}  // namespace muster::store::writer_test
