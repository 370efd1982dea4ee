// Walks over a folder, name by name in their order; folders within each other take no stack.
#include "blobs/survey.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_size.hpp"
#include "blobs/depth.hpp"
#include "blobs/files.hpp"
#include "blobs/names.hpp"
#include "snapshot/ignore.hpp"
#include "snapshot/paths.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;
using snapshot::Entry;
using snapshot::EntryKind;

constexpr std::size_t kIgnoreFileMax = 1 << 20;
constexpr std::string_view kHintIgnore = "leave it out: name it in .amlignore or .gitignore";

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

std::string target_of(const std::string& link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

// The rules of a folder's ignore file; `depth` is that folder's path, "" for the root.
struct Rules {
  std::string folder;
  snapshot::IgnoreRules rules;
};

class Walk {
 public:
  Walk(std::string root, const SurveyOptions& options)
      : root_(std::move(root)), everything_(options.everything), goes_on_(options.goes_on) {
    real_root_ = real_path(root_).value_or(root_);
    struct stat facts {};
    if (!options.excluded.empty() && ::stat(options.excluded.c_str(), &facts) == 0) {
      excluded_ = facts;
    }
  }

  Result<Survey> go() {
    every_folder_ = !everything_;
    if (auto text = read_small("/.amlignore"); text && !everything_) {
      rules_.push_back({"", snapshot::IgnoreRules(*text)});
      every_folder_ = false;
    }
    if (auto done = walk(); !done) return tl::unexpected(done.error());
    std::ranges::sort(survey_.manifest.entries, {}, &Entry::path);
    return std::move(survey_);
  }

 private:
  [[nodiscard]] std::string place_of(const std::string& path) const {
    return path.empty() ? root_ : root_ + "/" + path;
  }

  [[nodiscard]] std::optional<std::string> read_small(const std::string& path) const {
    return read_whole(root_ + path, kIgnoreFileMax);
  }

  [[nodiscard]] tl::unexpected<base::Error> cannot_read(const std::string& path) const {
    const int error = errno;
    return base::fail(Fault::bad_file, std::string(path.empty() ? "" : kHintIgnore),
                      "cannot read the code in {}: {}", place_of(path), std::strerror(error));
  }

  // A folder that the walk is in.
  struct Level {
    std::string folder;
    Names names;         // that have not been seen yet
    std::size_t before;  // how many rules come from the folders above
  };

  Result<void> walk() {
    if (auto entered = enter(""); !entered) return entered;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.names.empty()) {
        rules_.resize(level.before);
        levels_.pop_back();
        continue;
      }
      if (is_given_up(goes_on_)) return given_up();
      const std::string name = level.names.take();
      if (name == ".git" && !everything_) continue;
      if (auto seen = see(joined(level.folder, name)); !seen) return seen;
    }
    return {};
  }

  Result<void> enter(const std::string& folder) {
    if (levels_.size() > kFoldersDeep) return too_deep(folder);
    auto names = Names::in(place_of(folder), goes_on_);
    if (!names && errno == ECANCELED) return given_up();
    if (!names) return everything_ ? pass_over(folder) : cannot_read(folder);
    const std::size_t before = rules_.size();
    if (every_folder_) {
      const auto text = read_small((folder.empty() ? "" : "/" + folder) + "/.gitignore");
      if (text) rules_.push_back({folder, snapshot::IgnoreRules(*text)});
    }
    levels_.push_back({folder, std::move(*names), before});
    return {};
  }

  Result<void> too_deep(const std::string& path) {
    if (!everything_) {
      return base::fail(Fault::bad_file, std::string(kHintIgnore), "cannot read the code in {}: {}",
                        cut_path(place_of(path)), kTooDeep);
    }
    leave_out(cut_path(path), kTooDeep, true);
    return {};
  }

  // It cannot be read, or has gone.
  Result<void> pass_over(const std::string& path) {
    if (errno != ENOENT) leave_out(path, word_of_error(errno), true);
    return {};
  }

  // The nearest ignore file that speaks of it decides.
  [[nodiscard]] bool is_ignored(const std::string& path, bool is_folder) const {
    for (auto rules = rules_.rbegin(); rules != rules_.rend(); ++rules) {
      const std::size_t skipped = rules->folder.empty() ? 0 : rules->folder.size() + 1;
      const auto verdict =
          rules->rules.leaves_out(std::string_view(path).substr(skipped), is_folder);
      if (verdict) return *verdict;
    }
    return false;
  }

  [[nodiscard]] bool is_excluded(const struct stat& facts) const {
    return excluded_ && facts.st_dev == excluded_->st_dev && facts.st_ino == excluded_->st_ino;
  }

  Result<void> see(const std::string& path) {
    struct stat facts {};
    if (::lstat(place_of(path).c_str(), &facts) != 0) {
      return errno == ENOENT || everything_ ? pass_over(path) : cannot_read(path);
    }
    if (is_ignored(path, S_ISDIR(facts.st_mode)) || is_excluded(facts)) return {};
    if (!snapshot::is_inside(path)) {
      const bool holds = S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
      leave_out(path, "a name with control characters, or too long", holds);
      return {};
    }
    if (survey_.manifest.entries.size() == snapshot::kEntriesMax) {
      return base::fail(Fault::bad_file, std::string(kHintIgnore),
                        "the code in {} has more than {} files", root_, snapshot::kEntriesMax);
    }
    return take(path, facts);
  }

  Result<void> take(const std::string& path, const struct stat& facts) {
    const std::uint32_t mode = facts.st_mode & 0777;
    if (S_ISDIR(facts.st_mode)) {
      add({EntryKind::folder, path, mode});
      return enter(path);
    }
    if (S_ISLNK(facts.st_mode)) {
      take_link(path);
    } else if (S_ISREG(facts.st_mode)) {
      const std::int64_t modified =
          facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
      add({EntryKind::file, path, mode, static_cast<std::uint64_t>(facts.st_size), modified});
    } else {
      leave_out(path, odd_kind(facts.st_mode));
    }
    return {};
  }

  // Where a link leads is not asked as long as its words stay inside. One to nothing leads to where
  // its words do.
  void take_link(const std::string& path) {
    Entry entry{EntryKind::link, path};
    entry.target = target_of(place_of(path));
    if (!everything_ && !snapshot::link_stays(path, entry.target)) {
      const fs::path there = fs::path(real_root_) / snapshot::parent_of(path) / entry.target;
      entry.target = real_path(there).value_or(there.lexically_normal());
      if ((entry.target + "/").starts_with(real_root_ + "/")) {
        entry.target.replace(0, std::min(real_root_.size() + 1, entry.target.size()),
                             snapshot::way_up(path));
        if (entry.target.empty()) entry.target = ".";  // the folder itself, from its top
      } else {
        survey_.leads_out.push_back({path, entry.target});
      }
    }
    if (entry.target.empty() || !snapshot::is_plain(entry.target)) {
      return leave_out(path, "a link to a name with control characters");
    }
    add(std::move(entry));
  }

  void add(Entry entry) { survey_.manifest.entries.push_back(std::move(entry)); }
  void leave_out(const std::string& path, std::string_view why, bool holds = false) {
    survey_.left_out.push_back({path, why, holds});
  }

  std::string root_;
  std::string real_root_;
  std::optional<struct stat> excluded_;
  std::vector<Rules> rules_;  // of the folders above, the root first
  std::vector<Level> levels_;
  bool everything_;
  const GoesOn& goes_on_;
  bool every_folder_ = true;  // may have an ignore file
  Survey survey_;
};

