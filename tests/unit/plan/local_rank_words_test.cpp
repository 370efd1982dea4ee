// The local rank in a program's words, as torchrun replaces it.
#include "plan/local_rank_words.hpp"

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

using Words = std::vector<std::string>;

// What Python's string.Template makes of the same words.
TEST(LocalRankWords, AreReplacedAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"--local_rank=${local_rank}", "--local_rank=3"},
      {"$local_rank", "3"},
      {"$local_rank.log", "3.log"},
      {"$local_ranks", "$local_ranks"},
      {"${local_rank}${local_rank}", "33"},
      {"$$local_rank", "$local_rank"},
      {"$$$local_rank", "$3"},
      {"${RANK}", "${RANK}"},
      {"5$", "5$"},
      {"$", "$"},
      {"${local_rank", "${local_rank"},
      {"", ""},
  };
  for (const auto& [word, expected] : table) {
    EXPECT_EQ(with_local_rank({"prog", word}, {1, 1}, 3), (Words{"prog", expected})) << word;
  }
}

TEST(LocalRankWords, LeaveOtherWordsAlone) {
  const Words words = {"./$local_rank", "$local_rank", "$local_rank"};
  EXPECT_EQ(with_local_rank(words, {1, 1}, 7), (Words{words[0], "7", words[2]}));
  EXPECT_EQ(with_local_rank(words, {1, std::string::npos}, 7), (Words{words[0], "7", "7"}));
  EXPECT_EQ(with_local_rank(words, {5, 2}, 7), words);
  EXPECT_EQ(with_local_rank(words, {}, 7), words);
}

}  // namespace
}  // namespace muster::plan
