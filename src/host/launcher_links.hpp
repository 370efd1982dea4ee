// LauncherLinks: a folder of links to this program, under the names of the launchers that it stands
// in for: what a job's command finds first on its PATH.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::host {

class LauncherLinks {
 public:
  // A new temporary folder that no other user can write to; it goes with this object.
  [[nodiscard]] static base::Result<LauncherLinks> make();
  [[nodiscard]] base::Result<void> add(const std::vector<std::string>& names);

  LauncherLinks(LauncherLinks&& other) noexcept;
  LauncherLinks& operator=(LauncherLinks&&) = delete;
  LauncherLinks(const LauncherLinks&) = delete;
  LauncherLinks& operator=(const LauncherLinks&) = delete;
  ~LauncherLinks();

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  explicit LauncherLinks(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

}  // namespace muster::host
