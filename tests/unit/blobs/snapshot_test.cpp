// Folders into blobs and out again, on a real file system.
#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/copy_tree.hpp"
#include "blobs/fingerprint.hpp"
#include "blobs/sha256.hpp"
#include "blobs/snapshot_of.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using snapshot::Entry;
using snapshot::EntryKind;

class Snapshots : public testing::Test {
 protected:
  Snapshots() {
    fs::create_directory(code_);
    hold_ = std::move(*store_.hold());
  }

  void put(const std::string& name, const std::string& text = "text") {
    fs::create_directories(fs::path(code_ + "/" + name).parent_path());
    std::ofstream(code_ + "/" + name) << text;
  }

  // The paths of a survey, with a slash after folders, and a '>' before what a link names.
  std::string paths() {
    std::string text;
    const auto found = survey(code_);
    for (const Entry& entry : found->manifest.entries) {
      text += (text.empty() ? "" : " ") + entry.path;
      if (entry.kind == EntryKind::folder) text += "/";
      if (entry.kind == EntryKind::link) text += ">" + entry.target;
    }
    return text;
  }

  base::Result<snapshot::Manifest> keep() {
    return keep_all(store_, survey(code_)->manifest, code_);
  }

  [[nodiscard]] std::string text_at(const std::string& path) const { return folder_.read(path); }

  unit::Folder folder_;
  const std::string code_ = folder_.path() + "/code";
  BlobStore store_{folder_.path() + "/records/.blobs"};
  process::UniqueFd hold_;
};

TEST(Blobs, AreNotPutWhereALinkOfAnotherUserLeads) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give links away";
  const unit::Folder folder;
  const std::string link = folder.path() + "/.blobs";
  fs::create_directory(folder.path() + "/elsewhere");
  fs::create_directory_symlink("elsewhere", link);
  EXPECT_TRUE(BlobStore(link).hold());  // mine: they may lie on another disk
  ASSERT_EQ(::lchown(link.c_str(), 12345, 12345), 0);
  const auto held = BlobStore(link).hold();
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().what, link + " is a link of another user's");
  EXPECT_FALSE(BlobStore(link).hold_alone());
}

TEST(Blobs, AreNotPutIntoAFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const unit::Folder folder;
  const std::string store = folder.path() + "/.blobs";
  ASSERT_TRUE(BlobStore(store).hold());
  ASSERT_EQ(::chown(store.c_str(), 12345, 12345), 0);
  const auto held = BlobStore(store).hold();
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().what, store + " is another user's");
  EXPECT_FALSE(BlobStore(store).hold_alone());
}

