// Where it lies is as the XDG base directory specification has it.
#include "blobs/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

#include "base/byte_size.hpp"
#include "base/variables.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/unnamed.hpp"
#include "model/retention.hpp"
#include "process/ownership.hpp"

namespace muster::blobs {
namespace {

// Both are closed to others from the start: above them may be a folder of a group, whose group all
// that is made in it gets. Returns why the inner one is not there.
std::error_code make_closed(const std::string& cache, const std::string& folder) {
  std::error_code why;
  std::filesystem::create_directories(std::filesystem::path(cache).parent_path(), why);
  for (const std::string* const path : {&cache, &folder}) {
    const bool is_made = ::mkdir(path->c_str(), 0700) == 0 || errno == EEXIST;
    if (!is_made && !why) why.assign(errno, std::generic_category());
  }
  struct stat found {};
  return ::stat(folder.c_str(), &found) == 0 ? std::error_code() : why;
}

base::Error cannot_make(const std::string& folder, const std::error_code& why) {
  const bool is_full = why == std::errc::no_space_on_device || why.value() == EDQUOT;
  return {base::Fault::cannot_start,
          fmt::format("cannot make {}: {}", folder, why.message()),
          is_full ? "make room there, or set XDG_CACHE_HOME to a folder with more"
                  : "set XDG_CACHE_HOME to a folder that you may write to",
          {}};
}

}  // namespace

std::optional<std::string> cache_folder(const std::vector<std::string>& environment) {
  const std::string cache = base::value_of(environment, "XDG_CACHE_HOME");
  if (cache.starts_with('/')) return cache + "/muster";
  const std::string home = base::value_of(environment, "HOME");
  if (home.starts_with('/')) return home + "/.cache/muster";
  return std::nullopt;
}

base::Result<std::string> own_part_of(const std::string& cache, std::string_view part, Use use) {
  const std::string folder = fmt::format("{}/{}", cache, part);
  const std::error_code missing = make_closed(cache, folder);
  for (const std::string& path : {cache, folder}) {
    const std::string why =
        use == Use::executed ? process::why_not_own(path) : process::why_others(path);
    if (why.empty()) continue;
    return base::fail(base::Fault::cannot_start,
                      "set XDG_CACHE_HOME to a folder of your own, or remove it",
                      "not using {}: {}", path, why);
  }
  if (missing) return tl::unexpected(cannot_make(folder, missing));
  return folder;
}

std::uint64_t cache_budget(const std::string& folder, const std::vector<std::string>& environment) {
  const auto said = base::parse_budget(base::value_of(environment, "MUSTER_CACHE_BUDGET"));
  if (said) return *said;
  constexpr std::uint64_t kMost = 20'000'000'000;
  constexpr std::uint64_t kPart = 10;
  struct statvfs facts {};
  if (::statvfs(folder.c_str(), &facts) != 0 || facts.f_blocks == 0) return kMost;
  return std::min<std::uint64_t>(kMost, facts.f_blocks * facts.f_frsize / kPart);
}

Trimmed trim(const std::string& store, std::uint64_t budget, bool really) {
  const process::UniqueFd alone = BlobStore(store).hold_alone();
  const process::UniqueFd folder(
      ::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!alone || !folder) return {};
  std::vector<std::string> strange;
  std::vector<StoreEntry> entries = stored(folder.get(), strange);
  std::stable_partition(entries.begin(), entries.end(),
                        [](const StoreEntry& entry) { return !entry.is_content; });
  std::vector<model::CachedContent> contents;
  contents.reserve(entries.size());
  for (const StoreEntry& entry : entries) {
    // Leftovers were used before all others.
    contents.push_back({entry.bytes, entry.is_content ? entry.used : decltype(entry.used)::min()});
  }
  std::vector<std::size_t> go = model::least_used(contents, budget);
  const auto left =
      static_cast<std::size_t>(std::ranges::count(entries, false, &StoreEntry::is_content));
  while (go.size() < left) go.push_back(go.size());
  Trimmed trimmed;
  for (const std::size_t i : go) {
    if (really && !remove_stored(folder.get(), entries[i])) continue;
    ++trimmed.count;
    trimmed.bytes += entries[i].bytes;
  }
  return trimmed;
}

}  // namespace muster::blobs
