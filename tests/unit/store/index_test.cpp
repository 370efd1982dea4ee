// The index remembers, forgets, and gives way to damage.
#include "store/index.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "view/record_json.hpp"

namespace muster::store {
namespace {

class IndexFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "muster-index-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static model::RunRecord record(const std::string& run) {
    model::RunRecord record;
    record.run = run;
    record.experiment = "lines";
    record.state = model::RunState::completed;
    record.exit_code = 0;
    return record;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    auto index = Index::open(folder_);
    if (!index) return {"no index"};
    for (const Indexed& one : index->runs(IndexText::json).value_or(std::vector<Indexed>())) {
      names.push_back(one.run);
    }
    return names;
  }

  std::string folder_;
};

using Names = std::vector<std::string>;

TEST_F(IndexFile, IsItsOwnersAlone) {
  namespace fs = std::filesystem;
  constexpr auto kOwners = fs::perms::owner_read | fs::perms::owner_write;
  const fs::path file = fs::path(folder_) / ".index.sqlite";
  ASSERT_TRUE(Index::open(folder_));
  EXPECT_EQ(fs::status(file).permissions(), kOwners);
  fs::permissions(file, kOwners | fs::perms::group_read | fs::perms::others_read);
  ASSERT_TRUE(Index::open(folder_));
  EXPECT_EQ(fs::status(file).permissions(), kOwners);
}

TEST_F(IndexFile, RemembersAndForgets) {
  auto index = Index::open(folder_);
  ASSERT_TRUE(index);
  index->change({record("b"), record("a")}, {});
  EXPECT_EQ(names(), (Names{"a", "b"}));
  index->change({record("c")}, {"a", "x"});
  EXPECT_EQ(names(), (Names{"b", "c"}));
}

TEST_F(IndexFile, HoldsWhatIsShown) {
  auto index = Index::open(folder_);
  ASSERT_TRUE(index);
  index->change({record("a")}, {});
  const auto json = index->runs(IndexText::json);
  ASSERT_TRUE(json && json->size() == 1);
  EXPECT_EQ(view::read_record(json->front().text), record("a"));
  const auto cells = index->runs(IndexText::cells);
  ASSERT_TRUE(cells && cells->size() == 1);
  EXPECT_TRUE(cells->front().text.starts_with("a\ncompleted\n")) << cells->front().text;
}

// What a filter means, with the text that is printed: as "run text-begin".
TEST_F(IndexFile, IsAskedWithAFilter) {
  auto index = Index::open(folder_);
  ASSERT_TRUE(index);
  model::RunRecord a = record("a"), b = record("b"), c = record("c");
  a.tags = {{"stage", "dev"}, {"size", ""}};
  b.tags = {{"stage", "dev,\"x\":\"y\"\n"}};
  b.experiment = "other";
  c.state = model::RunState::failed;
  c.ended = model::Utc(std::chrono::hours(48));
  index->change({a, b, c}, {});
  const auto meant = [&](const model::RunFilter& filter, IndexText text) {
    Names names;
    const auto runs = index->runs(text, filter, model::Utc(std::chrono::hours(50)));
    for (const Indexed& one : runs.value_or(std::vector<Indexed>())) {
      const auto start = (text == IndexText::json ? "{\"run\":\"" : "") + one.run;
      EXPECT_TRUE(one.text.starts_with(start)) << one.text;
      if (one.is_meant) names.push_back(one.run);
    }
    return names;
  };
  for (const IndexText text : {IndexText::json, IndexText::cells}) {
    EXPECT_EQ(meant({"", {{"stage", {}}}, {}, {}}, text), (Names{"a", "b"}));
    EXPECT_EQ(meant({"", {{"stage", "dev"}, {"size", ""}}, {}, {}}, text), (Names{"a"}));
    EXPECT_EQ(meant({"", {{"stage", "dev,\"x\":\"y\"\n"}}, {}, {}}, text), (Names{"b"}));
    EXPECT_EQ(meant({"", {{"x", {}}}, {}, {}}, text), Names{});
    EXPECT_EQ(meant({"other", {}, {}, {}}, text), (Names{"b"}));
    EXPECT_EQ(meant({"", {}, {model::RunState::failed}, {}}, text), (Names{"c"}));
    EXPECT_EQ(meant({"", {}, {}, std::chrono::hours(3)}, text), (Names{"a", "b"}));
  }
}

TEST_F(IndexFile, IsMadeAnewWhenItIsNone) {
  std::ofstream(folder_ + "/.index.sqlite") << std::string(9000, 'x');
  EXPECT_EQ(names(), Names{});
}

TEST_F(IndexFile, IsNotWhereALinkLeads) {
  namespace fs = std::filesystem;
  fs::create_symlink("elsewhere", folder_ + "/.index.sqlite");
  EXPECT_FALSE(Index::open(folder_));
  EXPECT_FALSE(fs::exists(folder_ + "/elsewhere"));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/.index.sqlite"));
}

TEST_F(IndexFile, IsWhereALinkToTheRecordsLeads) {
  const std::string records = folder_ + "/records";
  std::filesystem::create_directory(records);
  std::filesystem::create_directory_symlink("records", folder_ + "/link");
  EXPECT_TRUE(Index::open(folder_ + "/link"));
  EXPECT_TRUE(std::filesystem::exists(records + "/.index.sqlite"));
}

TEST_F(IndexFile, IsNotThatOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const char* const end : {"", "-journal"}) {
    ASSERT_TRUE(Index::open(folder_));
    const std::string file = folder_ + "/.index.sqlite" + end;
    std::ofstream(file, std::ios::app).close();
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(Index::open(folder_)) << end;
    std::filesystem::remove(file);
  }
}

TEST_F(IndexFile, IsNotThereWithoutAFolder) { EXPECT_FALSE(Index::open(folder_ + "/none")); }

}  // namespace
}  // namespace muster::store
