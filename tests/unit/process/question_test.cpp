// Question: the answer comes once, within its bounds, and nothing of the program is left.
#include "process/question.hpp"

#include <algorithm>
#include <asio/io_context.hpp>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/wait.h>

#include "unit/folder.hpp"

namespace muster::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Ending = Question::Ending;

class Asked : public testing::Test {
 protected:
  void ask(const std::string& script, Question::Bounds bounds = {.time = seconds(60)}) {
    const std::set<pid_t> before = children();
    question_->ask({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, bounds,
                   [this](Question::Said said) {
                     ++answers_;
                     said_ = std::move(said);
                   });
    const std::set<pid_t> now = children();
    program_.clear();
    std::ranges::set_difference(now, before, std::inserter(program_, program_.end()));
  }
  // Until the program has been reaped as well: the loop has nothing to do then.
  Question::Said answer() {
    loop_.run();
    EXPECT_EQ(answers_, 1);
    EXPECT_FALSE(is_left());
    return said_;
  }
  static std::set<pid_t> children() {
    std::ifstream list("/proc/thread-self/children");
    return {std::istream_iterator<pid_t>(list), std::istream_iterator<pid_t>()};
  }
  // Of the program, which stays to be reaped.
  void wait_for_end() const {
    for (const pid_t pid : program_) {
      siginfo_t seen{};
      ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WNOWAIT);
    }
  }
  // Not what it has started itself, which becomes a child of ours where we are its subreaper.
  [[nodiscard]] bool is_left() const {
    const std::set<pid_t> now = children();
    return std::ranges::any_of(program_, [&](pid_t pid) { return now.contains(pid); });
  }

  std::set<pid_t> program_;  // what ask() has started: one
  asio::io_context loop_;
  std::optional<Question> question_{std::in_place, loop_};
  int answers_ = 0;
  Question::Said said_;
};

TEST_F(Asked, ItsStdoutIsTheAnswerAndItsCodeSaysWhetherItIsOne) {
  ask("echo hello; echo bad >&2");
  auto said = answer();
  EXPECT_EQ(said.out, "hello\n");
  EXPECT_EQ(said.ending, Ending::well);
  loop_.restart();
  answers_ = 0;
  ask("echo half; exit 3");
  said = answer();
  EXPECT_EQ(said.out, "half\n");
  EXPECT_EQ(said.ending, Ending::badly);
}

TEST_F(Asked, OneThatHangsIsKilledAtTheEndOfItsTime) {
  ask("echo begun; trap '' TERM; sleep 600", {.time = milliseconds(300)});
  EXPECT_EQ(answer().ending, Ending::late);
}

TEST_F(Asked, OneThatFloodsIsKilledForIt) {
  ask("exec cat /dev/zero", {.time = seconds(60), .bytes = 10000});
  const auto said = answer();
  EXPECT_EQ(said.ending, Ending::flooding);
  EXPECT_EQ(said.out.size(), 10000U);
}

TEST_F(Asked, WhatItSaysToStderrDoesNotHoldIt) {
  ask("head -c 300000 /dev/zero >&2; echo done");
  const auto said = answer();
  EXPECT_EQ(said.ending, Ending::well);
  EXPECT_EQ(said.out, "done\n");
}

// More than one read takes, and all of it lies in the pipe when its end is heard.
TEST_F(Asked, ItHasEndedBeforeItIsHeardAndNothingIsLost) {
  std::string all;
  for (int i = 0; all.size() < 48000; ++i) all += std::to_string(i) + "\n";
  const unit::Folder folder;
  ask("cat " + folder.file("all", all, false));
  wait_for_end();
  const auto said = answer();
  EXPECT_TRUE(said.out == all) << said.out.size() << " bytes of " << all.size();
}

// As a driver's daemon does that its tool starts.
TEST_F(Asked, WhatItLeavesBehindMayHoldItsPipes) {
  const unit::Folder folder;
  ask("cd " + folder.path() +
      "; mkfifo up end; setsid sh -c 'echo > up; read word < end' & read word < up; echo done");
  const auto said = answer();
  EXPECT_EQ(said.ending, Ending::well) << "it has ended, whatever it has left";
  EXPECT_EQ(said.out, "done\n");
  std::ofstream(folder.path() + "/end") << "end\n";
}

TEST_F(Asked, AFloodOfWhatItLeavesBehindEndsWithIt) {
  ask("setsid cat /dev/zero & exit 0", {.time = seconds(60), .bytes = 10000});
  EXPECT_LE(answer().out.size(), 10000U);
}

TEST_F(Asked, OneThatIsNotThereAnswersToo) {
  question_->ask({"no-such-program"}, {"PATH=/nowhere"}, {.time = seconds(60)},
                 [this](Question::Said said) {
                   ++answers_;
                   said_ = std::move(said);
                 });
  EXPECT_EQ(answers_, 0) << "not from within ask()";
  EXPECT_EQ(answer().ending, Ending::not_started);
}

TEST_F(Asked, NobodyHearsOneThatIsNotWantedAnyMoreAndItIsReaped) {
  ask("sleep 600");
  question_.reset();
  loop_.run();
  EXPECT_EQ(answers_, 0);
  EXPECT_FALSE(is_left());
}

TEST_F(Asked, TheAnswerMayBeTheEndOfTheQuestion) {
  question_->ask({"/bin/sh", "-c", "echo hello"}, {}, {.time = seconds(60)},
                 [this](const Question::Said&) {
                   ++answers_;
                   question_.reset();
                 });
  answer();
}

}  // namespace
}  // namespace muster::process
