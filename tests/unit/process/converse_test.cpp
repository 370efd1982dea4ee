// A program is fed, heard, and ended by its limit or by who asked.
#include "process/converse.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Conversation shell(const std::string& script) {
  return {.words = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin", "WHO=you"}};
}

UniqueFd file_with(const std::string& text) {
  UniqueFd file(::memfd_create("input", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

TEST(Converse, KeepsWhatItSaysAndItsCode) {
  const auto answer = converse(shell("echo hello $WHO; echo bad >&2; exit 3"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, "hello you\n");
  EXPECT_EQ(answer->err, "bad\n");
  EXPECT_EQ(answer->code, 3);
  EXPECT_FALSE(answer->ended_well());
}

TEST(Converse, FeedsAWholeFile) {
  const std::string text(3'000'000, 'x');
  const UniqueFd file = file_with(text);
  Conversation talk = shell("cat");
  talk.input = file.get();
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, text);
}

TEST(Converse, SurvivesAProgramThatDoesNotRead) {
  const UniqueFd file = file_with(std::string(3'000'000, 'x'));
  Conversation talk = shell("exec <&-; echo done");
  talk.input = file.get();
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, "done\n");
  EXPECT_TRUE(answer->ended_well());
}

TEST(Converse, PassesOnWhatComes) {
  Conversation talk = shell("echo one; echo two");
  std::string heard;
  talk.heard = [&](std::string_view bytes) { heard += bytes; };
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(heard, "one\ntwo\n");
  EXPECT_EQ(answer->out, "");
}

TEST(Converse, EndsWithItsLimit) {
  Conversation talk = shell("echo begun; sleep 600");
  talk.limit = milliseconds(200);
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_cut);
  EXPECT_EQ(answer->signal, SIGKILL);
}

TEST(Converse, EndsWhenNobodyWantsItAnyMore) {
  Conversation talk = shell("echo begun; sleep 600");
  bool heard = false;
  talk.heard = [&](std::string_view) { heard = true; };
  talk.goes_on = [&] { return !heard; };
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_given_up);
}

// A signal shall be heard long before the 100 ms are over that it may take.
TEST(Converse, IsAskedMoreOftenThanTwelveTimesASecond) {
  Conversation talk = shell("while :; do echo; sleep 0.08; done");
  constexpr std::size_t kAsked = 30;
  std::size_t asked = 0;
  std::size_t lines = 0;
  talk.heard = [&](std::string_view bytes) { lines += bytes.size(); };
  talk.goes_on = [&] { return ++asked < kAsked; };
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_LT(lines, kAsked);
}

// What it started holds its pipes.
TEST(Converse, DoesNotWaitForWhatItLeaves) {
  Conversation talk = shell("setsid sleep 5 & echo done");
  talk.limit = seconds(60);
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, "done\n");
  EXPECT_FALSE(answer->is_cut);
}

TEST(Converse, MakesItsInputWhileItStarts) {
  const unit::Folder folder;
  const std::string text(3'000'000, 'x');
  Conversation talk = shell(": > " + folder.path() + "/begun; cat");
  talk.late_input = [&] {
    EXPECT_TRUE(folder.comes("begun"));
    return std::optional(text);
  };
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->out, text);
}

TEST(Converse, NeverReadsAnEndOfTheInputThatItDoesNotGet) {
  const unit::Folder folder;
  Conversation talk = shell("cd " + folder.path() + "; cat > some; : > whole");
  talk.late_input = [&]() -> std::optional<std::string> {
    EXPECT_TRUE(folder.comes("some"));
    return std::nullopt;
  };
  const auto answer = converse(talk);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_given_up);
  EXPECT_EQ(answer->signal, SIGKILL);
  EXPECT_FALSE(folder.has("whole"));
}

TEST(Converse, SaysWhatIsNotThere) {
  const auto answer = converse({.words = {"no-such-program"}, .environment = {"PATH=/nowhere"}});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what.find("no-such-program"), std::string::npos);
}

}  // namespace
}  // namespace muster::process
