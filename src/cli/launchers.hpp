// LaunchersFolder: what a job's command finds when it starts ranks itself: muster under the names
// of other launchers, and the hostfile of the job.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/request.hpp"
#include "model/job_spec.hpp"

namespace muster::cli {

class LaunchersFolder {
 public:
  // Makes a folder that nobody else can read; it goes with this object.
  [[nodiscard]] static base::Result<LaunchersFolder> make(const front::Launchers& launchers);

  LaunchersFolder(LaunchersFolder&& other) noexcept;
  LaunchersFolder& operator=(LaunchersFolder&&) = delete;
  LaunchersFolder(const LaunchersFolder&) = delete;
  LaunchersFolder& operator=(const LaunchersFolder&) = delete;
  ~LaunchersFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit LaunchersFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Lets the job's command find such a folder. The job's own variables win.
void point_to_launchers(model::JobSpec& spec, const front::Launchers& launchers,
                        const std::string& folder, const std::string& path_variable);

}  // namespace muster::cli
