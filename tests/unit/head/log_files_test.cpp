// LogFiles: names, widths, and bytes as they came.
#include "head/log_files.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "store/folder.hpp"
#include "unit/folder.hpp"
#include "unit/machine/speaking.hpp"

namespace muster::head {
namespace {

using base::Rank;
using machine::Speaking;
using model::Field;
using model::Stream;

// FOLDER/[WORLD/]rank.N/{stdout,stderr}
model::OutputSpec kept_in(const std::string& folder) {
  model::OutputSpec output;
  output.out_file = {{Field::text, folder + "/"}, {Field::spawned, "/"},
                     {Field::text, "rank."},      {Field::rank},
                     {Field::text, "/"},          {Field::stream}};
  output.err_file = output.out_file;
  return output;
}

TEST(LogFiles, KeepBytesAsTheyCome) {
  const unit::Folder folder;
  const Speaking who(2);
  auto logs = LogFiles::create(kept_in(folder.path() + "/a/b"), who.speakers);
  ASSERT_TRUE(logs);
  const machine::SinkId err = logs->sink_of(Rank(1), Stream::err);
  logs->write(logs->sink_of(Rank(0), Stream::out), std::string_view("x\0y\n", 4));
  logs->write(err, "one");
  logs->write(err, "two");
  EXPECT_EQ(folder.read("a/b/rank.0/stdout"), std::string("x\0y\n", 4));
  EXPECT_EQ(folder.read("a/b/rank.1/stderr"), "onetwo");
  EXPECT_EQ(folder.read("a/b/rank.1/stdout"), "");
  EXPECT_EQ(logs->trouble(), "");
}

TEST(LogFiles, SayWhenBytesCame) {
  const unit::Folder folder;
  const Speaking who(2);
  model::OutputSpec output = kept_in(folder.path() + "/streams");
  output.times_file = folder.path() + "/times";
  auto logs = LogFiles::create(output, who.speakers);
  ASSERT_TRUE(logs);
  const model::Utc before = store::utc_now();
  for (int i = 0; i < 3; ++i) logs->write(logs->sink_of(Rank(1), Stream::err), "text\n");
  const std::string text = folder.read("times");
  EXPECT_TRUE(text.ends_with(" 1 1 stderr 0\n")) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  const auto at = model::Utc(std::chrono::milliseconds(std::stoll(text)));
  EXPECT_TRUE(before <= at && at <= store::utc_now()) << text;
}

TEST(LogFiles, StreamsWithTheSameNameShareAFile) {
  const unit::Folder folder;
  const Speaking who(2);
  model::OutputSpec output;
  output.out_file = {{Field::text, folder.path() + "/all"}};
  auto logs = LogFiles::create(output, who.speakers);
  ASSERT_TRUE(logs);
  EXPECT_EQ(logs->sink_of(Rank(0), Stream::out), logs->sink_of(Rank(1), Stream::out));
  EXPECT_EQ(logs->sink_of(Rank(1), Stream::err), machine::kNowhere);
}

TEST(LogFiles, AFileThatCannotBeMadeIsNamed) {
  const unit::Folder folder;
  const Speaking who(1);
  const std::string file = folder.file("taken", "", false);
  const auto logs = LogFiles::create(kept_in(file + "/logs"), who.speakers);
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().fault, base::Fault::bad_file);
  EXPECT_NE(logs.error().what.find(file), std::string::npos);
}

TEST(LogFiles, OfSpawnedRanksAreAddedOrToldOf) {
  const unit::Folder folder;
  Speaking who(1);
  const model::OutputSpec output = kept_in(folder.path());
  auto logs = LogFiles::create(output, who.speakers);
  ASSERT_TRUE(logs);
  folder.file("3", "", false);
  for (const std::uint32_t world : {2u, 3u}) {
    who.plan.ranks.push_back({base::NodeIndex(0), 0, 0});
    who.speakers.add({world, Rank(world - 1), 1});
    logs->add(output, who.speakers);
  }
  logs->write(logs->sink_of(Rank(1), Stream::err), "spawned");
  EXPECT_EQ(folder.read("2/rank.0/stderr"), "spawned");
  EXPECT_EQ(logs->sink_of(Rank(2), Stream::err), machine::kNowhere);
  EXPECT_NE(logs->trouble().find("cannot make"), std::string::npos);
}

}  // namespace
}  // namespace muster::head
