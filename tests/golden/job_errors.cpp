// What is said of wrong job files: tests/golden/data/job/NAME.yml gives NAME.txt.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "golden/golden.hpp"
#include "job/read_job.hpp"

namespace muster::golden {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> wrong_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MUSTER_SOURCE_DIR "/tests/golden/data/job")) {
    if (entry.path().extension() == ".yml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/tests/golden/data/job/" + name + ".yml");
  return {std::istreambuf_iterator<char>(file), {}};
}

class WrongJobFile : public testing::TestWithParam<std::string> {};

TEST_P(WrongJobFile, SaysAllThatIsWrong) {
  std::string said;
  for (const base::Error& error : job::read_job(read(GetParam()), "job.yml").complaints) {
    EXPECT_EQ(error.fault, base::Fault::bad_file);
    EXPECT_EQ(error.place.source, "job.yml");
    said += to_string(error) + "\n";
  }
  EXPECT_NE(said, "");
  expect_golden("job/" + GetParam() + ".txt", said);
}

INSTANTIATE_TEST_SUITE_P(Files, WrongJobFile, testing::ValuesIn(wrong_files()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace muster::golden
