// Pieces of YAML files with their places; what is refused, and how fast.
#include "job/yaml.hpp"

#include <ctime>
#include <gtest/gtest.h>

namespace muster::job {
namespace {

std::vector<std::string> complaints(const std::string& text) {
  std::vector<std::string> all;
  for (const base::Error& error : read_yaml(text, "j").complaints) all.push_back(to_string(error));
  return all;
}

std::string first(const std::string& text) {
  const auto all = complaints(text);
  return all.empty() ? "" : all.front().substr(0, all.front().find('\n'));
}

TEST(Yaml, PiecesKnowTheirPlaces) {
  const Document document = read_yaml("a: 1\n\xc3\xbc:\n  - x\n  - 'y'\n", "j");
  ASSERT_TRUE(document.root);
  EXPECT_TRUE(document.complaints.empty());
  const Entry* list = find(*document.root, "\xc3\xbc");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->mark, (Mark{2, 1}));
  ASSERT_EQ(list->value->items.size(), 2U);
  EXPECT_EQ(list->value->items[1]->begin, (Mark{4, 5}));
  EXPECT_TRUE(list->value->items[1]->quoted);
  EXPECT_FALSE(find(*document.root, "a")->value->quoted);
}

TEST(Yaml, ColumnsCountCharacters) {
  const Document document = read_yaml("{\xc3\xbc\xc3\xbc: 1, b: 2}\n", "j");
  EXPECT_EQ(find(*document.root, "b")->mark, (Mark{1, 9}));
}

TEST(Yaml, FoldingJoinsLinesWithBlanks) {
  const Document document = read_yaml("c: >-\n  mpirun -np 2\n  python a.py\n", "j");
  EXPECT_EQ(find(*document.root, "c")->value->text, "mpirun -np 2 python a.py");
}

TEST(Yaml, NothingIsNotText) {
  const Document document = read_yaml("a:\nb: ~\nc: null\nd: ''\ne: 'null'\n", "j");
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(find(*document.root, key)->value->kind, Kind::nothing) << key;
  }
  for (const char* key : {"d", "e"}) {
    EXPECT_EQ(find(*document.root, key)->value->kind, Kind::text) << key;
  }
}

TEST(Yaml, AliasesAndMergesGiveThePiecesThatTheyName) {
  const Document document =
      read_yaml("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nsame: *b\n", "j");
  ASSERT_TRUE(document.complaints.empty());
  const Node& use = *find(*document.root, "use")->value;
  EXPECT_EQ(find(use, "x")->value->text, "1");
  EXPECT_EQ(find(use, "y")->value->text, "3");
  EXPECT_EQ(find(*document.root, "same")->value, find(*document.root, "base")->value);
}

TEST(Yaml, EveryDuplicateIsNamed) {
  EXPECT_EQ(
      complaints("a: 1\nb: {c: 1, c: 2}\na: 2\n"),
      (std::vector<std::string>{
          "j:2:11: the key 'c' is given twice\n  hint: it is already on line 2: keep one of them",
          "j:3:1: the key 'a' is given twice\n  hint: it is already on line 1: keep one of them"}));
}

TEST(Yaml, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(first(""), "j: the file is empty");
  EXPECT_EQ(first("# only a comment\n"), "j: the file is empty");
  EXPECT_EQ(first("a: 1\n---\nb: 2\n"), "j:2:1: a second YAML document begins here");
  EXPECT_EQ(first("a: *b\n"), "j:1:4: the alias *b refers to nothing before it");
  EXPECT_EQ(first("a: &a [*a]\n"), "j:1:8: the alias *a refers to nothing before it");
  EXPECT_EQ(first("a: !!python/object:os.system x\n"),
            "j:1:4: tags such as 'tag:yaml.org,2002:python/object:os.system' are not supported");
  EXPECT_EQ(first("[a]: 1\n"), "j:1:1: a key must be text, not a list");
  EXPECT_EQ(first("<<: 3\n"), "j:1:1: << takes a map, not text");
  EXPECT_EQ(first("\xff\xfe"
                  "a"),
            "j:1:1: the file is UTF-16");
  EXPECT_EQ(first("a: b\nc: \xff\n").substr(0, 24), "j:2:4: this is not YAML:");
  EXPECT_EQ(first("a: \x01\n").substr(0, 24), "j:1:4: this is not YAML:");
  for (const std::string nul : {"\\0", "\\x00", "\\u0000", "\\U00000000"}) {
    EXPECT_EQ(first("a: x\nb: [y, \"c" + nul + "d\"]\n"),
              "j:2:8: this text has a NUL character, at which programs stop reading");
  }
  EXPECT_EQ(first("a: b: c\n"),
            "j:1:5: this is not YAML: mapping values are not allowed in this context");
  EXPECT_EQ(first("a:\n\tb: 1\n"), "j:2:1: this line is indented with a tab");
  EXPECT_EQ(first("a: [1, 2\nb: 3\n").substr(0, 24), "j:2:2: this is not YAML:");
}

// Processor time, since machines are busy; sanitizers take several times as long. Unchecked, these
// would take minutes, or all memory.
TEST(Yaml, RefusesBombsQuickly) {
  std::string billion = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    billion += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 20000; ++i) chain += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  const std::string large = "s: &s " + std::string(100000, 'x') + "\nl: [*s";
  std::string repeated = large;
  for (int i = 0; i < 100000; ++i) repeated += ",*s";
  const std::vector<std::string> bombs = {
      billion,
      chain,
      repeated + "]\n",
      std::string(500000, '['),
      std::string(500000, '{'),
      "a: " + std::string(100 << 20, 'x'),
      [] {
        std::string deep;
        for (int i = 0; i < 1000; ++i)
          deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
        return deep;
      }(),
  };
  for (const std::string& bomb : bombs) {
    const std::clock_t start = std::clock();
    const Document document = read_yaml(bomb, "j");
    EXPECT_EQ(document.complaints.size(), 1U) << bomb.substr(0, 50);
    EXPECT_FALSE(document.root);
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
  }
}

}  // namespace
}  // namespace muster::job
