// The host's side of errands: stdin in, stdout out.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/cache.hpp"
#include "blobs/files.hpp"
#include "blobs/gathered.hpp"
#include "blobs/parcel.hpp"
#include "blobs/sha256.hpp"
#include "blobs/snapshot_of.hpp"
#include "cli/bundle.hpp"
#include "cli/code.hpp"
#include "cli/environments.hpp"
#include "cli/errand.hpp"
#include "cli/host_folders.hpp"
#include "cli/image_store.hpp"
#include "cli/left_behind.hpp"
#include "cli/speak.hpp"
#include "probe/random.hpp"
#include "process/copy_file.hpp"
#include "process/fresh_file.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/unique_fd.hpp"
#include "snapshot/paths.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::size_t kMarkMax = 100;
constexpr std::size_t kRunsMax = std::size_t{64} << 20;
// Of a run that its head does not know (yet), nothing goes that was changed lately.
constexpr std::chrono::hours kUnknownRunsStay{1};

bool sees(const std::string& folder, const std::string& mark) {
  const auto found = blobs::read_whole(folder + "/" + std::string(kMarkFile), kMarkMax);
  return found == mark;
}

Result<void> cannot(std::string_view what, const std::string& path, const std::error_code& why) {
  return base::fail(Fault::cannot_start, "", "cannot {} {}: {}", what, path, why.message());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

// What others could write to, they could fill with links to elsewhere. An agent of ours with a
// umask for groups may have made it for an earlier step: then it is ours alone from now on.
Result<void> check_owner(const std::string& folder) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const process::UniqueFd opened(::open(folder.c_str(), kFlags));
  struct stat facts {};
  if (!opened || ::fstat(opened.get(), &facts) != 0) return cannot("use", folder, last_error());
  const bool is_ours = facts.st_uid == ::geteuid();
  const bool is_open = (facts.st_mode & S_IWOTH) != 0 ||
                       ((facts.st_mode & S_IWGRP) != 0 && facts.st_gid != ::getegid());
  if (!is_ours || is_open) {
    return base::fail(Fault::cannot_start, "remove it there, or set MUSTER_RECORDS",
                      "cannot use {}: {}", folder,
                      is_ours ? "others may write to it" : "it is another user's");
  }
  if ((facts.st_mode & S_IWGRP) == 0 || ::fchmod(opened.get(), 0700) == 0) return {};
  return cannot("use", folder, last_error());
}

// Only its owner may look into the record's folder, and into that of all records.
Result<void> make_record(const std::string& folder) {
  const fs::path records = fs::path(folder).parent_path();
  std::error_code wrong;
  fs::create_directories(records.parent_path(), wrong);
  (void)::mkdir(records.c_str(), 0700);
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  return errno == EEXIST ? check_owner(folder) : cannot("make", folder, last_error());
}

struct Wanted {
  std::string root;
  std::string step;  // its record below the root, or "."
  std::string mark;
  std::string owner;
  std::vector<std::string> units;

  [[nodiscard]] std::string record() const { return step == "." ? root : root + "/" + step; }
};