// The bytes below each entry of the root, the largest first.
std::vector<std::pair<std::string, std::uint64_t>> largest(const snapshot::Manifest& manifest) {
  std::map<std::string, std::uint64_t> bytes;
  for (const Entry& entry : manifest.entries) {
    bytes[entry.path.substr(0, entry.path.find('/'))] += entry.size;
  }
  std::vector<std::pair<std::string, std::uint64_t>> sorted(bytes.begin(), bytes.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &std::pair<std::string, std::uint64_t>::second);
  return sorted;
}

}  // namespace

std::string_view odd_kind(mode_t mode) {
  if (S_ISFIFO(mode)) return "a fifo";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string_view word_of_error(int error) {
  const bool denied = error == EACCES || error == EPERM;
  return denied ? "no permission to read it" : ::strerrordesc_np(error);
}

Result<Survey> survey(const std::string& folder, const SurveyOptions& options) {
  return Walk(folder, options).go();
}

Result<void> check_limit(const Survey& survey, const std::string& folder, std::uint64_t limit) {
  const std::uint64_t bytes = extent_of(survey.manifest).bytes;
  if (bytes <= limit) return {};
  constexpr std::size_t kNamed = 3;
  std::string names;
  const auto entries = largest(survey.manifest);
  for (std::size_t i = 0; i < std::min(kNamed, entries.size()); ++i) {
    names += fmt::format("{}{} ({})", i == 0 ? "" : ", ", entries[i].first,
                         base::byte_words(entries[i].second));
  }
  return base::fail(Fault::bad_file,
                    "leave out what the job does not need in .amlignore or .gitignore, raise the "
                    "limit with --snapshot-limit SIZE, or run in the folder itself with "
                    "--no-snapshot",
                    "the code in {} has {}, more than the {} of a snapshot; the largest: {}",
                    folder, base::byte_words(bytes), base::byte_words(limit), names);
}

}  // namespace muster::blobs
