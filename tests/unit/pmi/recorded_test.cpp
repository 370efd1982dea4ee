// What two ranks of Debian's MPICH 4.0.2 and its own mpiexec said to each other, said again: our
// server gives the same answers. Lines of a rank start with '>', those of mpiexec with '<'.
#include <deque>
#include <fstream>
#include <gtest/gtest.h>

#include "unit/pmi/naive_head.hpp"
#include "unit/pmi/talk.hpp"

namespace muster::pmi {
namespace {

// Where we say more than Hydra does, or what fits a line.
const std::map<std::string, std::string> kOurWords = {
    {"cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n",
     "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=896\n"},
    {"cmd=lookup_result rc=1 msg=service_not_found\n",
     "cmd=lookup_result info=failed rc=1 msg=service_not_found\n"}};

struct Speaker {
  PmiSession session;
  std::deque<std::string> lines;
  std::string said;  // by the server, not yet compared
};

std::deque<std::string> recorded(int rank) {
  std::ifstream file(
      fmt::format("{}/tests/unit/pmi/data/mpich_4.0_rank{}.txt", MUSTER_SOURCE_DIR, rank));
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line + "\n");
  return lines;
}

WorldSpec spec() {
  WorldSpec spec;
  spec.kvs_name = "kvs_4711_0_1_host";
  spec.size = 2;
  spec.mapping = "(vector,(0,1,1))";
  spec.tasks = {{base::Rank(0), 0}, {base::Rank(1), 0}};
  return spec;
}

class Recorded : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int rank = 0; rank < 2; ++rank) {
      speakers_[rank].lines = recorded(rank);
      ASSERT_GT(speakers_[rank].lines.size(), 20u);
    }
  }

  // Goes on with one rank until it must wait for the other.
  void speak(std::uint32_t rank) {
    Speaker& speaker = speakers_[rank];
    while (!speaker.lines.empty() && speaker.lines.front().front() == '>') {
      speaker.session.feed(std::string_view(speaker.lines.front()).substr(2));
      speaker.lines.pop_front();
      const auto request = speaker.session.next();
      ASSERT_TRUE(request) << request.error().what;
      ASSERT_TRUE(*request);
      head_.request(0, base::Rank(rank), **request);
      hear(speaker);
    }
  }

  void hear(Speaker& speaker) {
    if (speaker.said.empty()) return;
    ASSERT_FALSE(speaker.lines.empty());
    const std::string theirs = speaker.lines.front().substr(2);
    const auto ours = kOurWords.find(theirs);
    EXPECT_EQ(speaker.said, ours == kOurWords.end() ? theirs : ours->second);
    speaker.lines.pop_front();
    speaker.said.clear();
  }

  Speaker speakers_[2];
  test::NaiveHead head_{{PmiWorld(spec())}, [this](base::Rank to, const Reply& reply) {
                          Speaker& speaker = speakers_[to.value];
                          speaker.said += speaker.session.answer(reply);
                        }};
};

TEST_F(Recorded, TheSameAnswers) {
  for (int turn = 0; turn < 100; ++turn)
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      hear(speakers_[rank]);
      speak(rank);
      if (HasFatalFailure()) return;
    }
  for (const Speaker& speaker : speakers_) {
    EXPECT_TRUE(speaker.lines.empty()) << speaker.lines.front();
    EXPECT_EQ(speaker.said, "");
  }
  EXPECT_EQ(head_.fences, 4u);
  for (const TaskState& state : head_.world(0).states()) EXPECT_EQ(state.stage, Stage::finalised);
}

}  // namespace
}  // namespace muster::pmi
