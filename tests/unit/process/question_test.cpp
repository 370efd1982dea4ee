// Question: the answer comes once, within its bounds, and nothing of the program is left.
#include "process/question.hpp"

#include <asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include "unit/folder.hpp"

namespace muster::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Ending = Question::Ending;

class Asked : public testing::Test {
 protected:
  // The program says its number first, which what it starts itself does not share.
  void ask(const std::string& script, Question::Bounds bounds = {.time = seconds(60)}) {
    std::filesystem::remove(number_);
    question_->ask({"/bin/sh", "-c", "echo $$ > " + number_ + "; " + script},
                   {"PATH=/usr/bin:/bin"}, bounds, [this](Question::Said said) {
                     ++answers_;
                     said_ = std::move(said);
                   });
  }
  // Until the program has been reaped as well: the loop has nothing to do then.
  Question::Said answer() {
    loop_.run();
    EXPECT_EQ(answers_, 1);
    EXPECT_FALSE(is_left());
    return said_;
  }
  // 0: it has not begun.
  [[nodiscard]] pid_t program() const {
    pid_t pid = 0;
    std::ifstream(number_) >> pid;
    return pid;
  }
  [[nodiscard]] pid_t begun_program() const {
    while (program() == 0) std::this_thread::sleep_for(milliseconds(1));
    return program();
  }
  // It stays to be reaped.
  void wait_for_end() const {
    siginfo_t seen{};
    ::waitid(P_PID, static_cast<id_t>(begun_program()), &seen, WEXITED | WNOWAIT);
  }
  [[nodiscard]] bool is_left() const {
    siginfo_t seen{};
    const pid_t pid = program();
    return pid != 0 &&
           ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WNOHANG | WNOWAIT) == 0;
  }

  const unit::Folder own_;
  const std::string number_ = own_.path() + "/number";
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
  ask("exec sleep 600");
  EXPECT_GT(begun_program(), 0);
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
