// What the console has missed is shown in order, in turn, and from the files.
#include "head/backlog.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "unit/folder.hpp"
#include "unit/machine/speaking.hpp"

namespace muster::head::backlog_test {
namespace {

using base::Rank;
using machine::SinkId;
using machine::Speaking;
using model::Field;
using model::Stream;

// The stdout of two ranks, and what a console is shown of it.
class BacklogTest : public testing::Test {
 protected:
  BacklogTest() {
    model::OutputSpec output;
    output.out_file = {{Field::text, folder_.path() + "/"}, {Field::rank}};
    logs_ = std::move(*LogFiles::create(output, who_.speakers));
  }

  SinkId file(std::uint32_t rank) { return logs_->sink_of(Rank(rank), Stream::out); }

  void prints(std::uint32_t rank, std::string_view text) {
    const std::uint64_t at = logs_->size(file(rank));
    logs_->write(file(rank), text);
    backlog_.add(2 * rank, file(rank), at, text.size());
  }

  bool show() {
    return backlog_.show(*logs_,
                         {[this](LaneId lane) { return lane != full_; },
                          [this](LaneId lane, std::string_view bytes) {
                            shown_ += fmt::format("{}:{} ", lane / 2, bytes);
                            total_ += bytes.size();
                          },
                          [this](LaneId lane) { shown_ += fmt::format("{} ends ", lane / 2); }});
  }

  unit::Folder folder_;
  Speaking who_ = Speaking(2);
  std::optional<LogFiles> logs_;
  Backlog backlog_;
  LaneId full_ = 99;
  std::string shown_;
  std::size_t total_ = 0;
};

TEST_F(BacklogTest, ShowsInOrderWhatWasAdded) {
  logs_->write(file(0), "shown before ");
  prints(0, "one ");
  prints(0, "two");
  prints(1, "other");
  backlog_.end(0);
  EXPECT_TRUE(backlog_.holds(0));
  EXPECT_EQ(backlog_.waiting(), 12U);
  EXPECT_FALSE(show());
  EXPECT_EQ(shown_, "0:one two 1:other 0 ends ");
  EXPECT_TRUE(backlog_.empty());
}

TEST_F(BacklogTest, WhatHasNoRoomWaits) {
  prints(0, "one");
  prints(1, "other");
  full_ = 0;
  EXPECT_FALSE(show());
  EXPECT_EQ(shown_, "1:other ");
  full_ = 99;
  EXPECT_FALSE(show());
  EXPECT_EQ(shown_, "1:other 0:one ");
}

// Of a rank that has printed without end.
TEST_F(BacklogTest, WhoeverIsInAHurrySeesTheEndOfEachLane) {
  prints(0, std::string(6u << 20, 'x'));
  prints(0, " last words");
  backlog_.end(0);
  prints(1, "all that there is");
  backlog_.leave_out();
  EXPECT_EQ(backlog_.missed() + backlog_.waiting(), (6u << 20) + 11 + 17);
  while (show()) continue;
  EXPECT_LE(total_, 1u << 20);
  EXPECT_TRUE(shown_.find(" last words") != std::string::npos);
  EXPECT_TRUE(shown_.find("1:all that there is") != std::string::npos);
  EXPECT_TRUE(shown_.find("0 ends") != std::string::npos);
  EXPECT_TRUE(backlog_.empty());
}

TEST_F(BacklogTest, LanesHaveTurnsAndSoHaveOthers) {
  const std::string much(6u << 20, 'x');
  prints(0, much);
  prints(1, much);
  int calls = 1;
  while (show()) ++calls;
  EXPECT_EQ(total_, 2 * much.size());
  EXPECT_GE(calls, 3);
  EXPECT_EQ(shown_.substr(0, 2), "0:");
  EXPECT_EQ(shown_.substr(65539, 2), "1:");
}

TEST_F(BacklogTest, WhatIsNoLongerThereIsCounted) {
  prints(0, "one two three");
  std::filesystem::resize_file(folder_.path() + "/0", 4);
  EXPECT_FALSE(show());
  EXPECT_EQ(shown_, "0:one  ");
  EXPECT_EQ(backlog_.missed(), 9U);
  EXPECT_TRUE(backlog_.empty());
}

TEST(LogFilesRead, OnlyWhatIsOneStreamsOwn) {
  const unit::Folder folder;
  const Speaking who(2);
  model::OutputSpec output;
  output.out_file = {{Field::text, folder.path() + "/all"}};
  output.err_file = {{Field::text, "/dev/null"}};
  const auto logs = LogFiles::create(output, who.speakers);
  EXPECT_FALSE(logs->can_be_read(logs->sink_of(Rank(0), Stream::out)));
  EXPECT_FALSE(logs->can_be_read(logs->sink_of(Rank(0), Stream::err)));
  EXPECT_FALSE(logs->can_be_read(machine::kNowhere));
}

}  // namespace
}  // namespace muster::head::backlog_test
