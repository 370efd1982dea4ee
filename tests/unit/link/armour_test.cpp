// Bytes become lines, and bytes again.
#include "link/armour.hpp"

#include <gtest/gtest.h>
#include <random>

namespace muster::link::armour_test {
namespace {

TEST(Armour, IsLinesWithoutNullBytes) {
  EXPECT_EQ(armoured(""), "");
  EXPECT_EQ(armoured(std::string_view("a\0\n", 3)), "muster=YQAK\n");
  const std::string text = armoured(std::string(30'000, '\0'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

TEST(Armour, GivesTheBytesBackHoweverTheTextIsCut) {
  std::mt19937 dice(4711);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(dice() % 40'000, '\0');
    for (char& one : bytes) one = static_cast<char>(dice());
    const std::string text = armoured(bytes);
    Unarmour unarmour;
    std::string again;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + dice() % 20'000;
      again += unarmour.take(std::string_view(text).substr(at, size));
      at += size;
    }
    EXPECT_EQ(again, bytes);
    EXPECT_EQ(unarmour.rest(), "");
  }
}

TEST(Armour, LinesOfOthersPassAsTheyAre) {
  Unarmour unarmour;
  EXPECT_EQ(unarmour.take("Welcome\nmuster=YQAK\nmuster=!\nmuster=\nbye"),
            std::string("Welcome\na\0\nmuster=!\nmuster=\n", 28));
  EXPECT_EQ(unarmour.rest(), "bye");
}

TEST(Armour, KeepsNoEndlessLine) {
  Unarmour unarmour;
  std::size_t size = 0;
  for (int i = 0; i < 100; ++i) size += unarmour.take(std::string(100'000, 'x')).size();
  EXPECT_GE(size, 8'000'000U);
}

}  // namespace
}  // namespace muster::link::armour_test
