// Plays each script of tests/sim/transcripts and compares the whole exchange, heartbeats left out,
// with what stands below its line of dashes. UPDATE_GOLDEN=1 writes that part anew.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "golden/golden.hpp"
#include "sim/script.hpp"
#include "sim/world.hpp"

namespace muster::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDashes = "----\n";

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(MUSTER_SOURCE_DIR "/tests/sim/transcripts")) {
    if (entry.path().extension() == ".txt") found.push_back(entry.path().stem());
  }
  std::ranges::sort(found);
  return found;
}

std::string script_part(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/tests/sim/transcripts/" + name + ".txt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.substr(0, text.find(kDashes));
}

class Transcript : public testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsTheSame) {
  const std::string script = script_part(GetParam());
  std::string trouble;
  const Scenario scenario = read_script(script, trouble);
  ASSERT_EQ(trouble, "") << "in " << GetParam();
  const Outcome outcome = World(scenario, {true, false}).play();
  EXPECT_EQ(outcome.complaints, std::vector<std::string>{});
  golden::expect_golden("../../sim/transcripts/" + GetParam() + ".txt",
                        script + std::string(kDashes) + outcome.trace);
}

INSTANTIATE_TEST_SUITE_P(Scripts, Transcript, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace muster::sim
