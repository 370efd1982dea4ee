// A mark of another user's counts as none: it would hide a record from its owner.
#include "store/foreign.hpp"

#include <algorithm>
#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.hpp"

namespace muster::store {
namespace {

constexpr std::size_t kOwnerMax = 4096;

std::string mark_of(const std::string& records, std::string_view run) {
  return fmt::format("{}/{}{}", records, kForeignMark, run);
}

}  // namespace

bool mark_foreign(const std::string& records, const std::string& run, std::string_view owner) {
  return replace_file(mark_of(records, run), fmt::format("{}\n", owner));
}

void unmark_foreign(const std::string& records, const std::string& run) {
  (void)::unlink(mark_of(records, run).c_str());
}

std::string foreign_owner(const std::string& records, std::string_view run) {
  const std::string path = mark_of(records, run);
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || found.st_uid != ::geteuid()) return {};
  std::string owner = read_file(path, kOwnerMax).value_or("");
  owner.resize(std::min(owner.find('\n'), owner.size()));
  return owner.empty() ? "unknown" : owner;
}

std::vector<std::string> foreign_runs(const std::string& records) {
  std::vector<std::string> runs;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(records.c_str()), ::closedir);
  while (const dirent* entry = opened ? ::readdir(opened.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kForeignMark)) continue;
    std::string run(name.substr(kForeignMark.size()));
    if (!foreign_owner(records, run).empty()) runs.push_back(std::move(run));
  }
  std::ranges::sort(runs);
  return runs;
}

}  // namespace muster::store
