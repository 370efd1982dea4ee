// Parcels between two stores, and what a host sends home.
#include "blobs/parcel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "blobs/gathered.hpp"
#include "blobs/merge.hpp"
#include "blobs/rotated.hpp"
#include "blobs/snapshot_of.hpp"
#include "blobs/survey.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using snapshot::Entry;
using snapshot::EntryKind;
using snapshot::Manifest;

class Parcels : public testing::Test {
 protected:
  Parcels() {
    for (BlobStore* store : {&here_, &there_}) holds_.push_back(std::move(*store->hold()));
  }

  void put(const std::string& name, const std::string& text) const {
    const fs::path path(folder_.path() + "/" + name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  Manifest keep(const std::string& name) {
    const auto found = survey(folder_.path() + "/" + name);
    return *keep_all(here_, found->manifest, folder_.path() + "/" + name);
  }

  // The bytes of a parcel.
  std::string parcel(const Manifest& manifest, const Contents& contents) {
    const std::string path = folder_.path() + "/parcel";
    const process::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
    EXPECT_TRUE(write_parcel(file.get(), path, manifest, contents,
                             [&](const std::string& hash) { return here_.path_of(hash); }));
    return folder_.read("parcel");
  }

  base::Result<Manifest> read(const std::string& bytes) {
    put("bytes", bytes);
    const process::UniqueFd file(::open((folder_.path() + "/bytes").c_str(), O_RDONLY));
    return read_parcel(file.get(), there_);
  }

  unit::Folder folder_;
  BlobStore here_{folder_.path() + "/here/.blobs"};
  BlobStore there_{folder_.path() + "/there/.blobs"};
  std::vector<process::UniqueFd> holds_;
};

TEST_F(Parcels, BringWhatIsMissing) {
  put("code/a", "one");
  put("code/sub/b", std::string(700'000, 'x'));
  const Manifest manifest = keep("code");
  const Contents contents = contents_of(manifest);
  ASSERT_EQ(contents.size(), 2u);
  EXPECT_EQ(read(parcel(manifest, {})), manifest);
  for (const auto& [hash, size] : contents) EXPECT_FALSE(there_.has(hash, size));
  EXPECT_EQ(read(parcel(manifest, contents)), manifest);
  ASSERT_TRUE(lay_out(there_, manifest, folder_.path() + "/copy"));
  EXPECT_EQ(folder_.read("copy/a"), "one");
  EXPECT_EQ(folder_.read("copy/sub/b").size(), 700'000u);
}

TEST_F(Parcels, HolesTakeNoRoomOnTheWay) {
  constexpr off_t kHole = off_t{16} << 20;
  const auto room = [&](const std::string& path) {
    struct stat facts {};
    EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
    EXPECT_GT(facts.st_size, kHole) << path;
    return facts.st_blocks * 512;
  };
  put("code/sparse", "begin");
  ASSERT_EQ(::truncate((folder_.path() + "/code/sparse").c_str(), kHole), 0);
  std::ofstream(folder_.path() + "/code/sparse", std::ios::app) << "end";
  put("code/z", "last");
  const Manifest manifest = keep("code");
  const std::string bytes = parcel(manifest, contents_of(manifest));
  EXPECT_LT(room(folder_.path() + "/parcel"), 65'537);
  EXPECT_EQ(read(bytes), manifest);
  for (const Entry& entry : manifest.entries) {
    if (entry.path != "sparse") continue;
    EXPECT_LT(room(here_.path_of(entry.hash)), 65'537);
    EXPECT_LT(room(there_.path_of(entry.hash)), 65'537);
  }
  ASSERT_TRUE(lay_out(there_, manifest, folder_.path() + "/copy"));
  EXPECT_LT(room(folder_.path() + "/copy/sparse"), 65'537);
  EXPECT_EQ(folder_.read("copy/sparse"), folder_.read("code/sparse"));
}

TEST_F(Parcels, WhatEndsWithZerosIsWhole) {
  put("code/a", "one");
  put("code/b", std::string(20'000, '\0'));
  const Manifest manifest = keep("code");
  EXPECT_EQ(read(parcel(manifest, contents_of(manifest))), manifest);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const process::UniqueFd out(ends[0]);
  process::UniqueFd in(ends[1]);
  ASSERT_TRUE(write_parcel(in.get(), "a pipe", manifest, contents_of(manifest),
                           [&](const std::string& hash) { return here_.path_of(hash); }));
  in = {};
  std::string piped;
  ASSERT_TRUE(read_stream(out.get(), [&](std::string_view bytes) {
    piped += bytes;
    return true;
  }));
  EXPECT_EQ(piped, folder_.read("parcel"));
}

TEST_F(Parcels, WhatIsCutOffIsNotTaken) {
  put("code/a", "one");
  const Manifest manifest = keep("code");
  const std::string whole = parcel(manifest, contents_of(manifest));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(there_.has(manifest.entries[0].hash, 3));
}

TEST_F(Parcels, WhatWasChangedIsNotTaken) {
  put("code/a", "one");
  const Manifest manifest = keep("code");
  std::string bytes = parcel(manifest, contents_of(manifest));
  bytes.back() = 'E';
  const auto done = read(bytes);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "what came over the link is not what was sent");
  EXPECT_FALSE(there_.has(manifest.entries[0].hash, 3));
}

TEST_F(Parcels, NoHashNamesAFileElsewhere) {
  const std::string first = "muster snapshot 1\n";
  const std::string bytes = fmt::format("muster parcel 1 {} 1\n{}../../../../../../tmp/{} 1\nx",
                                        first.size(), first, std::string(42, 'a'));
  EXPECT_FALSE(read(bytes));
  EXPECT_FALSE(read("muster parcel 1 99999999999999999999 0\n"));
  EXPECT_FALSE(read("muster parcel 1 999999999999 0\n"));
}

TEST_F(Parcels, NothingComesThatTheManifestDoesNotName) {
  put("code/a", "one");
  put("other/b", "two");
  const Manifest manifest = keep("code");
  const Contents wanted = contents_of(manifest);
  const Contents other = contents_of(keep("other"));
  const std::string hash = manifest.entries[0].hash;
  Contents both = wanted;
  both.insert(other.begin(), other.end());
  for (const Contents& more : {other, both}) {
    const auto done = read(parcel(manifest, more));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().what, "what came over the link is more than was asked for");
    EXPECT_FALSE(there_.has(other.begin()->first, 3));
  }
  Manifest longer = manifest;  // says another size than the content has
  longer.entries[0].size = 4;
  EXPECT_FALSE(read(parcel(longer, wanted)));
  EXPECT_FALSE(read(parcel(manifest, wanted) + "x"));
  const std::string twice = fmt::format("{} 3\none", hash);
  const std::string text = manifest_text(manifest);
  const std::string front = fmt::format("muster parcel 1 {} 2\n{}", text.size(), text);
  EXPECT_FALSE(read(front + twice + twice));
}

// ---- what comes home ----------------------------------------------------------------------------

class Homecoming : public Parcels {
 protected:
  Homecoming() {
    fs::create_directories(record_ + "/outputs/model");
    put("record/code/a", "sent");
    code_ = keep("record/code");
    for (const Entry& entry : code_.entries) {
      sent_.entries.push_back(entry);
      sent_.entries.back().path.insert(0, "code/");
    }
  }

  Entry file(const std::string& path, const std::string& text) {
    put("theirs", text);
    const auto kept = here_.keep(folder_.path() + "/theirs");
    return {EntryKind::file, path, 0640, text.size(), 5'000'000'000, (*kept)->hash};
  }
  static Entry dir(const std::string& path) { return {EntryKind::folder, path, 0755}; }
  static Entry link(const std::string& path, const std::string& target) {
    return {EntryKind::link, path, 0, 0, 0, "", target};
  }

  Merged merge(std::vector<Entry> entries) {
    const auto merged = merge_into(record_, here_, {std::move(entries)}, sent_, "node2");
    EXPECT_TRUE(merged) << (merged ? "" : merged.error().what);
    return merged.value_or(Merged());
  }

  const std::string record_ = folder_.path() + "/record";
  Manifest code_;
  Manifest sent_;  // the same, as seen from the record
};

// Who reads, hashes or moves contents of any size is asked to stop at each piece of them.
TEST_F(Homecoming, IsGivenUpBetweenPieces) {
  const std::string text(std::size_t{3} << 20, 'x');
  put("big", text);
  const std::string big = folder_.path() + "/big";
  int asked = 0;
  const auto twice = [&] { return ++asked <= 2; };
  const auto is_given_up = [&](const auto& done) {
    EXPECT_FALSE(done);
    EXPECT_LE(asked, 5);  // each answer is no from then on
    asked = 0;
    EXPECT_EQ(done.error().what, "interrupted");
    return !done;
  };
  EXPECT_TRUE(is_given_up(gather(big, folder_.path(), twice)));
  auto gathered = gather(big, folder_.path());
  ASSERT_TRUE(gathered);
  gathered->manifest.entries.front().path = "big";
  const std::string path = folder_.path() + "/parcel";
  const process::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
  const auto write = [&](const GoesOn& goes_on) {
    return write_parcel(
        file.get(), path, gathered->manifest, contents_of(gathered->manifest),
        [&](const std::string&) { return big; }, goes_on);
  };
  EXPECT_TRUE(is_given_up(write(twice)));
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  ASSERT_TRUE(write({}));
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  EXPECT_TRUE(is_given_up(read_parcel(file.get(), there_, twice)));
  std::vector<Entry> entries = {dir("outputs")};
  for (const char* name : {"outputs/a", "outputs/b", "outputs/c"}) entries.push_back(dir(name));
  EXPECT_TRUE(is_given_up(merge_into(record_, here_, {entries}, sent_, "node2", twice)));
  EXPECT_FALSE(std::filesystem::exists(record_ + "/outputs/c"));
}

// One that was not compared to its end is no other file.
TEST_F(Homecoming, WhatIsGivenUpIsNoConflict) {
  put("record/outputs/model/x", "same");
  const Entry theirs = file("outputs/model/x", "same");
  int asked = 0;
  const auto once = [&] { return ++asked <= 1; };
  EXPECT_FALSE(merge_into(record_, here_, {{theirs}}, sent_, "node2", once));
  EXPECT_FALSE(fs::exists(record_ + "/outputs/model.conflicts"));
}

// They may be large, and each is hashed before it goes.
TEST_F(Homecoming, OldCheckpointsStayOnceNobodyWantsToGoOn) {
  fs::create_directories(record_ + "/checkpoints");
  Manifest sent;
  for (const char* name : {"checkpoints/1", "checkpoints/2", "checkpoints/3"}) {
    put(std::string("record/") + name, "same");
    sent.entries.push_back(file(name, "same"));
  }
  int asked = 0;
  remove_rotated(record_, sent, {}, [&] { return ++asked <= 2; });
  EXPECT_FALSE(fs::exists(record_ + "/checkpoints/3"));
  EXPECT_TRUE(fs::exists(record_ + "/checkpoints/2"));
  remove_rotated(record_, sent, {"checkpoints/1"});
  EXPECT_FALSE(fs::exists(record_ + "/checkpoints/2"));
  EXPECT_TRUE(fs::exists(record_ + "/checkpoints/1"));
}

TEST_F(Homecoming, FilesAreAdded) {
  const Merged merged =
      merge({dir("outputs/model"), dir("outputs/model/sub"), file("outputs/model/sub/x", "x"),
             link("outputs/model/y", "sub/x"), file("code/new", "n")});
  EXPECT_TRUE(merged.conflicts.empty());
  EXPECT_EQ(folder_.read("record/outputs/model/sub/x"), "x");
  EXPECT_EQ(folder_.read("record/outputs/model/y"), "x");
  EXPECT_EQ(folder_.read("record/code/new"), "n");
  struct stat facts {};
  ASSERT_EQ(::stat((record_ + "/code/new").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0640u);
  EXPECT_EQ(facts.st_mtim.tv_sec, 5);
}

TEST_F(Homecoming, WaitsForNobodyWhereACopyIsMade) {
  const Entry one = file("outputs/model/one", "same");
  const std::string copy = here_.path_of(one.hash) + ".copy";
  ASSERT_EQ(::mkfifo(copy.c_str(), 0600), 0);
  const process::UniqueFd reader(::open(copy.c_str(), O_RDONLY | O_NONBLOCK));
  merge({dir("outputs/model"), one, file("outputs/model/two", "same")});
  EXPECT_EQ(folder_.read("record/outputs/model/one"), "same");
  EXPECT_EQ(folder_.read("record/outputs/model/two"), "same");
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

TEST_F(Homecoming, ModesAreKept) {
  Entry open = dir("outputs/model/open");
  Entry closed = dir("outputs/model/closed");
  open.mode = 0775;
  closed.mode = 0500;
  Entry fixed = file("outputs/model/closed/fixed", "x");
  fixed.mode = 0444;
  Entry blind = file("outputs/model/blind", "y");
  blind.mode = 0;
  merge({dir("outputs/model"), closed, fixed, open, blind});
  EXPECT_EQ(mode_of(record_ + "/outputs/model/open"), 0775u);
  EXPECT_EQ(mode_of(record_ + "/outputs/model/closed"), 0700u);  // or nobody could remove it
  EXPECT_EQ(mode_of(record_ + "/outputs/model/closed/fixed"), 0444u);
  EXPECT_EQ(mode_of(record_ + "/outputs/model/blind"), 0400u);
}

TEST_F(Homecoming, NoNameOfTheUsersIsInTheWay) {
  const Merged merged = merge({file("outputs/model/.muster-new", "mine"),
                               file("outputs/model/a", "a"), file("outputs/model/b", "a")});
  EXPECT_TRUE(merged.conflicts.empty());
  EXPECT_EQ(folder_.read("record/outputs/model/.muster-new"), "mine");
  EXPECT_EQ(folder_.read("record/outputs/model/a"), "a");
  EXPECT_EQ(folder_.read("record/outputs/model/b"), "a");
}

TEST_F(Homecoming, ContentsAreMovedNotCopied) {
  const Entry one = file("outputs/model/one", "content");
  struct stat before {};
  ASSERT_EQ(::stat(here_.path_of(one.hash).c_str(), &before), 0);
  merge({one});
  struct stat after {};
  ASSERT_EQ(::stat((record_ + "/outputs/model/one").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(after.st_nlink, 1u);
  EXPECT_FALSE(here_.has(one.hash, one.size));
}

TEST_F(Homecoming, WhatDiffersLiesBeside) {
  put("record/outputs/model/x", "ours");
  put("record/outputs/model/same", "same");
  put("record/outputs/model/d/y", "ours");
  const Merged merged =
      merge({file("outputs/model/same", "same"), file("outputs/model/x", "theirs"),
             file("outputs/model/d", "no folder")});
  EXPECT_EQ(merged.conflicts, (std::vector<std::string>{"outputs/model/x", "outputs/model/d"}));
  EXPECT_EQ(folder_.read("record/outputs/model/x"), "ours");
  EXPECT_EQ(folder_.read("record/outputs/model.conflicts/node2/x"), "theirs");
  EXPECT_EQ(folder_.read("record/outputs/model.conflicts/node2/d"), "no folder");
}

TEST_F(Homecoming, CodeThatNobodyChangedHereIsReplaced) {
  EXPECT_TRUE(merge({file("code/a", "theirs")}).conflicts.empty());
  EXPECT_EQ(folder_.read("record/code/a"), "theirs");
  EXPECT_EQ(merge({file("code/a", "others'")}).conflicts, (std::vector<std::string>{"code/a"}));
  EXPECT_EQ(folder_.read("record/code.conflicts/node2/a"), "others'");
}

TEST_F(Homecoming, CheckpointsTakeThePlaceOfThoseThatWereSent) {
  put("record/checkpoints/a", "first");
  fs::create_symlink("a", record_ + "/checkpoints/latest");
  sent_.entries.push_back(file("checkpoints/a", "first"));
  sent_.entries.push_back(link("checkpoints/latest", "a"));
  const auto merged = merge({file("checkpoints/a", "more"), file("checkpoints/b", "second"),
                             link("checkpoints/latest", "b")});
  EXPECT_TRUE(merged.conflicts.empty());
  EXPECT_EQ(folder_.read("record/checkpoints/a"), "more");
  EXPECT_EQ(folder_.read("record/checkpoints/latest"), "second");
  EXPECT_EQ(merge({link("checkpoints/latest", "c")}).conflicts,
            (std::vector<std::string>{"checkpoints/latest"}))
      << "another host has said where it leads";
}

TEST_F(Homecoming, NothingIsWrittenThroughALink) {
  fs::create_directory(folder_.path() + "/elsewhere");
  fs::create_directory_symlink(folder_.path() + "/elsewhere", record_ + "/outputs/model/out");
  const Merged merged = merge({dir("outputs/model/out"), file("outputs/model/out/x", "theirs")});
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/elsewhere"));
  EXPECT_EQ(folder_.read("record/outputs/model.conflicts/node2/out/x"), "theirs");
  EXPECT_EQ(merged.conflicts, (std::vector<std::string>{"outputs/model/out/x"}));
}

TEST_F(Homecoming, LinksThatLeadOutAndOtherPathsAreRefused) {
  const Merged merged =
      merge({link("outputs/model/a", "/etc/passwd"), link("outputs/model/b", "../../../x"),
             file("report.json", "{}"), file("outputs.x", "x")});
  EXPECT_EQ(merged.refused.size(), 4u);
  EXPECT_FALSE(fs::exists(record_ + "/report.json"));
  EXPECT_TRUE(fs::is_empty(record_ + "/outputs/model"));
}

std::string paths_of(const Gathered& gathered) {
  std::string paths;
  for (const Entry& entry : gathered.manifest.entries) paths += entry.path + " ";
  return paths;
}

std::string left_out_of(const Gathered& gathered) {
  std::string text;
  for (const LeftOut& one : gathered.left_out) {
    text += fmt::format("{}{} ({})\n", one.holds ? "! " : "", one.path, one.why);
  }
  return text;
}

TEST_F(Homecoming, WhatCannotBeSentIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user";
  const std::string model = record_ + "/outputs/model";
  put("record/outputs/model/fine", "x");
  put("record/outputs/model/shut", "x");
  put("record/outputs/model/closed/x", "x");
  put("record/outputs/model/listed/x", "x");
  put("record/outputs/model/od\nd", "x");
  ::mkfifo((model + "/pipe").c_str(), 0600);
  fs::create_symlink("od\nd", model + "/odd-link");
  fs::permissions(model + "/shut", fs::perms::none);
  fs::permissions(model + "/closed", fs::perms::none);
  fs::permissions(model + "/listed", fs::perms(0744));
  fs::permissions(folder_.path(), fs::perms(0755));
  ASSERT_EQ(::seteuid(65534), 0);
  const auto written = written_in(record_);
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_EQ(paths_of(*written),
            "code code/a outputs outputs/model outputs/model/closed outputs/model/fine "
            "outputs/model/listed ");
  EXPECT_EQ(left_out_of(*written),
            "! outputs/model/closed (no permission to read it)\n"
            "! outputs/model/listed/x (no permission to read it)\n"
            "! outputs/model/od\nd (a name with control characters, or too long)\n"
            "outputs/model/odd-link (a link to a name with control characters)\n"
            "outputs/model/pipe (a fifo)\n"
            "! outputs/model/shut (no permission to read it)\n");
}

// ---- links --------------------------------------------------------------------------------------

TEST_F(Homecoming, AnOutputThatIsALinkIsWhatItLeadsTo) {
  put("elsewhere/x", "x");
  put("elsewhere/sub/y", "y");
  ::mkfifo((folder_.path() + "/elsewhere/pipe").c_str(), 0600);
  fs::remove(record_ + "/outputs/model");
  fs::create_directory_symlink(folder_.path() + "/elsewhere", record_ + "/outputs/model");
  fs::create_directory_symlink(folder_.path(), record_ + "/outputs/all");  // it lies there itself
  fs::create_directory_symlink("nowhere", record_ + "/outputs/none");
  const auto written = written_in(record_);
  ASSERT_TRUE(written);
  EXPECT_EQ(paths_of(*written),
            "code code/a outputs outputs/all outputs/model outputs/model/sub outputs/model/sub/y "
            "outputs/model/x outputs/none ");
  EXPECT_EQ(written->manifest.entries[3].kind, EntryKind::link);
  EXPECT_EQ(written->manifest.entries[4].kind, EntryKind::folder);
  EXPECT_EQ(left_out_of(*written), "outputs/model/pipe (a fifo)\n");
  EXPECT_TRUE(snapshot::read_manifest(manifest_text(written->manifest)));
}

TEST_F(Homecoming, LinksByTheirWholePathLeadToTheSameAtHome) {
  put("record/code/best", "best");
  fs::create_directory(record_ + "/outputs/model/sub");
  fs::create_symlink(record_ + "/code/best", record_ + "/outputs/model/sub/link");
  fs::create_symlink("/etc/passwd", record_ + "/outputs/model/out");
  fs::create_symlink("sub/../../../code/best", record_ + "/outputs/model/up");
  fs::create_symlink("sub/../../../../secret", record_ + "/outputs/model/away");
  put("secret", "mine");
  const auto written = written_in(record_);
  ASSERT_TRUE(written);
  const auto entries = by_path(written->manifest);
  EXPECT_EQ(entries.at("outputs/model/up").target, "../../code/best");
  EXPECT_EQ(entries.at("outputs/model/away").target, "sub/../../../../secret");
  EXPECT_EQ(entries.at("outputs/model/sub/link").target, "../../../code/best");
  EXPECT_EQ(entries.at("outputs/model/out").target, "/etc/passwd");
}

TEST_F(Homecoming, InputsHoldWhatTheirLinksLeadTo) {
  put("record/code/best", "best");
  put("record/code/parts/1", "one");
  put("secret", "mine");
  const std::string model = record_ + "/outputs/model";
  put("record/outputs/model/x", "x");
  fs::create_symlink("../../code/best", model + "/file");
  fs::create_symlink(record_ + "/code/best", model + "/whole");
  fs::create_directory_symlink("../../code/parts", model + "/folder");
  fs::create_symlink("x", model + "/inside");
  fs::create_symlink("../../../secret", model + "/out");
  fs::create_directory_symlink("../../outputs", model + "/round");
  const auto found = gather(model, record_);
  ASSERT_TRUE(found);
  std::string kinds;
  for (const Entry& entry : found->manifest.entries) {
    kinds += fmt::format("{}{} ", entry.path, entry.kind == EntryKind::link ? "@" : "");
  }
  EXPECT_EQ(kinds, "file folder folder/1 inside@ out@ round@ whole x ");
  const Entry& file = found->manifest.entries.front();
  EXPECT_EQ(file.size, 4u);
  EXPECT_EQ(found->places.at(file.hash).substr(record_.size()), "/code/best");
  fs::create_directory_symlink(model, record_ + "/outputs/again");
  EXPECT_EQ(gather(record_ + "/outputs/again", record_)->manifest, found->manifest);
  const auto one = gather(model + "/file", record_);
  ASSERT_EQ(one->manifest.entries.size(), 1u);
  EXPECT_EQ(one->manifest.entries[0].path, "");
  EXPECT_EQ(one->manifest.entries[0].hash, file.hash);
}

TEST_F(Homecoming, OnlyWhatIsNewIsSent) {
  ASSERT_TRUE(fs::remove_all(record_ + "/code") > 0);
  put("record/code.manifest", manifest_text(code_));
  ASSERT_TRUE(lay_out(here_, code_, record_ + "/code"));
  put("record/code/.git/config", "x");
  put("record/outputs/model/m", "m");
  const auto written = written_in(record_);
  ASSERT_TRUE(written);
  EXPECT_EQ(paths_of(*written),
            "code code/.git code/.git/config outputs outputs/model outputs/model/m ");
}

}  // namespace
}  // namespace muster::blobs
