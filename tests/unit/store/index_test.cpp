// The index remembers, forgets, and gives way to damage.
#include "store/index.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

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

TEST_F(IndexFile, IsMadeAnewWhenItIsNone) {
  std::ofstream(folder_ + "/.index.sqlite") << std::string(9000, 'x');
  EXPECT_EQ(names(), Names{});
}

TEST_F(IndexFile, IsNotThereWithoutAFolder) { EXPECT_FALSE(Index::open(folder_ + "/none")); }

}  // namespace
}  // namespace muster::store
