// Appfiles and tune files: what lines become, and where complaints point.
#include "spec/word_lines.hpp"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

template <class Read>
std::string complaint(Read read, std::string_view text) {
  const auto result = read(text, "file");
  return result ? "no complaint" : to_string(result.error().place) + ": " + result.error().what;
}

TEST(Appfile, HoldsOneProgramALine) {
  const auto read = read_appfile("# two\n-n 2 ./a 'x y'\r\n\n  ./b http://c // end\n", "file");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].words, (std::vector<std::string>{"-n", "2", "./a", "x y"}));
  EXPECT_EQ((*read)[1].words, (std::vector<std::string>{"./b", "http://c"}));
  EXPECT_EQ((*read)[1].place, (base::Place{"file", 4, 3}));
}

TEST(Appfile, MayContinueLines) {
  const std::string text = "-n 2 ./a \\\n  --x 1 \\\r\ny\\\nz\n./b\\\n";
  const auto read = read_appfile(text, "file", LinesOf::hydra);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].words, (std::vector<std::string>{"-n", "2", "./a", "--x", "1", "y", "z"}));
  EXPECT_EQ((*read)[1].words, (std::vector<std::string>{"./b"}));
  EXPECT_EQ((*read)[1].place, (base::Place{"file", 5, 1}));
  EXPECT_EQ(read_appfile(text, "file")->size(), 5U);
  EXPECT_FALSE(read_appfile("\\\n\\", "file", LinesOf::hydra));
}

TEST(Appfile, ComplaintsPointAtTheCharacter) {
  const auto appfile = [](auto text, auto name) { return read_appfile(text, name); };
  EXPECT_EQ(complaint(appfile, "./a\n./b 'x\n"), "file:2:5: this quote never ends");
  EXPECT_EQ(complaint(appfile, "./a \x01"), "file:1:5: byte 0x01 is not text");
  EXPECT_EQ(complaint(appfile, "# none"), "file: the file names no program");
}

TEST(TuneFile, HoldsParametersAndVariables) {
  const auto read = read_tune_file("-x A=1 --mca k \"v w\"\nb_c = d, e\n", "file");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].name, "A=1");
  EXPECT_FALSE((*read)[0].parameter);
  EXPECT_EQ((*read)[1].value, "v w");
  EXPECT_EQ((*read)[2].name, "b_c");
  EXPECT_EQ((*read)[2].value, "d, e");
}

TEST(TuneFile, ComplaintsPointAtTheWord) {
  EXPECT_EQ(complaint(read_tune_file, "-x"), "file:1:1: -x needs NAME=VALUE");
  EXPECT_EQ(complaint(read_tune_file, "-mca a b -mca c"), "file:1:10: -mca needs NAME VALUE");
  EXPECT_EQ(complaint(read_tune_file, "-n 2"), "file:1:1: '-n' is not allowed here");
  EXPECT_EQ(complaint(read_tune_file, "a b = c"), "file:1:1: 'a b' is not a parameter");
}

}  // namespace
}  // namespace muster::spec