TEST(Sha, IsThatOfTheStandard) {
  Sha256 hash;
  hash.add("a");
  hash.add("bc");
  EXPECT_EQ(hash.take(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash.take(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(Snapshots, RoundTrip) {
  put("a.py", "import b");
  put("sub/b.py", "x = 1");
  put("sub/again.py", "x = 1");
  fs::create_directory(code_ + "/empty");
  fs::create_symlink("a.py", code_ + "/link");
  ASSERT_EQ(::chmod((code_ + "/a.py").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((code_ + "/sub/b.py").c_str(), 0444), 0);
  const timespec times[] = {{5, 0}, {1234567890, 42}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (code_ + "/a.py").c_str(), times, 0), 0);
  const auto manifest = keep();
  ASSERT_TRUE(manifest);
  const std::string copy = folder_.path() + "/copy";
  ASSERT_TRUE(lay_out(store_, *manifest, copy));
  EXPECT_EQ(text_at("copy/a.py"), "import b");
  EXPECT_EQ(text_at("copy/sub/again.py"), "x = 1");
  EXPECT_TRUE(fs::is_directory(copy + "/empty"));
  EXPECT_EQ(fs::read_symlink(copy + "/link"), "a.py");
  struct stat facts {};
  ASSERT_EQ(::stat((copy + "/a.py").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0755u);
  EXPECT_EQ(facts.st_mtim.tv_sec, 1234567890);
  EXPECT_EQ(facts.st_mtim.tv_nsec, 42);
  EXPECT_EQ(facts.st_nlink, 1u);
  ASSERT_EQ(::stat((copy + "/sub/b.py").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0644u);
}

TEST_F(Snapshots, EqualContentsAreKeptOnce) {
  put("a", "same");
  put("b", "same");
  const auto manifest = keep();
  EXPECT_EQ(manifest->entries[0].hash, manifest->entries[1].hash);
  EXPECT_TRUE(store_.has(manifest->entries[0].hash, 4));
  struct stat facts {};
  ASSERT_EQ(::stat(store_.path_of(manifest->entries[0].hash).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0400u);
}

TEST_F(Snapshots, ACopyIsItsOwn) {
  put("a", "then");
  const auto manifest = keep();
  ASSERT_TRUE(lay_out(store_, *manifest, folder_.path() + "/one"));
  std::ofstream(folder_.path() + "/one/a") << "changed";
  put("a", "now");
  ASSERT_TRUE(lay_out(store_, *manifest, folder_.path() + "/two"));
  EXPECT_EQ(text_at("two/a"), "then");
}

TEST_F(Snapshots, HolesStayHoles) {
  constexpr off_t kLong = 2 << 20;
  put("sparse", "begin");
  ASSERT_EQ(::truncate((code_ + "/sparse").c_str(), kLong), 0);
  const auto manifest = keep();
  ASSERT_TRUE(manifest);
  ASSERT_TRUE(lay_out(store_, *manifest, folder_.path() + "/one"));  // as this process kept it
  BlobStore other(folder_.path() + "/records/.blobs");
  ASSERT_TRUE(lay_out(other, *manifest, folder_.path() + "/two"));  // hashed on its way
  const std::string blob = store_.path_of(manifest->entries[0].hash);
  for (const std::string& file :
       {blob, folder_.path() + "/one/sparse", folder_.path() + "/two/sparse"}) {
    struct stat facts {};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_size, kLong);
    EXPECT_LT(facts.st_blocks * 512, 1 << 20) << file;
  }
  EXPECT_EQ(text_at("two/sparse"), text_at("one/sparse"));
}

TEST_F(Snapshots, ADamagedBlobIsNotUsed) {
  put("a", "text");
  const auto manifest = keep();
  const std::string blob = store_.path_of(manifest->entries[0].hash);
  ASSERT_EQ(::chmod(blob.c_str(), 0600), 0);
  std::ofstream(blob) << "tixt";
  BlobStore other(folder_.path() + "/records/.blobs");
  const auto done = lay_out(other, *manifest, folder_.path() + "/copy");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, blob + " was damaged, and has been removed");
  EXPECT_FALSE(fs::exists(blob));
  EXPECT_FALSE(fs::exists(folder_.path() + "/copy/a"));
}

TEST_F(Snapshots, ABlobOfAnotherSizeIsNotRead) {
  for (const std::uint64_t size : {std::uint64_t{3}, std::uint64_t{4} << 40}) {
    put("a", "text");
    const auto manifest = keep_all(store_, survey(code_)->manifest, code_);
    ASSERT_TRUE(manifest);
    const std::string blob = store_.path_of(manifest->entries[0].hash);
    ASSERT_EQ(::chmod(blob.c_str(), 0600), 0);
    fs::resize_file(blob, size);
    BlobStore other(folder_.path() + "/records/.blobs");
    const auto done = lay_out(other, *manifest, folder_.path() + "/copy" + std::to_string(size));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().what, blob + " was damaged, and has been removed");
    EXPECT_FALSE(fs::exists(blob));
  }
}

// As another user may plant it who can write there: what it leads to is neither read nor removed.
TEST_F(Snapshots, ALinkInPlaceOfAFolderOfBlobsIsNotFollowed) {
  put("a", "one");
  const auto manifest = keep();
  const Entry entry = manifest->entries.front();
  const fs::path blob = store_.path_of(entry.hash);
  const std::string elsewhere = folder_.path() + "/elsewhere";
  fs::rename(blob.parent_path(), elsewhere);
  fs::create_directory_symlink(elsewhere, blob.parent_path());
  const std::string theirs = elsewhere + "/" + blob.filename().string();
  EXPECT_FALSE(store_.has(entry.hash, entry.size));
  EXPECT_EQ(store_.size_of(entry.hash), std::nullopt);
  const auto out = store_.copy_out(entry.hash, entry.size, folder_.path() + "/b", 0600);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().what, "cannot read " + blob.string() + ": Not a directory");
  EXPECT_FALSE(fs::exists(folder_.path() + "/b"));
  fs::resize_file(theirs, 1);  // and is not damaged
  EXPECT_FALSE(store_.copy_out(entry.hash, entry.size, folder_.path() + "/b", 0600));
  EXPECT_EQ(text_at("elsewhere/" + blob.filename().string()), "o");
  const auto again = keep();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "cannot write " + blob.string() + ": Not a directory");
  EXPECT_EQ(text_at("elsewhere/" + blob.filename().string()), "o");
  fs::remove(blob.parent_path());
  EXPECT_TRUE(keep());
}

TEST_F(Snapshots, ALinkInPlaceOfABlobIsReplaced) {
  put("a", "one");
  const auto manifest = keep();
  const Entry entry = manifest->entries.front();
  const std::string blob = store_.path_of(entry.hash);
  const std::string theirs = folder_.path() + "/theirs";
  fs::rename(blob, theirs);
  fs::create_symlink(theirs, blob);
  EXPECT_FALSE(store_.has(entry.hash, entry.size));
  EXPECT_FALSE(store_.copy_out(entry.hash, entry.size, folder_.path() + "/b", 0600));
  ASSERT_TRUE(keep());
  EXPECT_FALSE(fs::is_symlink(blob));
  EXPECT_EQ(text_at("theirs"), "one");
  EXPECT_TRUE(store_.copy_out(entry.hash, entry.size, folder_.path() + "/b", 0600));
}

// A hard link makes somebody's file a blob: it is one as long as it has that content.
TEST_F(Snapshots, AFileThatIsLinkedIntoItIsNotChanged) {
  put("a", "one");
  const auto manifest = keep();
  const Entry entry = manifest->entries.front();
  const std::string blob = store_.path_of(entry.hash);
  const std::string theirs = folder_.path() + "/theirs";
  fs::remove(blob);
  std::ofstream(theirs) << "two";
  fs::permissions(theirs, fs::perms::owner_all);
  fs::create_hard_link(theirs, blob);
  BlobStore fresh(folder_.path() + "/records/.blobs");
  const auto out = fresh.copy_out(entry.hash, entry.size, folder_.path() + "/b", 0444);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().what, blob + " was damaged, and has been removed");
  EXPECT_FALSE(fs::exists(folder_.path() + "/b"));
  EXPECT_FALSE(fs::exists(blob));
  EXPECT_EQ(text_at("theirs"), "two");
  EXPECT_EQ(fs::status(theirs).permissions(), fs::perms::owner_all);
}

TEST_F(Snapshots, IgnoreFiles) {
  put("a.py");
  put("a.log");
  put("keep.log");
  put("sub/b.log");
  put("sub/keep.log");
  put("data/x");
  put(".git/config");
  put(".gitignore", "*.log\n!keep.log\n/data/\n");
  put("sub/.gitignore", "!b.log\n");
  EXPECT_EQ(paths(), ".gitignore a.py keep.log sub/ sub/.gitignore sub/b.log sub/keep.log");
  put(".amlignore", "sub\n");
  EXPECT_EQ(paths(), ".amlignore .gitignore a.log a.py data/ data/x keep.log");
}

TEST_F(Snapshots, LinksThatLeadOut) {
  put("sub/a");
  fs::create_symlink("../../outside", code_ + "/sub/up");
  fs::create_symlink("/etc/hosts", code_ + "/hosts");
  fs::create_symlink(code_ + "/sub/a", code_ + "/sub/own");
  fs::create_symlink("gone", code_ + "/dangling");
  std::ofstream(folder_.path() + "/outside") << "x";
  const std::string there = fs::canonical(folder_.path()).string() + "/outside";
  EXPECT_EQ(paths(), "dangling>gone hosts>/etc/hosts sub/ sub/a sub/own>../sub/a sub/up>" + there);
  const auto found = survey(code_);
  ASSERT_EQ(found->leads_out.size(), 2u);
  EXPECT_EQ(found->leads_out[0].path, "hosts");
  EXPECT_EQ(found->leads_out[1].target, there);
}

// By their words alone, self/../outside is here and self/self/../../.. is not far.
TEST_F(Snapshots, LinksThatGoUpBehindANameAreTakenForWhatTheyLeadTo) {
  put("sub/a");
  fs::create_symlink(".", code_ + "/self");
  fs::create_symlink("self/../outside", code_ + "/out");
  fs::create_symlink("sub/../sub/a", code_ + "/round");
  fs::create_symlink("sub/../gone", code_ + "/lost");
  fs::create_symlink("sub/..", code_ + "/top");
  fs::create_symlink("../sub/..", code_ + "/sub/top");
  std::ofstream(folder_.path() + "/outside") << "x";
  const std::string there = fs::canonical(folder_.path()).string() + "/outside";
  EXPECT_EQ(paths(), "lost>gone out>" + there + " round>sub/a self>. sub/ sub/a sub/top>../ top>.");
  const auto found = survey(code_);
  ASSERT_EQ(found->leads_out.size(), 1u);
  EXPECT_EQ(found->leads_out[0].target, there);
}

TEST_F(Snapshots, WhatIsNoFileIsLeftOut) {
  put("a");
  put("odd\nname");
  ASSERT_EQ(::mkfifo((code_ + "/pipe").c_str(), 0600), 0);
  const auto found = survey(code_);
  EXPECT_EQ(paths(), "a");
  ASSERT_EQ(found->left_out.size(), 2u);
  EXPECT_EQ(found->left_out[0].path, "odd\nname");
  EXPECT_EQ(found->left_out[1].why, "a fifo");
}

// Calls it in a thread with a stack of 128 KiB.
void on_a_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, std::size_t{128} << 10);
  pthread_t thread{};
  const auto call = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  const int failed =
      ::pthread_create(&thread, &attributes, call, const_cast<std::function<void()>*>(&work));
  ASSERT_EQ(failed, 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
}

