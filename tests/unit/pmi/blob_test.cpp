// The bounded store and the blob of a fence.
#include <gtest/gtest.h>

#include "pmi/pmi_blob.hpp"

namespace muster::pmi {
namespace {

constexpr std::size_t kRoom = 1 << 20;

std::string blob_of(const std::vector<KeyValue>& pairs) {
  KeyValues values(kRoom);
  for (const KeyValue& pair : pairs) EXPECT_TRUE(values.put(pair.key, pair.value));
  std::string blob;
  values.encode(blob);
  return blob;
}

std::string found(const KeyValues& values, const std::string& key) {
  const std::string* value = values.find(key);
  return value ? *value : "absent";
}

TEST(Blob, IsCompact) {
  EXPECT_EQ(blob_of({{"k", "value"}}), std::string("\x01\x05\x00kvalue", 9));
  EXPECT_EQ(blob_of({}), "");
}

TEST(Blob, RoundTrip) {
  const std::string key(kKeyMax, 'k'), value(kValueMax, '\xff');
  KeyValues values(kRoom);
  ASSERT_TRUE(values.decode(blob_of({{"a", ""}, {key, value}, {"z", std::string("\0;\n", 3)}})));
  EXPECT_EQ(found(values, "a"), "");
  EXPECT_EQ(found(values, key), value);
  EXPECT_EQ(found(values, "z"), std::string("\0;\n", 3));
  EXPECT_EQ(found(values, "b"), "absent");
}

TEST(Blob, TwoInARowAreOneAndTheLastCounts) {
  KeyValues values(kRoom);
  ASSERT_TRUE(values.decode(blob_of({{"a", "1"}, {"b", "1"}}) + blob_of({{"b", "2"}})));
  EXPECT_EQ(found(values, "a"), "1");
  EXPECT_EQ(found(values, "b"), "2");
}

TEST(Blob, BytesAreCounted) {
  KeyValues values(kRoom);
  ASSERT_TRUE(values.put("key", "12345"));
  ASSERT_TRUE(values.put("key", "1"));
  ASSERT_TRUE(values.put("other", ""));
  std::string blob;
  values.encode(blob);
  EXPECT_EQ(values.bytes(), blob.size());
  values.clear();
  EXPECT_EQ(values.bytes(), 0u);
  EXPECT_EQ(found(values, "key"), "absent");
}

TEST(Blob, NoRoomChangesNothing) {
  KeyValues values(20);
  ASSERT_TRUE(values.put("k", "0123456789012345"));  // all 20
  EXPECT_FALSE(values.put("j", ""));
  EXPECT_FALSE(values.put("k", "01234567890123456"));
  EXPECT_EQ(found(values, "k"), "0123456789012345");
  EXPECT_TRUE(values.put("k", "0"));
  EXPECT_FALSE(values.put("", "v"));
  EXPECT_FALSE(values.put(std::string(kKeyMax + 1, 'k'), ""));
}

TEST(Blob, WhatDoesNotDecodeChangesNothing) {
  const std::string good = blob_of({{"k", "value"}});
  const std::vector<std::string> bad = {
      std::string("\0\0\0", 3),                                // an empty key
      "\x01",                                                  // half a header
      std::string("\x41\0\0", 3) + std::string(65, 'k'),       // a key of 65
      std::string("\x01\x01\x04", 3) + std::string(1026, 'k')  // a value of 1025
  };
  for (const std::string& end : bad) {
    KeyValues values(kRoom);
    const auto decoded = values.decode(good + end);
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().what.find("do not decode"), std::string::npos);
    EXPECT_EQ(values.bytes(), 0u);
  }
  for (std::size_t size = 1; size < good.size(); ++size)
    EXPECT_FALSE(KeyValues(kRoom).decode(good.substr(0, size))) << size;
}

TEST(Blob, Bounds) {
  EXPECT_FALSE(KeyValues(kBlobMax * 2).decode(std::string(kBlobMax + 1, '\0')));
  KeyValues small(10);
  EXPECT_FALSE(small.decode(blob_of({{"k", "0123456"}})));
  EXPECT_EQ(small.bytes(), 0u);
}

}  // namespace
}  // namespace muster::pmi
