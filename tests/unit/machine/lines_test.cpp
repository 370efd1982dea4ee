// Lines: they stay whole, whoever writes them.
#include "machine/lines.hpp"

#include <gtest/gtest.h>
#include <memory>

#include "unit/machine/speaking.hpp"

namespace muster::machine {
namespace {

using base::Duration;
using base::Rank;
using model::Field;
using model::Stream;
using std::chrono::seconds;

constexpr SinkId kOut = 0;
constexpr SinkId kErr = 1;

class Sinks final : public LineSink {
 public:
  void write(SinkId sink, std::string_view bytes) override {
    (sink == kOut ? out : err).append(bytes);
  }
  std::string out;
  std::string err;
};

class LinesTest : public testing::Test {
 protected:
  void make(std::uint32_t ranks, bool live = false) {
    who_ = std::make_unique<Speaking>(ranks);
    lines_.emplace(style_, who_->speakers, live);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) add_lanes();
  }
  void add_lanes() {
    lines_->add(kOut, style_.styled());
    lines_->add(merged_ ? kOut : kErr, style_.styled());
  }
  void take(std::uint32_t rank, std::string_view bytes, Stream stream = Stream::out) {
    lines_->take(Rank(rank), stream, bytes, time_, sinks_);
  }
  void end(std::uint32_t rank, Stream stream = Stream::out) {
    lines_->end(Rank(rank), stream, time_, sinks_);
  }
  void later(Duration time) { time_.now += time; }
  // What has come since the last call.
  std::string out() { return std::exchange(sinks_.out, {}); }
  void tag() {
    style_.prefix = {
        {Field::text, "["}, {Field::rank, {}, model::Width::largest}, {Field::text, "] "}};
  }

