// Parcels from a host that means harm: whatever manifest and bytes come home, nothing outside the
// record and nothing of the record's own changes, and no link that came leads out.
#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/merge.hpp"
#include "blobs/parcel.hpp"
#include "blobs/sha256.hpp"
#include "blobs/snapshot_of.hpp"
#include "process/unique_fd.hpp"
#include "snapshot/paths.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using snapshot::Entry;
using snapshot::EntryKind;
using snapshot::Manifest;

const std::vector<std::string> kTexts = {"", "x", std::string(5000, 'y')};

std::string hash_of_text(const std::string& text) {
  Sha256 hash;
  hash.add(text);
  return hash.take();
}

rc::Gen<std::string> joined_of(std::vector<std::string> names, std::size_t most) {
  const auto parts = rc::gen::resize(static_cast<int>(most),
                                     rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
                                         rc::gen::elementOf(std::move(names)))));
  return rc::gen::map(parts, [](const std::vector<std::string>& some) {
    std::string path;
    for (const std::string& one : some) path += (path.empty() ? "" : "/") + one;
    return path;
  });
}

rc::Gen<std::string> any_path() {
  const auto top = rc::gen::weightedElement<std::string>({{16, "outputs/model"},
                                                          {4, "outputs"},
                                                          {4, "code"},
                                                          {1, "mlruns"},
                                                          {1, "report.json"},
                                                          {1, "stdout"},
                                                          {1, ".travel"}});
  return rc::gen::map(rc::gen::pair(top, joined_of({"a", "b", "out", "pipe"}, 3)),
                      [](const auto& two) { return two.first + "/" + two.second; });
}

// What no manifest has.
rc::Gen<std::string> odd_path() {
  return rc::gen::element<std::string>("../outside/x", "outputs/../../outside/x", "/outside/x",
                                       "outputs/./a", "outputs//a", "", ".", "..", "a\nb");
}

rc::Gen<std::string> any_target() {
  return rc::gen::oneOf(joined_of({"a", "b", "out", "..", "..", "."}, 7),
                        rc::gen::elementOf(std::vector<std::string>{
                            "/etc", "/", "../../..", "../../../outside/secret", "a/../../../.."}));
}

Entry entry_with(EntryKind kind, std::string path, std::size_t text, std::string target) {
  Entry entry{kind, std::move(path), 0777};
  if (kind == EntryKind::link) entry.target = std::move(target);
  if (kind != EntryKind::file) return entry;
  entry.size = kTexts[text].size();
  entry.hash = hash_of_text(kTexts[text]);
  return entry;
}

rc::Gen<Entry> any_entry() {
  return rc::gen::apply(
      entry_with,
      rc::gen::element(EntryKind::folder, EntryKind::file, EntryKind::link, EntryKind::link),
      any_path(), rc::gen::inRange<std::size_t>(0, kTexts.size()), any_target());
}

// A folder above each entry, so that many of them are read: a reader refuses the rest.
Manifest manifest_of(const std::vector<Entry>& drawn, bool with_folders) {
  std::map<std::string, Entry> entries;
  for (const Entry& entry : drawn) entries.try_emplace(entry.path, entry);
  for (const Entry& entry : drawn) {
    std::string_view up = with_folders ? snapshot::parent_of(entry.path) : "";
    for (; !up.empty(); up = snapshot::parent_of(up)) {
      entries.insert_or_assign(std::string(up), Entry{EntryKind::folder, std::string(up), 0777});
    }
  }
  Manifest manifest;
  for (auto& [path, entry] : entries) manifest.entries.push_back(std::move(entry));
  return manifest;
}

std::string bytes_of(const Manifest& manifest) {
  const std::string text = manifest_text(manifest);
  const Contents contents = contents_of(manifest);
  std::string bytes = fmt::format("muster parcel 1 {} {}\n{}", text.size(), contents.size(), text);
  for (const std::string& one : kTexts) {
    const std::string hash = hash_of_text(one);
    if (contents.contains(hash)) bytes += fmt::format("{} {}\n{}", hash, one.size(), one);
  }
  return bytes;
}

// A record of a run on this machine, whose ranks have left odd things, and what lies around it.
class Place {
 public:
  Place() {
    fs::create_directories(record() + "/outputs/model");
    fs::create_directories(folder_.path() + "/outside");
    put("outside/secret", "mine");
    put("record/report.json", "{}");
    put("record/stdout", "said");
    fs::create_symlink("../../../outside", out());
    ::mkfifo((record() + "/outputs/model/pipe").c_str(), 0600);
  }

  [[nodiscard]] std::string record() const { return folder_.path() + "/record"; }
  [[nodiscard]] std::string out() const { return record() + "/outputs/model/out"; }

  // What was read went into the record; false: it was refused.
  bool take(const std::string& bytes) const {
    put("record/parcel", bytes);
    BlobStore store(record() + "/.blobs");
    const auto hold = store.hold();
    const process::UniqueFd file(::open((record() + "/parcel").c_str(), O_RDONLY | O_CLOEXEC));
    const auto manifest = read_parcel(file.get(), store);
    return manifest && merge_into(record(), store, *manifest, {}, "node2");
  }

  // Paths and texts of what no host may change.
  [[nodiscard]] std::map<std::string, std::string> untouchable() const {
    std::map<std::string, std::string> found;
    for (const char* file : {"record/report.json", "record/stdout"}) {
      found[file] = folder_.read(file);
    }
    for (const auto& one : fs::directory_iterator(folder_.path())) {
      if (one.path().filename() != "record") found[one.path()];
    }
    for (const auto& one : fs::recursive_directory_iterator(folder_.path() + "/outside")) {
      found[one.path()] = folder_.read("outside/" + one.path().filename().string());
    }
    return found;
  }

  // Links in the record that lead out of it, without the one that was there before.
  [[nodiscard]] std::set<std::string> leading_out() const {
    fs::remove(out());
    std::set<std::string> found;
    const std::string inside = fs::canonical(record()).string() + "/";
    for (const auto& one : fs::recursive_directory_iterator(record())) {
      if (!one.is_symlink()) continue;
      std::error_code goes_round;
      const std::string real = fs::weakly_canonical(one.path(), goes_round).string() + "/";
      if (!goes_round && !real.starts_with(inside)) found.insert(one.path());
    }
    return found;
  }

 private:
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }

  unit::Folder folder_;
};

RC_GTEST_PROP(BlobsParcels, LeaveAloneWhatIsNotTheirs, ()) {
  auto drawn = *rc::gen::scale(0.2, rc::gen::container<std::vector<Entry>>(any_entry()));
  if (*rc::gen::weightedElement<bool>({{1, true}, {9, false}})) {
    drawn.push_back(entry_with(EntryKind::file, *odd_path(), 1, ""));
  }
  std::string bytes =
      bytes_of(manifest_of(drawn, *rc::gen::weightedElement<bool>({{9, true}, {1, false}})));
  if (*rc::gen::weightedElement<bool>({{1, true}, {4, false}})) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= *rc::gen::inRange<char>(1, 127);
  }
  const Place place;
  const auto before = place.untouchable();
  const bool taken = place.take(bytes);
  RC_CLASSIFY(taken, "taken");
  RC_ASSERT(place.untouchable() == before);
  RC_ASSERT(place.leading_out() == std::set<std::string>{});
}

}  // namespace
}  // namespace muster::blobs
