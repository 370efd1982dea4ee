// Names: each name once, in order, and an ear for whoever wants it to stop.
#include "blobs/names.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "blobs/fingerprint.hpp"
#include "blobs/survey.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;

class NamesIn : public testing::Test {
 protected:
  void put(const std::string& name) const { std::ofstream(folder_.path() + "/" + name) << name; }
  void put_many(int count) const {
    for (int i = 0; i < count; ++i) put(fmt::format("f{}", i));
  }
  [[nodiscard]] std::vector<std::string> all() const {
    auto names = Names::in(folder_.path());
    std::vector<std::string> found;
    while (names && !names->empty()) found.push_back(names->take());
    return found;
  }

  unit::Folder folder_;
};

TEST_F(NamesIn, OrderIsThatOfBytes) {
  for (const char* name : {"b", "a.x", "a", "\xc3\xa4", "B", ".hidden"}) put(name);
  fs::create_directory(folder_.path() + "/a-folder");
  EXPECT_EQ(all(),
            (std::vector<std::string>{".hidden", "B", "a", "a-folder", "a.x", "b", "\xc3\xa4"}));
}

TEST_F(NamesIn, ManyAreInOrderToo) {
  put_many(1000);
  const std::vector<std::string> found = all();
  EXPECT_EQ(found.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(found));
}

TEST_F(NamesIn, WhatCannotBeListedSaysWhy) {
  EXPECT_FALSE(Names::in(folder_.path() + "/none"));
  EXPECT_EQ(errno, ENOENT);
}

// A folder with many files is not listed to its end before anybody is asked.
TEST_F(NamesIn, AreGivenUpWhileTheyAreRead) {
  put_many(1000);
  int asked = 0;
  ASSERT_TRUE(Names::in(folder_.path(), [&] { return ++asked > 0; }));
  EXPECT_GE(asked, 3);
  asked = 0;
  EXPECT_FALSE(Names::in(folder_.path(), [&] { return ++asked < 2; }));
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_EQ(asked, 2);
  const auto is_given_up = [&](const auto& done) {
    EXPECT_EQ(asked, 3) << "the folder itself, and twice while it is listed";
    asked = 0;
    return !done && done.error().what == "interrupted";
  };
  asked = 0;
  const GoesOn twice = [&] { return ++asked <= 2; };
  EXPECT_TRUE(is_given_up(fingerprint(folder_.path(), LeadsOutLinks::as_they_are, twice)));
  ++asked;  // a survey does not ask for the folder itself
  EXPECT_TRUE(is_given_up(survey(folder_.path(), {.goes_on = twice})));
}

}  // namespace
}  // namespace muster::blobs
