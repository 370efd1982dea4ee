// FolderSearch: the folders in a folder, and those in them, found a few at a time. Others may fill
// these folders faster than they can be listed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

class FolderSearch {
 public:
  using Enters = std::function<bool(std::string_view name)>;
  using Found = std::function<void(const std::string& path)>;  // "NAME" or "NAME/NAME"

  // `folder` need not be there yet. `enters`: those whose own folders are looked for, too.
  FolderSearch(std::string folder, Enters enters)
      : folder_(std::move(folder)), enters_(std::move(enters)) {}

  // Looks at as many entries as there are left, of which links are none. True: it has seen all; the
  // next call begins anew.
  [[nodiscard]] bool go_on(std::size_t& entries, const Found& found);
  // Anew.
  void begin() { levels_.clear(); }

 private:
  struct Level {
    std::string path;  // below the folder; with a slash at its end, or empty
    std::filesystem::directory_iterator at;
  };
  void enter(const std::string& path);
  void look_at(const std::filesystem::directory_entry& entry, const Found& found);

  std::string folder_;
  Enters enters_;
  std::vector<Level> levels_;  // none: it has not begun
  std::size_t seen_ = 0;       // entries, since it has begun
};

}  // namespace muster::store
