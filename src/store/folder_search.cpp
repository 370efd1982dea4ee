// Keeps the places in the folders that it is listing.
#include "store/folder_search.hpp"

#include <system_error>

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// Some times what the largest job makes; whoever makes more need not be found as a whole.
constexpr std::size_t kSearchedMax = 200'000;

}  // namespace

void FolderSearch::enter(const std::string& path) {
  std::error_code wrong;
  fs::directory_iterator at(folder_ + "/" + path, wrong);
  if (!wrong) levels_.push_back({path, std::move(at)});
}

void FolderSearch::look_at(const fs::directory_entry& entry, const Found& found) {
  std::error_code gone;
  if (!entry.is_directory(gone) || entry.is_symlink(gone)) return;
  const std::string name = entry.path().filename().string();
  const std::string path = levels_.back().path + name;
  found(path);
  if (levels_.size() == 1 && enters_(name)) enter(path + "/");
}

bool FolderSearch::go_on(std::size_t& entries, const Found& found) {
  if (levels_.empty()) {
    seen_ = 0;
    enter("");
  }
  while (!levels_.empty() && seen_ < kSearchedMax) {
    fs::directory_iterator& at = levels_.back().at;
    if (at == fs::directory_iterator()) {
      levels_.pop_back();
      continue;
    }
    if (entries == 0) return false;
    --entries;
    ++seen_;
    const fs::directory_entry entry = *at;
    std::error_code wrong;
    at.increment(wrong);  // to the end, if it cannot go on
    look_at(entry, found);
  }
  begin();
  return true;
}

}  // namespace muster::store
