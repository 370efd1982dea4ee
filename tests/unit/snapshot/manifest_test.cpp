// Manifests: what they look like, and what is not believed.
#include "snapshot/manifest.hpp"

#include <gtest/gtest.h>

namespace muster::snapshot {
namespace {

const std::string kHash(64, 'a');
const std::string kFirst = "muster snapshot 1\n";

TEST(Manifest, IsText) {
  const Manifest manifest{{{EntryKind::folder, "a", 0750},
                           {EntryKind::file, "a/b c", 0644, 12, -5, kHash},
                           {EntryKind::link, "z", 0, 0, 0, "", "a b"}}};
  const std::string text = kFirst + "d 750 a\nf 644 12 -5 " + kHash + " a/b c\nl 3 a b z\n";
  EXPECT_EQ(manifest_text(manifest), text);
  EXPECT_EQ(read_manifest(text), manifest);
  EXPECT_EQ(extent_of(manifest), (Extent{1, 12}));
  EXPECT_EQ(read_manifest(kFirst), Manifest());
}

TEST(Manifest, FoldersAreAdded) {
  Manifest manifest{{{EntryKind::file, "a", 0644, 12, -5, kHash}, {EntryKind::file, "z", 0644}}};
  add_folder(manifest, "outputs");
  add_folder(manifest, "logs");
  add_folder(manifest, "outputs");
  add_folder(manifest, "a");  // a file
  EXPECT_EQ(manifest, (Manifest{{{EntryKind::file, "a", 0644, 12, -5, kHash},
                                 {EntryKind::folder, "logs", 0755},
                                 {EntryKind::folder, "outputs", 0755},
                                 {EntryKind::file, "z", 0644}}}));
}

TEST(Manifest, WhatLeadsOutIsRefused) {
  for (const std::string path : {"../a", "/a", "a/../b", "", ".", "a/", "a\x1b"}) {
    for (const std::string& line :
         {"f 644 1 1 " + kHash + " " + path, "d 755 " + path, "l 1 x " + path}) {
      EXPECT_FALSE(read_manifest(kFirst + line + "\n")) << line;
    }
  }
}

TEST(Manifest, NothingLiesBelowALinkOrAFile) {
  const std::string file = "f 644 1 1 " + kHash + " ";
  EXPECT_TRUE(read_manifest(kFirst + "d 755 a\n" + file + "a/b\n"));
  EXPECT_FALSE(read_manifest(kFirst + file + "a/b\n"));
  EXPECT_FALSE(read_manifest(kFirst + "l 4 /etc a\n" + file + "a/b\n"));
  EXPECT_FALSE(read_manifest(kFirst + file + "a\n" + file + "a/b\n"));
}

TEST(Manifest, EachPathOnceAndInOrder) {
  EXPECT_TRUE(read_manifest(kFirst + "d 755 a\nd 755 a-b\nd 755 a/c\n"));
  EXPECT_FALSE(read_manifest(kFirst + "d 755 a\nd 755 a\n"));
  EXPECT_FALSE(read_manifest(kFirst + "d 755 b\nd 755 a\n"));
}

TEST(Manifest, OddLinesAreRefused) {
  for (const std::string line :
       {"", "x 1 a", "d", "d 755", "d 1777 a", "d 0x1 a", "d -1 a", "d  a", "f 644 1 1 abc a",
        "f 644 -1 1 HASH a", "f 644 99999999999999999999 1 HASH a", "l 9 x a", "l 0  a", "l -1 x a",
        "l 1 \n a", "d 755 a\r"}) {
    std::string text = line;
    if (const auto at = text.find("HASH"); at != std::string::npos) text.replace(at, 4, kHash);
    EXPECT_FALSE(read_manifest(kFirst + text + "\n")) << line;
  }
  EXPECT_FALSE(read_manifest("muster snapshot 2\n"));
  EXPECT_FALSE(read_manifest(kFirst + "d 755 a"));
  const auto wrong = read_manifest(kFirst + "d 755 a\nwrong\n");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "line 3 of the snapshot makes no sense");
}

}  // namespace
}  // namespace muster::snapshot
