// Hashes names and contents in one order; folders within each other take no stack.
#include "blobs/fingerprint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

#include "blobs/depth.hpp"
#include "blobs/files.hpp"
#include "blobs/names.hpp"
#include "blobs/sha256.hpp"
#include "blobs/survey.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using base::Result;

tl::unexpected<base::Error> cannot_hash(const fs::path& path, std::string_view why) {
  return base::fail(base::Fault::bad_file, "", "cannot read {}: {}", path.string(), why);
}

mode_t mode_of(const fs::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode : 0;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

bool is_before(const timespec& one, const timespec& other) {
  return one.tv_sec != other.tv_sec ? one.tv_sec < other.tv_sec : one.tv_nsec < other.tv_nsec;
}

enum class Of : std::uint8_t { contents, facts };

class Hasher {
 public:
  Hasher(Of what, LeadsOutLinks links, const GoesOn& goes_on)
      : what_(what), links_(links), goes_on_(goes_on) {}

  // `real`: without links on its way.
  Result<void> add_all(const fs::path& real) {
    if (auto added = add_root(real, 0); !added) return added;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.inside.empty()) {
        head("end", "");
        levels_.pop_back();
        continue;
      }
      const std::string name = level.inside.take();
      const fs::path one = level.path / name;
      std::error_code wrong;
      auto added = add(one, name, fs::symlink_status(one, wrong), level.depth + 1);
      if (!added) return added;
    }
    return {};
  }

  std::string take() { return hash_.take(); }
  [[nodiscard]] const timespec& newest() const { return newest_; }

 private:
  // A folder that is being hashed.
  struct Level {
    fs::path path;
    Names inside;  // that have not been hashed yet
    std::size_t depth;
  };

  // The first root is what is asked for.
  Result<void> add_root(const fs::path& real, std::size_t depth) {
    std::error_code wrong;
    roots_.push_back(real);
    return add(real, "", fs::status(real, wrong), depth);
  }

  Result<void> add(const fs::path& path, std::string_view name, fs::file_status status,
                   std::size_t depth) {
    if (is_given_up(goes_on_)) return given_up();
    switch (status.type()) {
      case fs::file_type::regular:
        return add_file(path, name, status);
      case fs::file_type::directory:
        return add_folder(path, name, status, depth);
      case fs::file_type::symlink:
        return add_link(path, name, depth);
      default:
        return cannot_hash(path, fmt::format("it is {}", odd_kind(mode_of(path))));
    }
  }

  // Lengths keep one name from running into the next.
  void head(std::string_view kind, std::string_view name) {
    hash_.add(fmt::format("{} {} {}\n", kind, name.size(), name));
  }

  static std::string with_mode(std::string_view kind, fs::file_status status) {
    return fmt::format("{} {:o}", kind, unsigned(status.permissions() & fs::perms::all));
  }

  Result<void> add_file(const fs::path& path, std::string_view name, fs::file_status status) {
    if (++count_ > snapshot::kEntriesMax) return cannot_hash(path, "there are too many files");
    head(with_mode("file", status), name);
    if (what_ == Of::facts) return add_facts(path);
    return file_hash(path, goes_on_).map([&](const std::string& own) { hash_.add(own); });
  }

  // NFS asks its server anew when a file is opened.
  Result<void> add_facts(const fs::path& path) {
    const process::UniqueFd file = open_regular(path);
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) return cannot_hash(path, std::strerror(errno));
    head(fmt::format("facts {} {} {} {}.{} {}.{}", facts.st_dev, facts.st_ino, facts.st_size,
                     facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec,
                     facts.st_ctim.tv_nsec),
         "");
    if (is_before(newest_, facts.st_ctim)) newest_ = facts.st_ctim;
    return {};
  }

  Result<void> add_link(const fs::path& path, std::string_view name, std::size_t depth) {
    std::error_code wrong;
    const std::string target = fs::read_symlink(path, wrong);
    if (wrong) return cannot_hash(path, wrong.message());
    head("link", name);
    head("to", target);
    return links_ == LeadsOutLinks::as_they_are ? Result<void>() : add_target(path, depth);
  }

  // What lies in a folder that is hashed anyway is not hashed once more: no circle goes on for
  // ever.
  Result<void> add_target(const fs::path& link, std::size_t depth) {
    std::error_code wrong;
    const fs::path real = fs::canonical(link, wrong);
    const bool is_inside = lies_below(real, roots_.front());
    const fs::path shown = is_inside ? real.lexically_relative(roots_.front()) : real;
    head("leads to", shown.string());
    const auto has = [&](const fs::path& root) { return lies_below(real, root); };
    if (wrong || std::ranges::any_of(roots_, has)) return {};
    return add_root(real, depth + 1);
  }

  Result<void> add_folder(const fs::path& path, std::string_view name, fs::file_status status,
                          std::size_t depth) {
    if (depth > kFoldersDeep) return cannot_hash(cut_path(path.string()), kTooDeep);
    auto inside = Names::in(path, goes_on_);
    if (!inside && errno == ECANCELED) return given_up();
    if (!inside) return cannot_hash(path, std::strerror(errno));
    head(with_mode("folder", status), name);
    levels_.push_back({path, std::move(*inside), depth});
    return {};
  }

  Of what_;
  LeadsOutLinks links_;
  const GoesOn& goes_on_;
  timespec newest_{};
  std::vector<fs::path> roots_;  // of what has been, or is being, hashed
  std::vector<Level> levels_;
  std::size_t count_ = 0;
  Sha256 hash_;
};

}  // namespace

Result<std::string> file_hash(const std::string& path, const GoesOn& goes_on) {
  const process::UniqueFd file = open_regular(path);
  auto own = file ? hash_of(file.get(), goes_on) : std::nullopt;
  if (own) return std::move(*own);
  const int error = errno;
  if (is_given_up(goes_on)) return given_up();
  return cannot_hash(path, std::strerror(error));
}

Result<std::string> fingerprint(const std::string& path, LeadsOutLinks links,
                                const GoesOn& goes_on) {
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  if (wrong) return cannot_hash(path, wrong.message());
  Hasher hasher(Of::contents, links, goes_on);
  return hasher.add_all(real).map([&] { return hasher.take(); });
}

// A time without a part of a second is one of a file system that tells seconds, or two of them
// (FAT). Others take it from a clock that ticks at least a hundred times a second.
bool Stamp::is_settled(const timespec& now) const {
  constexpr long kTicks = 100'000'000;  // ns
  timespec sure = newest;
  if (newest.tv_nsec == 0) {
    sure.tv_sec += 3;
  } else if ((sure.tv_nsec += kTicks) >= 1'000'000'000) {
    ++sure.tv_sec;
    sure.tv_nsec -= 1'000'000'000;
  }
  return is_before(sure, now);
}

std::optional<Stamp> stamp(const std::string& path, LeadsOutLinks links, const GoesOn& goes_on) {
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  Hasher hasher(Of::facts, links, goes_on);
  if (wrong || !hasher.add_all(real)) return std::nullopt;
  return Stamp{hasher.take(), hasher.newest()};
}

}  // namespace muster::blobs
