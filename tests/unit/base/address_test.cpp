// What is left of an address when people are shown it.
#include "base/address.hpp"

#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(Address, IsShownWithoutWhatMayBeASecret) {
  EXPECT_EQ(without_secrets("https://host/a/b.csv?sig=x&y=1"), "https://host/a/b.csv?...");
  EXPECT_EQ(without_secrets("http://u:p@host:80/a"), "http://host:80/a");
  EXPECT_EQ(without_secrets("https://u:p@ss@host"), "https://host");
  EXPECT_EQ(without_secrets("s3://bucket/a@b"), "s3://bucket/a@b");
  EXPECT_EQ(without_secrets("https://host?sig=u@v"), "https://host?...");
}

TEST(Address, KeepsAContainer) {
  for (const char* text : {"wasbs://rows@store.blob.example.org/a", "abfss://fs@store/a",
                           "see wasb://rows@store, abfs://fs@store"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
  EXPECT_EQ(without_secrets("wasbs://rows:p@store/a?sig=x"), "wasbs://store/a?...");
}

TEST(Address, StandsInATextThatStays) {
  EXPECT_EQ(without_secrets("--set inputs.d=https://h/a?s=1 b?c=2 'http://u@g/?x' end"),
            "--set inputs.d=https://h/a?... b?c=2 'http://g/?...' end");
  for (const char* text : {"", "a?b=c", "u:p@host", "://", "a://"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace muster::base