  model::OutputSpec style_;
  bool merged_ = false;
  std::unique_ptr<Speaking> who_;
  std::optional<Lines> lines_;
  LineTime time_{base::Instant(seconds(100))};
  Sinks sinks_;
  const std::string long_line_ = std::string(Lines::kLineMax + 1, 'x');
};

TEST_F(LinesTest, OneRankPassesAsItComes) {
  make(1);
  take(0, "no newline");
  EXPECT_EQ(out(), "no newline");
  end(0);
  EXPECT_EQ(out(), "") << "and none is added";
}

TEST_F(LinesTest, LinesOfSeveralRanksNeverMix) {
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

TEST_F(LinesTest, StreamsAreApart) {
  make(2);
  take(0, "out");
  take(0, "err\n", Stream::err);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(sinks_.err, "err\n");
}

TEST_F(LinesTest, CarriageReturnsBeforeNewlinesArePassedOn) {
  make(2);
  take(0, "a\r");
  take(0, "\nb\r\n");
  EXPECT_EQ(out(), "a\r\nb\r\n");
}

TEST_F(LinesTest, TagsEveryLineAndNeverTheMiddleOfOne) {
  tag();
  make(11);
  take(3, "a\nb\nc");
  EXPECT_EQ(out(), "[03] a\n[03] b\n");
  take(3, "d\n");
  EXPECT_EQ(out(), "[03] cd\n");
}

TEST_F(LinesTest, TagsASingleRankToo) {
  tag();
  make(1);
  take(0, "a\nb");
  EXPECT_EQ(out(), "[0] a\n");
  end(0);
  EXPECT_EQ(out(), "[0] b") << "one rank gets no newline";
}

TEST_F(LinesTest, ALongLineOfASingleTaggedRankGetsNoNewlineEither) {
  tag();
  make(1);
  take(0, long_line_);
  end(0);
  EXPECT_EQ(out(), "[0] " + long_line_);
}

TEST_F(LinesTest, ALongLineTakesTheSinkUntilItEnds) {
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
  EXPECT_FALSE(lines_->deadline());
}

TEST_F(LinesTest, LanesThatWaitBehindALongLineGetFull) {
  make(2);
  take(0, long_line_);
  EXPECT_FALSE(lines_->full(Rank(1), Stream::out));
  take(1, std::string(Lines::kHeldMax, 'y'));
  EXPECT_TRUE(lines_->full(Rank(1), Stream::out));
  EXPECT_FALSE(lines_->full(Rank(0), Stream::out)) << "the owner goes on";
  EXPECT_FALSE(lines_->full(Rank(1), Stream::err));
  take(0, "\n");
  EXPECT_FALSE(lines_->full(Rank(1), Stream::out));
}

TEST_F(LinesTest, ASilentOwnerLosesTheSink) {
  make(2);
  take(0, long_line_);
  take(1, "waits\n");
  out();
  later(seconds(1));
  take(0, "alive");
  later(Duration(1999));
  lines_->tick(time_, sinks_);
  EXPECT_EQ(out(), "alive");
  EXPECT_EQ(lines_->deadline(), time_.now + Duration(1));
  later(Duration(1));
  lines_->tick(time_, sinks_);
  EXPECT_EQ(out(), "\nwaits\n");
  EXPECT_FALSE(lines_->deadline());
}

TEST_F(LinesTest, TheEndOfTheOwnerEndsItsLine) {
  make(2);
  take(0, long_line_);
  take(1, "waits\nlast");
  end(1);
  out();
  end(0);
  EXPECT_EQ(out(), "\nwaits\nlast\n");
}

TEST_F(LinesTest, ALongLineHasOnePrefix) {
  tag();
  make(2);
  take(1, long_line_.substr(0, 100));
  take(1, long_line_);
  take(1, "!\n");
  EXPECT_EQ(out(), "[1] " + long_line_.substr(0, 100) + long_line_ + "!\n");
}

TEST_F(LinesTest, OnATerminalAReturnShowsWhatCameBefore) {
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

TEST_F(LinesTest, ElsewhereAReturnIsAnOrdinaryByte) {
  make(2, false);
  take(0, "10%\r20%\r");
  EXPECT_EQ(out(), "");
  take(0, "\n");
  EXPECT_EQ(out(), "10%\r20%\r\n");
}

TEST_F(LinesTest, SpawnedRanksHaveLinesOfTheirOwn) {
  tag();
  style_.prefix.insert(style_.prefix.begin() + 1, {Field::spawned, ":"});
  make(1);
  for (std::uint32_t own = 0; own < 2; ++own) {
    who_->plan.ranks.push_back({base::NodeIndex(0), own, 0});
    add_lanes();
  }
  who_->speakers.add({2, Rank(1), 2});
  take(0, "par");
  take(2, "child\n");
  take(0, "ent\n");
  EXPECT_EQ(out(), "[2:1] child\n[0] parent\n");
}

TEST_F(LinesTest, StreamsThatShareASinkDoNotMixEither) {
  merged_ = true;
  make(1);
  take(0, "out");
  take(0, "err\n", Stream::err);
  take(0, "put\nlast");
  EXPECT_EQ(out(), "err\noutput\n");
  end(0);
  EXPECT_EQ(out(), "last\n") << "the other stream may go on";
}

TEST_F(LinesTest, LanesThatLeadNowhereAreSilent) {
  style_.prefix = {{Field::text, "> "}};
  who_ = std::make_unique<Speaking>(2);
  lines_.emplace(style_, who_->speakers, false);
  for (const SinkId sink : {kNowhere, kErr, kOut, kErr}) lines_->add(sink, sink == kOut);
  take(0, "nobody\n");
  end(0);
  take(1, "plain\n", Stream::err);
  take(1, "styled\n");
  EXPECT_EQ(out(), "> styled\n");
  EXPECT_EQ(sinks_.err, "plain\n");
  lines_->redirect(Rank(0), Stream::out, kOut);
  take(0, "now\n");
  EXPECT_EQ(out(), "now\n");
}

TEST_F(LinesTest, XmlWrapsEachLine) {
  style_.xml = true;
  make(2);
  take(1, "a<b>&\tc\nd");
  take(1, "e\n", Stream::err);
  EXPECT_EQ(out(), "<stdout rank=\"1\">a&lt;b&gt;&amp;&#009;c&#010;</stdout>\n");
  EXPECT_EQ(sinks_.err, "<stderr rank=\"1\">e&#010;</stderr>\n");
  end(1);
  EXPECT_EQ(out(), "<stdout rank=\"1\">d&#010;</stdout>\n");
}

TEST_F(LinesTest, XmlClosesALongLineWhoeverEndsIt) {
  style_.xml = true;
  make(2);
  const std::string opening = "<stdout rank=\"0\">";
  take(0, long_line_);
  take(0, "<\n");
  EXPECT_EQ(out(), opening + long_line_ + "&lt;&#010;</stdout>\n");
  take(0, long_line_);
  later(Lines::kOwnerSilence);
  lines_->tick(time_, sinks_);
  EXPECT_EQ(out(), opening + long_line_ + "&#010;</stdout>\n");
  take(0, long_line_);
  end(0);
  EXPECT_EQ(out(), opening + long_line_ + "&#010;</stdout>\n");
}

}  // namespace
}  // namespace muster::machine
