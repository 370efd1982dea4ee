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

// What a user has put there, or somebody else, is not written over.
TEST(LogFiles, NoLinkBelowTheNamedFolderIsFollowed) {
  const unit::Folder folder;
  const Speaking who(1);
  std::filesystem::create_directories(folder.path() + "/logs");
  std::filesystem::create_directory(folder.path() + "/elsewhere");
  folder.file("elsewhere/stdout", "keep", false);
  std::filesystem::create_symlink("../elsewhere", folder.path() + "/logs/rank.0");
  const auto logs = LogFiles::create(kept_in(folder.path() + "/logs"), who.speakers);
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().what, "cannot make " + folder.path() +
                                   "/logs/rank.0/stdout: it is a link, which is not followed");
  EXPECT_EQ(logs.error().hint, "remove the link, or name the folder that it leads to");
  EXPECT_EQ(folder.read("elsewhere/stdout"), "keep");
}

TEST(LogFiles, TheNamedFolderMayBeALink) {
  const unit::Folder folder;
  const Speaking who(1);
  std::filesystem::create_directory(folder.path() + "/elsewhere");
  std::filesystem::create_symlink("elsewhere", folder.path() + "/link");
  const model::Pattern end = {{Field::text, "/rank."}, {Field::rank}, {Field::text, "/x"}};
  // As --logs has it, and as --log_dir has it, where other hosts have folders beside it.
  for (const bool has_field : {false, true}) {
    model::OutputSpec output;
    output.out_file = {{Field::text, folder.path() + "/link"}};
    if (has_field) output.out_file.push_back({Field::other_node, "_"});
    output.out_file.insert(output.out_file.end(), end.begin(), end.end());
    auto logs = LogFiles::create(output, who.speakers);
    ASSERT_TRUE(logs) << logs.error().what;
    logs->write(logs->sink_of(Rank(0), Stream::out), "said");
    EXPECT_EQ(folder.read("elsewhere/rank.0/x"), "said");
    std::filesystem::remove_all(folder.path() + "/elsewhere/rank.0");
  }
}

TEST(LogFiles, OfAStartThatIsRefusedAreAsBefore) {
  const unit::Folder folder;
  const Speaking who(3);
  std::filesystem::create_directories(folder.path() + "/logs/rank.0");
  folder.file("logs/rank.0/stdout", "of an earlier job", false);
  folder.file("logs/rank.2", "", false);
  const auto logs = LogFiles::create(kept_in(folder.path() + "/logs"), who.speakers);
  ASSERT_FALSE(logs);
  EXPECT_NE(logs.error().what.find("rank.2/stdout: Not a directory"), std::string::npos)
      << logs.error().what;
  EXPECT_EQ(logs.error().hint, "remove what has that name, or choose another name");
  EXPECT_EQ(folder.read("logs/rank.0/stdout"), "of an earlier job");
  EXPECT_FALSE(folder.has("logs/rank.0/stderr"));
  EXPECT_FALSE(folder.has("logs/rank.1"));
  std::filesystem::remove(folder.path() + "/logs/rank.2");
  ASSERT_TRUE(LogFiles::create(kept_in(folder.path() + "/logs"), who.speakers));
  EXPECT_EQ(folder.read("logs/rank.0/stdout"), "");
  EXPECT_TRUE(folder.has("logs/rank.2/stderr"));
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
