// Sizes as people write and read them.
#include "base/byte_size.hpp"

#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(ByteSize, Units) {
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_EQ(parse_byte_size("1000"), 1000u);
  EXPECT_EQ(parse_byte_size("300M"), 300'000'000u);
  EXPECT_EQ(parse_byte_size("300MB"), 300'000'000u);
  EXPECT_EQ(parse_byte_size("2gi"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_byte_size("64KiB"), 65536u);
  EXPECT_EQ(parse_byte_size("1.5G"), 1'500'000'000u);
  for (const char* wrong :
       {"", "M", "-1", "1X", "1 G", "1GG", "1ib", "nan", "inf", "1e3", "9E", "99999999T", "0x10"}) {
    EXPECT_EQ(parse_byte_size(wrong), std::nullopt) << wrong;
  }
}

TEST(ByteSize, ABudgetHasAUnit) {
  EXPECT_EQ(parse_budget("0"), 0u);
  EXPECT_EQ(parse_budget("1B"), 1u);
  EXPECT_EQ(parse_budget("1.5G"), 1'500'000'000u);
  for (const char* wrong : {"", "50", "1.5", "much", "-1", "."}) {
    EXPECT_EQ(parse_budget(wrong), std::nullopt) << wrong;
  }
}

TEST(ByteSize, Words) {
  EXPECT_EQ(byte_words(0), "0 bytes");
  EXPECT_EQ(byte_words(1), "1 byte");
  EXPECT_EQ(byte_words(999), "999 bytes");
  EXPECT_EQ(byte_words(1000), "1.0 kB");
  EXPECT_EQ(byte_words(9940), "9.9 kB");
  EXPECT_EQ(byte_words(9960), "10 kB");
  EXPECT_EQ(byte_words(999'600), "1.0 MB");
  EXPECT_EQ(byte_words(300'000'000), "300 MB");
}

}  // namespace
}  // namespace muster::base
