// LauncherLinks: a folder of links to this program, under the names of the launchers that it stands
// in for: what a job's command finds first on its PATH.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "process/removals.hpp"

namespace muster::host {

class LauncherLinks {
 public:
  // A new temporary folder that no other user can write to; it goes with this object.
  [[nodiscard]] static base::Result<LauncherLinks> make(process::Removals& removals);
  [[nodiscard]] base::Result<void> add(const std::vector<std::string>& names);

  LauncherLinks(LauncherLinks&& other) noexcept;
  LauncherLinks& operator=(LauncherLinks&&) = delete;
  LauncherLinks(const LauncherLinks&) = delete;
  LauncherLinks& operator=(const LauncherLinks&) = delete;
  ~LauncherLinks();

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  LauncherLinks(process::Removals& removals, std::string folder)
      : removals_(removals), folder_(std::move(folder)) {}

  process::Removals& removals_;
  std::string folder_;
};

}  // namespace muster::host