// So many folders within each other, the last with a file in it.
std::string nested(int count) {
  std::string path;
  for (int i = 0; i < count; ++i) path += "d/";
  return path + "file";
}

TEST_F(Snapshots, FoldersWithinEachOtherTakeNoStack) {
  put(nested(250));
  on_a_small_stack([&] {
    const auto found = survey(code_);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->manifest.entries.size(), 251U);
    const auto print = fingerprint(code_, LeadsOutLinks::as_they_are);
    ASSERT_TRUE(print);
    EXPECT_EQ(copy_tree(code_, folder_.path() + "/copy").why, 0);
    EXPECT_EQ(fingerprint(folder_.path() + "/copy", LeadsOutLinks::as_they_are), print);
  });
}

TEST_F(Snapshots, FoldersThatAreTooDeepAreNamed) {
  put(nested(300));
  const auto refused = survey(code_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, base::Fault::bad_file);
  EXPECT_TRUE(refused.error().what.starts_with("cannot read the code in " + code_ + "/d/d/"));
  EXPECT_TRUE(refused.error().what.ends_with("/d...: nested more than 256 folders deep") ||
              refused.error().what.ends_with("/...: nested more than 256 folders deep"))
      << refused.error().what;
  EXPECT_LT(refused.error().what.size(), 250U);
  put("a");
  const auto whole = survey(code_, {.everything = true});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->manifest.entries.size(), 258U);  // a, and 257 folders
  ASSERT_EQ(whole->left_out.size(), 1U);
  EXPECT_EQ(whole->left_out[0].why, "nested more than 256 folders deep");
  EXPECT_TRUE(whole->left_out[0].holds);
  EXPECT_EQ(fingerprint(code_, LeadsOutLinks::as_they_are).error().what.find("cannot read"), 0U);
}

