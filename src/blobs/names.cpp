// readdir, and a heap of what it says.
#include "blobs/names.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace muster::blobs {
namespace {

constexpr std::size_t kAskedEachNames = 256;  // less than a millisecond

}  // namespace

std::optional<Names> Names::in(const std::string& folder, const GoesOn& goes_on) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return std::nullopt;
  Names found;
  errno = 0;
  while (const dirent* entry = ::readdir(opened.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const bool asks = found.names_.size() % kAskedEachNames == 0;
    if (asks && is_given_up(goes_on)) {
      errno = ECANCELED;
      return std::nullopt;
    }
    found.names_.emplace_back(name);
    std::ranges::push_heap(found.names_, std::ranges::greater());
    errno = 0;
  }
  if (errno != 0) return std::nullopt;
  return found;
}

std::string Names::take() {
  std::ranges::pop_heap(names_, std::ranges::greater());
  std::string first = std::move(names_.back());
  names_.pop_back();
  return first;
}

}  // namespace muster::blobs
