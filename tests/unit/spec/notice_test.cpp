// Notices of the time limit.
#include "spec/notice.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace muster::spec {
namespace {

using namespace std::chrono_literals;
using model::Notice;

std::string refusal(std::string_view text) {
  const auto read = read_notice(text);
  return read ? "" : read.error().what;
}

TEST(Notice, IsASignalAndATime) {
  EXPECT_EQ(read_notice("USR1@60"), (Notice{SIGUSR1, 60s}));
  EXPECT_EQ(read_notice("SIGTERM@0.5"), (Notice{SIGTERM, 500ms}));
  EXPECT_EQ(read_notice("12@3"), (Notice{12, 3s}));
}

TEST(Notice, AllElseIsRefused) {
  for (const char* text : {"", "USR1", "USR1@", "@60", "USR9@60", "USR1@-1", "USR1@0", "USR1@1e9",
                           "USR1@60s", "USR1@nan", "USR1@6@0"}) {
    EXPECT_TRUE(refusal(text).starts_with("must be SIGNAL@SECONDS, not ")) << text;
  }
  EXPECT_EQ(refusal("KILL@60"), "must be a signal that programs can catch, not SIGKILL");
  EXPECT_EQ(refusal("19@60"), "must be a signal that programs can catch, not SIGSTOP");
}

TEST(Notice, ComesAfterTheStartAndBeforeTheLimit) {
  EXPECT_TRUE(check_notice({}, {}));
  EXPECT_TRUE(check_notice(Notice{SIGUSR1, 59s}, 60s));
  EXPECT_EQ(check_notice(Notice{SIGUSR1, 60s}, 60s).error().what,
            "notice 60 s before the end of 60 s would come before the start");
  EXPECT_EQ(check_notice(Notice{SIGUSR1, 60s}, {}).error().what,
            "there is no time limit of which to give notice");
}

}  // namespace
}  // namespace muster::spec
