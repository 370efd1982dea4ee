// The beginning of a record, where it cannot be made.
#include "store/writer.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "process/unique_fd.hpp"
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

class Early : public testing::Test {
 protected:
  [[nodiscard]] base::Result<RecordWriter> create() const {
    FirstFiles files{"{}", "{}", "created\n", {"outputs"}};
    files.early = "mlruns";
    return RecordWriter::create(folder_, files);
  }

  const unit::Folder records_;
  const std::string folder_ = records_.path() + "/" + kRun;
};

// A rank may write there before there is a record.
TEST_F(Early, KeepsWhatRanksHaveWrittenMeanwhile) {
  fs::create_directories(folder_ + "/mlruns/0");
  fs::permissions(folder_, fs::perms(0755));
  ASSERT_TRUE(create());
  for (const char* name : {"mlruns/0", "spec.json", "plan.json", "events.jsonl", "outputs"}) {
    EXPECT_TRUE(fs::exists(folder_ + "/" + name)) << name;
  }
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms(0700));
  EXPECT_EQ(std::distance(fs::directory_iterator(records_.path()), {}), 1);
}

// It makes one folder after the other, and is in the first.
TEST_F(Early, LeavesARankInTheFolderWhereItIs) {
  fs::create_directory(folder_);
  const process::UniqueFd inside(::open(folder_.c_str(), O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(create());
  EXPECT_EQ(::mkdirat(inside.get(), "mlruns", 0700), 0);
  EXPECT_TRUE(fs::exists(folder_ + "/mlruns"));
}

TEST_F(Early, TakesNoFolderOfSomethingElse) {
  fs::create_directories(folder_ + "/mlruns");
  std::ofstream(folder_ + "/spec.json") << "another's";
  EXPECT_FALSE(create());
  EXPECT_EQ(records_.read(std::string(kRun) + "/spec.json"), "another's");
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/mlruns") << "a file";
  EXPECT_FALSE(create());
  fs::remove_all(folder_);
  EXPECT_TRUE(fs::is_empty(records_.path()));
}

// Two runs that have got one name at the same instant.
TEST_F(Early, IsTheRecordOfOneRun) {
  fs::create_directories(folder_ + "/mlruns");
  const auto first = create();
  EXPECT_TRUE(first);
  EXPECT_FALSE(create());
}

TEST(ReserveRecord, ShowsThatTheRecordIsBeingMade) {
  const unit::Folder records;
  for (const std::string& folder :
       {records.path() + "/" + kRun, records.path() + "/state/runs/" + kRun}) {
    EXPECT_FALSE(is_being_made(folder));
    EXPECT_TRUE(reserve_record(folder));
    EXPECT_TRUE(is_being_made(folder));
    FirstFiles files{"{}", "{}", "created\n"};
    files.early = "mlruns";
    ASSERT_TRUE(RecordWriter::create(folder, files));
    EXPECT_FALSE(is_being_made(folder));
    EXPECT_TRUE(fs::exists(folder + "/spec.json"));
  }
}

TEST(ReserveRecord, NeedsAFolderThatCanBeMade) {
  const unit::Folder records;
  records.file("file", "", true);
  EXPECT_FALSE(reserve_record(records.path() + "/file/" + kRun));
  EXPECT_FALSE(reserve_record(records.path() + "/file/runs/" + kRun));
  EXPECT_FALSE(reserve_record(std::string("/proc/") + kRun));
}

}  // namespace
}  // namespace muster::store::writer_test
