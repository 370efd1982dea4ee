// The program within a program, played by those of the system.
#include "process/helper_program.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace muster::process {
namespace {

class HelperProgram : public ::testing::Test {
 protected:
  void be(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(bytes_.empty());
    set_helper(bytes_);
  }
  void TearDown() override { set_helper({}); }

 private:
  std::string bytes_;
};

TEST_F(HelperProgram, AnswersWithWhatItPrints) {
  be("/bin/echo");
  const auto answer = ask_helper({"two words", "one"});
  ASSERT_TRUE(answer) << base::to_string(answer.error());
  EXPECT_EQ(*answer, "two words one\n");
}

TEST_F(HelperProgram, AnswersAreOfAnyLength) {
  be("/bin/sh");
  const auto answer = ask_helper({"-c", "head -c 300000 /dev/zero"});
  ASSERT_TRUE(answer) << base::to_string(answer.error());
  EXPECT_EQ(answer->size(), 300000U);
}

TEST_F(HelperProgram, HasItsOwnFileAndNothingElseOpen) {
  be("/bin/sh");
  const auto answer = ask_helper(
      {"-c", "for fd in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$fd && echo $fd; done; true"});
  ASSERT_TRUE(answer) << base::to_string(answer.error());
  EXPECT_EQ(*answer, "0\n1\n2\n3\n");
}

TEST_F(HelperProgram, SaysWhatIsWrong) {
  be("/bin/sh");
  const auto answer = ask_helper({"-c", "printf 'no such host\\nis it up?'; exit 243"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(),
            (base::Error{base::Fault::unreachable, "no such host", "is it up?", {}}));
}

TEST_F(HelperProgram, ThatBreaksIsAFaultOfMuster) {
  be("/bin/sh");
  const auto left = ask_helper({"-c", "exit 7"});
  ASSERT_FALSE(left);
  EXPECT_EQ(base::to_string(left.error()), "the helper ended with code 7");
  const auto killed = ask_helper({"-c", "kill -9 $$"});
  ASSERT_FALSE(killed);
  EXPECT_EQ(base::to_string(killed.error()), "the helper ended with signal 9");
}

TEST_F(HelperProgram, ThatIsMissingCannotBeStarted) {
  const auto answer = ask_helper({"anything"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what.rfind("cannot start the helper", 0), 0U) << answer.error().what;
}

}  // namespace
}  // namespace muster::process