TEST_F(Snapshots, TheRecordsAreNoPartOfIt) {
  put("a");
  put("runs/x");
  const auto found = survey(code_, {code_ + "/runs"});
  ASSERT_EQ(found->manifest.entries.size(), 1u);
}

TEST_F(Snapshots, ALimitNamesTheLargest) {
  put("small", std::string(10, 'x'));
  put("data/one", std::string(900, 'x'));
  put("data/two", std::string(900, 'x'));
  put("model.bin", std::string(1000, 'x'));
  const auto found = survey(code_);
  EXPECT_TRUE(check_limit(*found, code_, 2810));
  const auto wrong = check_limit(*found, code_, 2809);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "the code in " + code_ +
                                    " has 2.8 kB, more than the 2.8 kB of a snapshot; the "
                                    "largest: data (1.8 kB), model.bin (1.0 kB), small (10 bytes)");
}

TEST_F(Snapshots, FilesThatGoAreNoPartOfIt) {
  put("a");
  put("b");
  const auto found = survey(code_);
  fs::remove(code_ + "/a");
  const auto manifest = keep_all(store_, found->manifest, code_);
  ASSERT_TRUE(manifest);
  ASSERT_EQ(manifest->entries.size(), 1u);
  EXPECT_EQ(manifest->entries[0].path, "b");
}