// Folders on the way are made; a link among them would lead elsewhere.
Result<void> make_way(const std::string& root, std::string_view unit) {
  std::string path = root;
  for (std::string_view left = snapshot::parent_of(unit); !left.empty();) {
    const std::size_t end = std::min(left.find('/'), left.size());
    path += "/" + std::string(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    struct stat facts {};
    const bool made = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
    if (made && ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) continue;
    return cannot("make", path,
                  made ? std::make_error_code(std::errc::not_a_directory) : last_error());
  }
  return {};
}

// What the manifest says of a unit, as seen from it.
snapshot::Manifest part_of(const snapshot::Manifest& manifest, const std::string& unit) {
  snapshot::Manifest part;
  for (snapshot::Entry entry : manifest.entries) {
    if (!entry.path.starts_with(unit + "/")) continue;
    entry.path.erase(0, unit.size() + 1);
    part.entries.push_back(std::move(entry));
  }
  return part;
}

// What it is and all that lies in it, in one text; `.units` has a file with it for each unit.
std::string listing_of(const snapshot::Manifest& manifest, const std::string& unit) {
  snapshot::Manifest part;
  for (const snapshot::Entry& entry : manifest.entries) {
    if (entry.path == unit || entry.path.starts_with(unit + "/")) part.entries.push_back(entry);
  }
  return manifest_text(part);
}

std::string listing_file(const Wanted& wanted, const std::string& unit) {
  blobs::Sha256 hash;
  hash.add(unit);
  return fmt::format("{}/.units/{}", wanted.root, hash.take());
}

// Other steps may be reading it: it is put there once.
bool lies_there(const Wanted& wanted, const snapshot::Manifest& manifest, const std::string& unit) {
  std::error_code wrong;
  return fs::exists(fmt::format("{}/{}", wanted.root, unit), wrong) &&
         store::read_file(listing_file(wanted, unit)) == listing_of(manifest, unit);
}

// It is whole from the moment that it has its name. What an earlier round left there goes. Where
// hosts share the folder, another one may be faster, with the same.
Result<void> put_units(const Wanted& wanted, const std::string& fresh,
                       const snapshot::Manifest& manifest) {
  const std::string code = (wanted.step == "." ? "" : wanted.step + "/") + std::string(kCodeFolder);
  for (const std::string& unit : wanted.units) {
    if (unit != code && lies_there(wanted, manifest, unit)) continue;
    if (auto made = make_way(wanted.root, unit); !made) return made;
    const std::string place = wanted.root + "/" + unit;
    const std::string listed = wanted.record() + "/" + std::string(kManifestFile);
    if (unit == code && !store::replace_file(listed, manifest_text(part_of(manifest, code)))) {
      return cannot("write", listed, last_error());
    }
    process::remove_meanwhile(place);  // it loses its name first: nobody takes half of it for whole
    std::error_code wrong;
    fs::rename(fmt::format("{}/{}", fresh, unit), place, wrong);
    const bool others = wrong == std::errc::directory_not_empty || wrong == std::errc::file_exists;
    if (wrong && !others) return cannot("make", place, wrong);
    fs::create_directory(wanted.root + "/.units", wrong);
    (void)store::replace_file(listing_file(wanted, unit), listing_of(manifest, unit));
  }
  return {};
}

Result<void> lay_out_in(blobs::BlobStore& store, const snapshot::Manifest& manifest,
                        const Wanted& wanted) {
  if (auto made = make_record(wanted.root); !made) return made;
  note_sent(wanted.root, wanted.owner);
  const std::string fresh = fmt::format("{}/.new-{}", wanted.root, probe::random_digits(12));
  auto done = blobs::lay_out(store, manifest, fresh);
  if (done) done = put_units(wanted, fresh, manifest);
  process::remove_meanwhile(fresh);
  return done;
}

std::string lacking_of(const blobs::BlobStore& store, const snapshot::Manifest& manifest) {
  std::string lacking;
  for (const auto& [hash, size] : blobs::contents_of(manifest)) {
    if (!store.has(hash, size)) lacking += fmt::format("{}{}\n", kLacks, hash);
  }
  return lacking;
}

Result<std::string> take_parcel(blobs::BlobStore& store, const Wanted& wanted) {
  const auto hold = store.hold();
  if (!hold) return tl::unexpected(hold.error());
  auto manifest = blobs::read_parcel(STDIN_FILENO, store);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  if (std::string lacking = lacking_of(store, *manifest); !lacking.empty()) return lacking;
  auto done = lay_out_in(store, *manifest, wanted);
  for (const auto& [hash, size] : blobs::contents_of(*manifest)) store.note_use(hash);
  if (done) return std::string(kLaidOut);
  // A blob that was found to be damaged has gone, and can be sent again.
  if (std::string lacking = lacking_of(store, *manifest); !lacking.empty()) return lacking;
  return tl::unexpected(std::move(done.error()));
}

Result<std::string> take_code(const Wanted& wanted, const Invocation& invocation) {
  if (sees(wanted.record(), wanted.mark)) return std::string(kSees);
  const auto cache = blobs::cache_folder(invocation.environment);
  if (!cache) {
    return base::fail(Fault::cannot_start, "set HOME there", "this host has no folder for a cache");
  }
  const auto folder = blobs::own_part_of(*cache, ".blobs", blobs::Use::checked);
  if (!folder) return tl::unexpected(folder.error());
  blobs::BlobStore store(*folder);
  auto answer = take_parcel(store, wanted);
  if (!answer || *answer != kLaidOut) return answer;
  // What is not as large as before has nothing that must go.
  if (store.has_grown()) {
    (void)blobs::trim(*folder, blobs::cache_budget(*cache, invocation.environment));
  }
  (void)remove_host_folders(fs::path(wanted.root).parent_path(), {.untouched = kHostFoldersStay});
  return answer;
}

// Straight to stdout: it may be long.
Result<void> give_outputs(const std::string& record, const std::string& mark) {
  if (sees(record, mark)) {
    (void)store::write_all(STDOUT_FILENO, kSees);
    return {};
  }
  return blobs::written_in(record).and_then([](const blobs::Gathered& written) {
    std::uint64_t bytes = 0;
    for (const auto& [hash, size] : blobs::contents_of(written.manifest)) bytes += size;
    (void)store::write_all(STDOUT_FILENO, to_text(left_behind(written.left_out, bytes)));
    return blobs::write_parcel(STDOUT_FILENO, "the head", written);
  });
}

// What the head knows of its runs; of those that a cut-off list would leave out, some must stay.
Result<HostFolderRules> rules_given() {
  HostFolderRules rules;
  std::string text;
  const bool read = blobs::read_stream(STDIN_FILENO, [&](std::string_view bytes) {
    text += bytes;
    return text.size() <= kRunsMax;
  });
  const bool is_whole = text == kAllSaid || text.ends_with("\n" + std::string(kAllSaid));
  if (!read || !is_whole) {
    return base::fail(Fault::lost, "",
                      "what is known of runs has not come whole; all of them stay");
  }
  for (const std::string& line : base::split(text, "\n")) {
    if (line.starts_with("stay ")) rules.stay.insert(line.substr(5));
    if (line.starts_with("go ")) rules.go.insert(line.substr(3));
  }
  return rules;
}

// Contents and environments have the same bound, each for itself.
blobs::Trimmed trim_caches(const std::vector<std::string>& environment, bool really) {
  const auto cache = blobs::cache_folder(environment);
  if (!cache) return {};
  const std::uint64_t budget = blobs::cache_budget(*cache, environment);
  blobs::Trimmed trimmed = blobs::trim(blobs::blobs_of(*cache), budget, really);
  const blobs::Trimmed more = trim_environments(*cache, budget, kEnvironmentsStay, really);
  trimmed.count += more.count;
  trimmed.bytes += more.bytes;
  return trimmed;
}

Result<std::string> tidy(const std::string& records, const std::string& owner, bool dry_run,
                         const Invocation& invocation) {
  auto rules = rules_given();
  if (!rules) return tl::unexpected(std::move(rules.error()));
  rules->owner = owner;
  rules->untouched = kUnknownRunsStay;
  rules->really = !dry_run;
  const HostFolders folders = remove_host_folders(records, *rules);
  const blobs::Trimmed trimmed = trim_caches(invocation.environment, !dry_run);
  return fmt::format("{}{} {} {} {}\n", kTidied, folders.count, folders.bytes, trimmed.count,
                     trimmed.bytes);
}

Result<void> unpack_file(const std::string& folder, const std::string& from) {
  const process::UniqueFd file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? open_bundle(file.get(), folder) : cannot("read", from, last_error());
}

// NAME=VALUE... COMMAND...: comes back only where the program cannot be executed.
Result<void> become(std::vector<std::string> words) {
  const auto is_word = [](const std::string& word) {
    return word.find('=') == std::string::npos || word.find('/') < word.find('=');
  };
  const auto first = std::ranges::find_if(words, is_word);
  if (first == words.end()) return base::fail(Fault::usage, "", "there is no command");
  for (auto one = words.begin(); one != first; ++one) {
    const std::size_t equals = one->find('=');
    ::setenv(one->substr(0, equals).c_str(), one->c_str() + equals + 1, 1);
  }
  std::vector<char*> arguments;
  for (auto one = first; one != words.end(); ++one) arguments.push_back(one->data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return cannot("start", *first, last_error());
}

// begin FILE|/ FOLDER [NAME=VALUE...] COMMAND...
Result<void> begin(const std::vector<std::string>& words) {
  const auto unpacked = words[1] == "/" ? Result<void>() : unpack_file(words[2], words[1]);
  return unpacked.and_then([&] { return become({words.begin() + 3, words.end()}); });
}

Result<void> copy_program(const std::string& path) {
  const std::string fresh = process::fresh_name(path);
  std::error_code wrong;
  fs::create_directories(fs::path(path).parent_path(), wrong);
  const bool is_whole = process::copy_file("/proc/self/exe", fresh, 0755);
  if (store::put_in_place(fresh, path, is_whole)) return {};
  return cannot("write", path, last_error());
}

int code_of(const Result<void>& done) { return done ? 0 : complain(done.error()); }

}  // namespace

int do_errand(const std::vector<std::string>& words, const Invocation& invocation) {
  const auto is_unit = [](const std::string& unit) { return snapshot::is_inside(unit); };
  const std::string kind = words.size() > 1 && words[1].starts_with('/') ? words[0] : "";
  if (words.size() == 4 && words[0] == "image") {
    return ready_image({words.begin() + 1, words.end()}, invocation.environment);
  }
  if (words.size() == 1 && words[0] == "packages") return make_environment(invocation);
  if (kind == "outputs" && words.size() == 3) {
    return code_of(give_outputs(words[1], words[2]));
  }
  if (kind == "unpack" && words.size() == 2) return code_of(open_bundle(STDIN_FILENO, words[1]));
  if (kind == "begin" && words.size() > 3) return code_of(begin(words));
  if (kind == "program" && words.size() == 2) return code_of(copy_program(words[1]));
  if (kind == "tidy" && (words.size() == 3 || (words.size() == 4 && words[3] == "dry"))) {
    const auto tidied = tidy(words[1], words[2], words.size() == 4, invocation);
    return tidied ? print(*tidied) : complain(tidied.error());
  }
  constexpr std::size_t kUnits = 5;
  if (kind == "code" && words.size() > kUnits &&
      std::all_of(words.begin() + kUnits, words.end(), is_unit)) {
    const auto taken =
        take_code({words[1], words[2], words[3], words[4], {words.begin() + kUnits, words.end()}},
                  invocation);
    return taken ? print(*taken) : complain(taken.error());
  }
  return complain({Fault::usage, "muster errand is for muster itself", {}, {}});
}

}  // namespace muster::cli
