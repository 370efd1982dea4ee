// Knows the names that muster gives to what is only there for a while.
#include "store/leftovers.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/fresh_file.hpp"
#include "process/tree.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/foreign.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"
#include "store/removed.hpp"

namespace muster::store {
namespace {

using process::FileKind;
using process::FolderEntry;

// A process may stand between making a folder and locking a file in it.
constexpr std::chrono::hours kYoung{1};

process::UniqueFd open_path(const std::string& path) {
  return process::UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool is_young(const FolderEntry& entry) {
  return std::chrono::system_clock::now() - entry.modified < kYoung;
}

bool is_locked(const std::string& folder) {
  const process::UniqueFd events = open_events(folder);
  return events && holder_of(events.get()).has_value();
}

// That was to take the place of another; see process::FreshFile.
bool is_half_file(const FolderEntry& entry) {
  return entry.kind == FileKind::file && process::is_fresh_name(entry.name) && !is_young(entry);
}

bool is_our_own(const FolderEntry& entry) {
  const std::string_view name = entry.name;
  if (entry.kind == FileKind::file)
    return name == kRemovedFile || name == kCheckpointsLock || name.starts_with(kForeignMark) ||
           name.starts_with(".index.sqlite") ||
           (process::is_fresh_name(entry.name) && is_young(entry));  // is being written
  return entry.kind == FileKind::folder &&
         (name == ".blobs" || name == ".steps" || name == ".queued" || name == ".registered" ||
          name == ".fetched" || name == kPlacedOutputs);
}

class Search {
 public:
  explicit Search(std::string records) : records_(std::move(records)) {}

  void all(const std::vector<std::string>& ended) {
    const process::UniqueFd folder = open_path(records_);
    for (const FolderEntry& entry : process::entries_of(folder.get())) {
      if (entry.owner != ::geteuid() || is_our_own(entry)) continue;
      const bool is_folder = entry.kind == FileKind::folder;
      if (is_half_file(entry) || (is_folder && entry.name.starts_with(".gone-"))) {
        found_.paths.push_back(entry.name);
      } else if (is_folder && entry.name.starts_with(".new-")) {
        add_half(entry, entry.name);
      } else if (!is_folder || !is_run_name(entry.name)) {
        found_.strange.push_back(entry.name);
      } else if (std::ranges::binary_search(ended, entry.name)) {
        look_into(folder.get(), entry.name, entry.name, 0);
      }
    }
    for (const std::string_view beside : {std::string_view(".fetched"), kPlacedOutputs}) {
      look_for_halves(folder.get(), std::string(beside));
    }
    look_at_offers(folder.get());
    look_at_queued(folder.get());
    look_at_marks(folder.get());
  }
  Leftovers take() { return std::move(found_); }

 private:
  void add_half(const FolderEntry& entry, const std::string& path) {
    if (is_young(entry) || is_locked(records_ + "/" + path)) return;
    found_.paths.push_back(path);
  }

  // What is there only while a run's files are sent or fetched, and half records of steps.
  void look_into(int at, const std::string& name, const std::string& path, int depth) {
    constexpr int kStepsDeep = 16;
    const process::UniqueFd record = process::open_folder(at, name);
    for (const FolderEntry& entry : process::entries_of(record.get())) {
      const bool is_folder = entry.kind == FileKind::folder;
      const bool goes = entry.name == ".travel" || entry.name.find(".gone-") != std::string::npos;
      const bool is_ours = (is_folder && goes) || is_half_file(entry) ||
                           (entry.kind == FileKind::file && entry.name == "mark");
      const std::string its = path + "/" + entry.name;
      if (is_ours && !is_locked(records_ + "/" + path)) found_.paths.push_back(its);
      if (is_folder && entry.name == "steps" && depth < kStepsDeep) {
        look_into_steps(record.get(), its, depth);
      }
    }
  }

  void look_into_steps(int record, const std::string& path, int depth) {
    const process::UniqueFd steps = process::open_folder(record, "steps");
    for (const FolderEntry& entry : process::entries_of(steps.get())) {
      if (entry.kind != FileKind::folder) continue;
      const std::string its = path + "/" + entry.name;
      if (entry.name.starts_with(".new-")) {
        add_half(entry, its);
      } else {
        look_into(steps.get(), entry.name, its, depth + 1);
      }
    }
  }

  // Older musters called the file that was to become an offer OFFER.new.
  void look_at_offers(int folder) {
    const process::UniqueFd offers = process::open_folder(folder, ".steps");
    for (const FolderEntry& entry : process::entries_of(offers.get())) {
      const bool is_old = entry.kind == FileKind::file && entry.name.ends_with(".new");
      const bool goes = is_half_file(entry) || (is_old && !is_young(entry));
      if (goes) found_.paths.push_back(".steps/" + entry.name);
    }
  }

  void look_for_halves(int records, const std::string& name) {
    const process::UniqueFd folder = process::open_folder(records, name);
    for (const FolderEntry& entry : process::entries_of(folder.get())) {
      if (is_half_file(entry)) found_.paths.push_back(name + "/" + entry.name);
    }
  }

  // Links to the records of runs that a scheduler may queue again.
  void look_at_queued(int folder) {
    const process::UniqueFd queued = process::open_folder(folder, ".queued");
    for (const FolderEntry& entry : process::entries_of(queued.get())) {
      struct stat facts {};
      const bool leads = ::fstatat(queued.get(), entry.name.c_str(), &facts, 0) == 0;
      const bool is_link = entry.kind == FileKind::other;
      if (is_link && !leads) found_.paths.push_back(".queued/" + entry.name);
    }
  }

  // Of records that have gone.
  void look_at_marks(int folder) {
    for (const FolderEntry& entry : process::entries_of(folder)) {
      if (!entry.name.starts_with(kForeignMark) || entry.owner != ::geteuid()) continue;
      const std::string run = entry.name.substr(kForeignMark.size());
      const bool is_there = ::faccessat(folder, run.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
      if (!is_there && !is_young(entry)) found_.paths.push_back(entry.name);
    }
  }

  std::string records_;
  Leftovers found_;
};

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, wrong] = std::from_chars(text.data(), end, value);
  if (wrong != std::errc() || after == end || *after != '\n') return std::nullopt;
  return value;
}

}  // namespace

Leftovers leftovers_in(const std::string& records, const std::vector<std::string>& ended) {
  Search search(records);
  search.all(ended);
  return search.take();
}

bool is_of_records(const std::string& folder) {
  const process::UniqueFd opened = open_path(folder);
  const auto entries = process::entries_of(opened.get());
  const auto is_ours = [&](const FolderEntry& entry) {
    const std::string path = folder + "/" + entry.name;
    return is_our_own(entry) ||
           (is_run_name(entry.name) &&
            (open_file(path + "/spec.json") || open_file(fmt::format("{}/{}", path, kSentFile))));
  };
  return entries.empty() || std::ranges::any_of(entries, is_ours);
}

std::uint64_t record_bytes(int records, const std::string& run, bool has_ended, bool anew) {
  constexpr std::size_t kNumber = 32;
  const process::UniqueFd folder = process::open_folder(records, run);
  const process::UniqueFd kept(
      ::openat(folder.get(), kBytesFile.data(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string text(kNumber, '\0');
  const ssize_t size = kept ? ::read(kept.get(), text.data(), text.size()) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  if (const auto known = number_in(text); known && has_ended && !anew) return *known;
  const std::uint64_t bytes = process::bytes_of(records, run);
  if (!has_ended) return bytes;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const process::UniqueFd fresh(::openat(folder.get(), kBytesFile.data(), kFlags, 0600));
  if (fresh) (void)write_all(fresh.get(), fmt::format("{}\n", bytes));
  return bytes;
}

}  // namespace muster::store