TEST_F(Snapshots, ALinkInPlaceOfAFileIsNotFollowed) {
  put("a");
  const auto found = survey(code_);
  fs::remove(code_ + "/a");
  fs::create_symlink("/etc/hosts", code_ + "/a");
  EXPECT_TRUE(keep_all(store_, found->manifest, code_)->entries.empty());
}

// Who looks at a folder, hashes or copies it is asked to stop at each entry and each piece.
TEST_F(Snapshots, AreGivenUpBetweenPieces) {
  put("a/big", std::string(std::size_t{3} << 20, 'x'));
  for (const char* name : {"a/1", "a/2", "a/3", "b"}) put(name, name);
  int asked = 0;
  const GoesOn twice = [&] { return ++asked <= 2; };
  const auto is_given_up = [&](const auto& done) {
    EXPECT_LE(asked, 5);  // each answer is no from then on
    asked = 0;
    return !done && done.error().what == "interrupted";
  };
  EXPECT_TRUE(is_given_up(survey(code_, {.goes_on = twice})));
  EXPECT_TRUE(is_given_up(file_hash(code_ + "/a/big", twice)));
  EXPECT_TRUE(is_given_up(fingerprint(code_, LeadsOutLinks::with_contents, twice)));
  BlobStore impatient(folder_.path() + "/records/.blobs", twice);
  EXPECT_TRUE(is_given_up(impatient.keep(code_ + "/a/big")));
  EXPECT_TRUE(is_given_up(keep_all(impatient, survey(code_)->manifest, code_)));
  const auto manifest = keep();
  ASSERT_TRUE(manifest);
  const std::string copy = folder_.path() + "/copy";
  EXPECT_TRUE(is_given_up(lay_out(impatient, *manifest, copy)));
  EXPECT_FALSE(fs::exists(copy + "/b"));
  const std::string& hash = manifest->entries[4].hash;
  ASSERT_EQ(manifest->entries[4].path, "a/big");
  EXPECT_TRUE(is_given_up(impatient.copy_out(hash, std::size_t{3} << 20, copy + "/one", 0600)));
  EXPECT_FALSE(fs::exists(copy + "/one"));
}

}  // namespace
}  // namespace muster::blobs
