// Plays scripts and compares the whole exchange with what stands below their line of dashes:
// transcripts as words, heartbeats left out; conversations with each frame that a link carries.
// UPDATE_GOLDEN=1 writes that part anew.
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
// From the folder of golden files.
const std::string kTranscripts = "../../sim/transcripts/";
const std::string kConversations = "protocol/conversations/";
constexpr std::size_t kConversationsMin = 10;

fs::path below_golden(const std::string& file) {
  return fs::path(MUSTER_SOURCE_DIR "/tests/golden/data") / file;
}

std::vector<std::string> names(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(below_golden(folder))) {
    if (entry.path().extension() == ".txt") found.push_back(entry.path().stem());
  }
  std::ranges::sort(found);
  return found;
}

std::string script_part(const std::string& file) {
  std::ifstream in(below_golden(file));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return text.substr(0, text.find(kDashes));
}

void expect_same(const std::string& file, const Tracing& tracing) {
  const std::string script = script_part(file);
  std::string trouble;
  const Scenario scenario = read_script(script, trouble);
  ASSERT_EQ(trouble, "") << "in " << file;
  const Outcome outcome = World(scenario, tracing).play();
  EXPECT_EQ(outcome.complaints, std::vector<std::string>{});
  golden::expect_golden(file, script + std::string(kDashes) + outcome.trace);
}

class Transcript : public testing::TestWithParam<std::string> {};
class Conversation : public testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsTheSame) { expect_same(kTranscripts + GetParam() + ".txt", {.on = true}); }

TEST_P(Conversation, IsTheSame) {
  expect_same(kConversations + GetParam() + ".txt", {.on = true, .pings = true, .frames = true});
}

TEST(Conversations, AreEnough) { EXPECT_GE(names(kConversations).size(), kConversationsMin); }

INSTANTIATE_TEST_SUITE_P(Scripts, Transcript, testing::ValuesIn(names(kTranscripts)),
                         [](const auto& one) { return one.param; });
INSTANTIATE_TEST_SUITE_P(Scripts, Conversation, testing::ValuesIn(names(kConversations)),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace muster::sim
