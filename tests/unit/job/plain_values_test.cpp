// Plain values that programs would see as another text under Azure ML.
#include "job/plain_values.hpp"

#include <gtest/gtest.h>

#include "job/read_job.hpp"

namespace muster::job {
namespace {

std::string passed(std::string_view plain) { return passed_by_azure(plain).value_or("the same"); }

TEST(PlainValues, WordsAreTruths) {
  for (const char* word : {"true", "TRUE", "yes", "Yes", "YES", "on", "On"}) {
    EXPECT_EQ(passed(word), "True") << word;
  }
  for (const char* word : {"false", "no", "No", "off", "OFF"}) EXPECT_EQ(passed(word), "False");
  for (const char* word : {"True", "False", "y", "n", "tRue", "yES", "none", "null", ""}) {
    EXPECT_EQ(passed(word), "the same") << word;
  }
}

TEST(PlainValues, NumbersHaveOtherBases) {
  EXPECT_EQ(passed("010"), "8");
  EXPECT_EQ(passed("-010"), "-8");
  EXPECT_EQ(passed("+0x1F"), "31");
  EXPECT_EQ(passed("0b11"), "3");
  EXPECT_EQ(passed("1_000"), "1000");
  EXPECT_EQ(passed("1:30"), "90");
  EXPECT_EQ(passed("1:00:00"), "3600");
  EXPECT_EQ(passed("-1:30.50"), "-90.5");
  EXPECT_EQ(passed("0:30."), "30.0");
  EXPECT_EQ(passed("1_0.50"), "10.5");
}

TEST(PlainValues, TheSameNumberIsTheSame) {
  for (const char* text :
       {"0",          "10",   "007",     "08",    "1e3",    "0.010",
        "-",          "+",    "_",       "1:60",  "1:",     ":",
        "0:30",       "1:2:", "0x",      "0o17",  "1e-4",   "99999999999999999999999",
        "2024-01-02", "a:b",  "node1:4", "1.5.2", "1_0.5.2"}) {
    EXPECT_EQ(passed(text), "the same") << text;
  }
}

TEST(PlainValues, JobsTellOfThoseThatDiffer) {
  const std::string keys = R"(
environment_variables: {FAST: yes, NAME: "yes", SIZE: 010}
inputs: {shuffle: true, rate: 0.1, where: {type: uri_folder, path: no}}
)";
  const std::vector<std::string> told{
      "the variable FAST is passed as yes, as written; Azure ML would pass True (write True to get "
      "the same in both)",
      "the variable SIZE is passed as 010, as written; Azure ML would pass 8 (write 8 to get the "
      "same in both)",
      "the input shuffle is passed as true, as written; Azure ML would pass True (write True to "
      "get "
      "the same in both)"};
  EXPECT_EQ(read_job("type: command\ncommand: x\n" + keys, "j").notices, told);
  EXPECT_EQ(read_job("muster: 1\ncommand: x\n" + keys, "j").notices, std::vector<std::string>{});
}

}  // namespace
}  // namespace muster::job
