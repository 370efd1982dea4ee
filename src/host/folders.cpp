// mkdir -p.
#include "host/folders.hpp"

#include <filesystem>
#include <system_error>

namespace muster::host {

base::Result<void> make_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code wrong;
    std::filesystem::create_directories(folder, wrong);
    if (!wrong) continue;
    return base::fail(base::Fault::cannot_start, "outputs.NAME.path says where else it may be",
                      "cannot make the folder {}: {}", folder, wrong.message());
  }
  return {};
}

}  // namespace muster::host
