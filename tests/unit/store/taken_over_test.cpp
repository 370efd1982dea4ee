// A queued run's record, when its head begins, and when another one does after it.
#include "store/taken_over.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "store/files.hpp"
#include "store/writer.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

class TakenOver : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "muster-taken-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    records_ = name;
    folder_ = records_ + "/20261123-225007.123-kufa";
  }
  void TearDown() override { fs::remove_all(records_); }

  void submit() {
    auto writer = RecordWriter::create(folder_, {"submitted", "{}", "created\n"});
    ASSERT_TRUE(writer);
    writer->add("{\"event\":\"queued\"}\n");
    ASSERT_TRUE(writer->complete());
    ASSERT_TRUE(write_file(folder_ + "/job.sh", "script"));
    ASSERT_TRUE(write_file(folder_ + "/job.out", "said"));
  }

  [[nodiscard]] base::Result<RecordWriter> begin(const std::string& spec) const {
    FirstFiles files{spec, "plan", "{\"event\":\"created\"}\n", {"outputs"}};
    files.takes_over = true;
    return RecordWriter::create(folder_, files);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    return read_file(folder_ + "/" + name).value_or("none");
  }

  std::string records_;
  std::string folder_;
};

TEST_F(TakenOver, WhatWasNotedOfTheJobsEndIsNotTrueAnyMore) {
  submit();
  ASSERT_TRUE(write_file(folder_ + "/report.json", "{}"));
  ASSERT_TRUE(write_file(folder_ + "/" + kJobOver, ""));
  ASSERT_TRUE(begin("first"));
  EXPECT_EQ(text(kJobOver), "none");
  ASSERT_TRUE(write_file(folder_ + "/" + kJobOver, ""));
  ASSERT_TRUE(begin("second"));
  EXPECT_EQ(text(kJobOver), "none");
}

TEST_F(TakenOver, TheHeadsFilesStandInPlaceOfTheSubmitters) {
  submit();
  EXPECT_EQ(text("spec.json"), "submitted");
  const auto writer = begin("first");
  ASSERT_TRUE(writer) << writer.error().what;
  EXPECT_EQ(text("spec.json"), "first");
  EXPECT_EQ(text("events.jsonl"), "{\"event\":\"created\"}\n");
  EXPECT_EQ(text("job.sh"), "script");
  EXPECT_EQ(text("job.out"), "said");
  EXPECT_FALSE(fs::exists(folder_ + "/attempt.1"));
  EXPECT_EQ(std::distance(fs::directory_iterator(records_), {}), 1);
}

TEST_F(TakenOver, AReportOfItsLossIsNoLongerTrue) {
  submit();
  ASSERT_TRUE(write_file(folder_ + "/report.json", "died"));
  ASSERT_TRUE(write_file(folder_ + "/report.txt", "died"));
  ASSERT_TRUE(begin("first"));
  EXPECT_EQ(text("report.json"), "none");
  EXPECT_EQ(text("report.txt"), "none");
}

TEST_F(TakenOver, WhatAHeadLeftThatWasKilledAtItsBeginningIsNotInTheWay) {
  submit();
  const std::string left = records_ + "/.new-" + folder_.substr(folder_.rfind('/') + 1);
  fs::create_directory(left);
  ASSERT_TRUE(write_file(left + "/events.jsonl", "half"));
  const auto writer = begin("second");
  ASSERT_TRUE(writer) << writer.error().what;
  EXPECT_EQ(text("spec.json"), "second");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(TakenOver, WhatAnEarlierHeadLeftIsSetAsideButForCheckpoints) {
  submit();
  {
    auto writer = begin("first");
    ASSERT_TRUE(writer);
    ASSERT_TRUE(write_file(folder_ + "/outputs/made", "by the first"));
    fs::create_directory(folder_ + "/checkpoints");
    ASSERT_TRUE(writer->finish("stopped", "report"));
  }
  const auto writer = begin("second");
  ASSERT_TRUE(writer) << writer.error().what;
  EXPECT_EQ(text("spec.json"), "second");
  EXPECT_EQ(text("report.json"), "none");
  EXPECT_EQ(text("attempt.1/report.json"), "stopped");
  EXPECT_EQ(text("attempt.1/outputs/made"), "by the first");
  EXPECT_TRUE(fs::is_empty(folder_ + "/outputs"));
  EXPECT_TRUE(fs::exists(folder_ + "/checkpoints"));
  EXPECT_EQ(text("job.out"), "said");
}

TEST_F(TakenOver, ARecordThatWasRemovedMeanwhileIsMadeAnew) {
  const auto writer = begin("first");
  ASSERT_TRUE(writer);
  EXPECT_EQ(text("spec.json"), "first");
}

}  // namespace
}  // namespace muster::store
