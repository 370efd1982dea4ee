// Console: lines stay whole, whoever writes them.
#include "machine/console.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using base::Duration;
using base::Rank;
using std::chrono::seconds;
using wire::Stream;

class Sinks final : public ConsoleSink {
 public:
  void write(Stream sink, std::string_view bytes) override {
    (sink == Stream::out ? out : err).append(bytes);
  }
  std::string out;
  std::string err;
};

class ConsoleTest : public testing::Test {
 protected:
  void make(std::uint32_t world_size, bool live = false) {
    console_.emplace(output_, world_size, live);
  }
  void take(std::uint32_t rank, std::string_view bytes, Stream stream = Stream::out) {
    console_->take(Rank(rank), stream, bytes, time_, sinks_);
  }
  void end(std::uint32_t rank, Stream stream = Stream::out) {
    console_->end(Rank(rank), stream, time_, sinks_);
  }
  void later(Duration time) { time_.now += time; }
  // What has come since the last call.
  std::string out() { return std::exchange(sinks_.out, {}); }

  model::OutputSpec output_;
  std::optional<Console> console_;
  ConsoleTime time_{base::Instant(seconds(100)), {}};
  Sinks sinks_;
  const std::string long_line_ = std::string(Console::kLineMax + 1, 'x');
};

TEST_F(ConsoleTest, OneRankPassesAsItComes) {
  make(1);
  take(0, "no newline");
  EXPECT_EQ(out(), "no newline");
  end(0);
  EXPECT_EQ(out(), "") << "and none is added";
}

TEST_F(ConsoleTest, LinesOfSeveralRanksNeverMix) {
  make(2);
  take(0, "he");
  take(1, "wor");
  EXPECT_EQ(out(), "");
  take(0, "llo\nagain");
  take(1, "ld\n");
  EXPECT_EQ(out(), "hello\nworld\n");
  end(0);
  EXPECT_EQ(out(), "again\n") << "a last line without a newline gets one";
  end(0);
  EXPECT_EQ(out(), "");
}

TEST_F(ConsoleTest, StreamsAreApart) {
  make(2);
  take(0, "out");
  take(0, "err\n", Stream::err);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(sinks_.err, "err\n");
}

TEST_F(ConsoleTest, CarriageReturnsBeforeNewlinesArePassedOn) {
  make(2);
  take(0, "a\r");
  take(0, "\nb\r\n");
  EXPECT_EQ(out(), "a\r\nb\r\n");
}

TEST_F(ConsoleTest, TagsEveryLineAndNeverTheMiddleOfOne) {
  output_.tag = true;
  make(11);
  take(3, "a\nb\nc");
  EXPECT_EQ(out(), "[03] a\n[03] b\n");
  take(3, "d\n");
  EXPECT_EQ(out(), "[03] cd\n");
}

TEST_F(ConsoleTest, TagsASingleRankToo) {
  output_.tag = true;
  make(1);
  take(0, "a\nb");
  EXPECT_EQ(out(), "[0] a\n");
  end(0);
  EXPECT_EQ(out(), "[0] b") << "one rank gets no newline";
}

TEST_F(ConsoleTest, ALongLineOfASingleTaggedRankGetsNoNewlineEither) {
  output_.tag = true;
  make(1);
  take(0, long_line_);
  end(0);
  EXPECT_EQ(out(), "[0] " + long_line_);
}

TEST_F(ConsoleTest, ALongLineTakesTheSinkUntilItEnds) {
  make(3);
  take(0, long_line_);
  EXPECT_EQ(out(), long_line_);
  take(1, "held\nmore");
  take(2, "too\n");
  take(1, "only err\n", Stream::err);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(sinks_.err, "only err\n") << "the other sink is free";
  take(0, "end\nnext\nrest");
  EXPECT_EQ(out(), "end\nnext\nheld\ntoo\n");
  end(1);
  EXPECT_EQ(out(), "more\n");
  EXPECT_FALSE(console_->deadline());
}

TEST_F(ConsoleTest, LanesThatWaitBehindALongLineGetFull) {
  make(2);
  take(0, long_line_);
  EXPECT_FALSE(console_->full(Rank(1), Stream::out));
  take(1, std::string(Console::kHeldMax, 'y'));
  EXPECT_TRUE(console_->full(Rank(1), Stream::out));
  EXPECT_FALSE(console_->full(Rank(0), Stream::out)) << "the owner goes on";
  EXPECT_FALSE(console_->full(Rank(1), Stream::err));
  take(0, "\n");
  EXPECT_FALSE(console_->full(Rank(1), Stream::out));
}

TEST_F(ConsoleTest, ASilentOwnerLosesTheSink) {
  make(2);
  take(0, long_line_);
  take(1, "waits\n");
  out();
  later(seconds(1));
  take(0, "alive");
  later(Duration(1999));
  console_->tick(time_, sinks_);
  EXPECT_EQ(out(), "alive");
  EXPECT_EQ(console_->deadline(), time_.now + Duration(1));
  later(Duration(1));
  console_->tick(time_, sinks_);
  EXPECT_EQ(out(), "\nwaits\n");
  EXPECT_FALSE(console_->deadline());
}

TEST_F(ConsoleTest, TheEndOfTheOwnerEndsItsLine) {
  make(2);
  take(0, long_line_);
  take(1, "waits\nlast");
  end(1);
  out();
  end(0);
  EXPECT_EQ(out(), "\nwaits\nlast\n");
}

TEST_F(ConsoleTest, ALongLineHasOnePrefix) {
  output_.tag = true;
  make(2);
  take(1, long_line_.substr(0, 100));
  take(1, long_line_);
  take(1, "!\n");
  EXPECT_EQ(out(), "[1] " + long_line_.substr(0, 100) + long_line_ + "!\n");
}

TEST_F(ConsoleTest, OnATerminalAReturnShowsWhatCameBefore) {
  make(2, true);
  take(0, "10%\r20%");
  EXPECT_EQ(out(), "10%\r");
  take(0, "\r");
  EXPECT_EQ(out(), "") << "may be the first half of a line's end";
  take(0, "30%");
  EXPECT_EQ(out(), "20%\r") << "it was not";
  take(0, "\r\nlast\n");
  EXPECT_EQ(out(), "30%\r\nlast\n");
}

TEST_F(ConsoleTest, ElsewhereAReturnIsAnOrdinaryByte) {
  make(2, false);
  take(0, "10%\r20%\r");
  EXPECT_EQ(out(), "");
  take(0, "\n");
  EXPECT_EQ(out(), "10%\r20%\r\n");
}

TEST_F(ConsoleTest, SpawnedRanksHaveLinesOfTheirOwn) {
  output_.tag = true;
  make(1);
  console_->add({2, Rank(1), 2});
  take(0, "par");
  take(2, "child\n");
  take(0, "ent\n");
  EXPECT_EQ(out(), "[2:1] child\n[0] parent\n");
}

}  // namespace
}  // namespace muster::machine
