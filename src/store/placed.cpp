// Compares what lies at a place with notes.
#include "store/placed.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "process/ownership.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// So many are looked at within some tens of milliseconds; folders hold nothing that could be lost,
// but are looked at as well.
constexpr std::size_t kFilesMax = 20'000;
constexpr std::size_t kEntriesMax = 2 * kFilesMax;
constexpr std::size_t kNoteMax = std::size_t{16} << 20;
// In place of a list: runs have put more there than are looked at.
constexpr std::string_view kMany = "many";

// Nothing: there is none, or a folder or a device, which hold nothing that could be lost.
std::optional<std::string> facts_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  const bool counts = !S_ISDIR(found.st_mode) && !S_ISCHR(found.st_mode) && !S_ISBLK(found.st_mode);
  if (!counts) return std::nullopt;
  const auto time = [](const timespec& one) {
    return fmt::format("{}.{}", one.tv_sec, one.tv_nsec);
  };
  return fmt::format("{} {} {} {}", found.st_ino, found.st_size, time(found.st_mtim),
                     time(found.st_ctim));
}

std::string below(const std::string& place, const std::string& name) {
  return name.empty() ? place : place + "/" + name;
}

// As far as they can be listed: who cannot list a folder cannot overwrite what is in it either.
Placed::Users files_at(const std::string& place) {
  Placed::Users found;
  if (auto facts = facts_of(place)) found.files.emplace("", std::move(*facts));
  std::error_code wrong;
  auto at =
      fs::recursive_directory_iterator(place, fs::directory_options::skip_permission_denied, wrong);
  if (wrong) return found;
  std::string path;
  for (std::size_t seen = 0; at != fs::recursive_directory_iterator(); at.increment(wrong)) {
    path = at->path().string();
    auto facts = facts_of(path);
    if (++seen > kEntriesMax || (facts && found.files.size() == kFilesMax)) {
      found.are_all = false;
      break;
    }
    if (facts) found.files.emplace(path.substr(place.size() + 1), std::move(*facts));
  }
  if (wrong) found.are_all = false;  // folders too deep within each other
  // What is not known may be somebody's.
  if (!found.are_all && found.files.empty()) found.files.emplace(path.substr(place.size() + 1), "");
  return found;
}

// Names end with a zero, as no path has one.
std::string text_of(const PlacedFiles& files) {
  std::string text;
  for (const auto& [name, facts] : files)
    text.append(facts).append("\t").append(name).push_back('\0');
  return text;
}

PlacedFiles files_in(std::string_view text) {
  PlacedFiles files;
  for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    files.emplace(line.substr(std::min(tab + 1, line.size())), line.substr(0, tab));
  }
  return files;
}

void remove_same(const PlacedFiles& known, PlacedFiles& files) {
  std::erase_if(files, [&](const auto& one) {
    const auto same = known.find(one.first);
    return same != known.end() && same->second == one.second;
  });
}

// Of runs that may still write there.
std::vector<std::string> notes_of_runs(const std::string& note) {
  std::vector<std::string> all;
  std::error_code wrong;
  const std::string begin = note.substr(note.rfind('/') + 1) + ".";
  auto at = fs::directory_iterator(fs::path(note).parent_path(), wrong);
  for (; !wrong && at != fs::directory_iterator(); at.increment(wrong)) {
    if (at->path().filename().string().starts_with(begin)) all.push_back(at->path().string());
  }
  return all;
}

// Its report is not there, and somebody holds its lock.
bool is_alive(const std::string& record) {
  if (is_finished(record)) return false;
  const process::UniqueFd events = open_events(record);
  return events && holder_of(events.get()).has_value();
}

constexpr char kSlash = '+';  // in names of notes

}  // namespace

Placed::Placed(const std::string& records, std::string place)
    : records_(records),
      place_(std::move(place)),
      note_(fmt::format("{}/{}/{:08x}{:08x}", records, kPlacedOutputs, base::hash(place_),
                        base::hash("/" + place_))) {}

std::string Placed::note_of(const std::string& run) const {
  std::string name = run;
  std::ranges::replace(name, '/', kSlash);
  return note_ + "." + name;
}

Placed::Users Placed::users_since(const std::string& note) const {
  Users users;
  users.files = files_in(read_file(note, kNoteMax).value_or(""));
  std::erase_if(users.files,
                [&](const auto& one) { return facts_of(below(place_, one.first)) != one.second; });
  return users;
}

Placed::Users Placed::users() const {
  const bool is_known = process::is_own_folder(fs::path(note_).parent_path());
  std::optional<Users> during;
  for (const std::string& note : is_known ? notes_of_runs(note_) : std::vector<std::string>()) {
    Users own = users_since(note);
    if (!during || own.files.size() < during->files.size()) during = std::move(own);
  }
  if (during) return *std::move(during);
  Users users = files_at(place_);
  if (users.files.empty() || !is_known) return users;
  const std::string noted = read_file(note_, kNoteMax).value_or("");
  if (noted == kMany) return {};
  remove_same(files_in(noted), users.files);
  return users;
}

void Placed::write(const std::string& note, const PlacedFiles& files) const {
  (void)::mkdir(fs::path(note_).parent_path().c_str(), 0700);
  (void)replace_file(note, text_of(files));
}

void Placed::begin(const std::string& run) const {
  const Users before = users();
  if (before.are_all) write(note_of(run), before.files);
}

void Placed::end(const std::string& run) const {
  const std::string own = note_of(run);
  if (::access(own.c_str(), F_OK) != 0) return;
  Users all = files_at(place_);
  if (all.are_all) {
    remove_same(users_since(own).files, all.files);
    write(note_, all.files);
  } else {
    (void)replace_file(note_, kMany);
  }
  (void)::unlink(own.c_str());
  drop_dead_notes(run);
}

// The lock of its own record is not looked at: closing the file would release it.
void Placed::drop_dead_notes(const std::string& run) const {
  const std::string own = run.substr(0, run.find('/'));
  for (const std::string& note : notes_of_runs(note_)) {
    const std::string whole = note.substr(note_.size() + 1);
    const std::string one = whole.substr(0, whole.find(kSlash));
    const bool lives = one == own ? run != own : is_alive(records_ + "/" + one);
    if (!lives) (void)::unlink(note.c_str());
  }
}

void Placed::note_all() const {
  const Users all = files_at(place_);
  if (all.are_all) return write(note_, all.files);
  (void)::mkdir(fs::path(note_).parent_path().c_str(), 0700);
  (void)replace_file(note_, kMany);
}

}  // namespace muster::store
