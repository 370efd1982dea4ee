// Base64 in both directions.
#include "cluster/base64.hpp"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

TEST(Base64, FillsUpToFour) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xff\x00\xfe", 3)), "/wD+");
}

TEST(Base64, IsReadBack) {
  for (const std::string text : {"", "f", "fo", "foo", "foobar"}) {
    EXPECT_EQ(from_base64(base64(text)), text);
  }
  EXPECT_EQ(from_base64("/wD+"), std::string("\xff\x00\xfe", 3));
  EXPECT_EQ(from_base64("abc"), std::nullopt);
  EXPECT_EQ(from_base64("ab*="), std::nullopt);
}

}  // namespace
}  // namespace muster::cluster
