// Links in the record.
#include "cli/downloads.hpp"

#include <filesystem>

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

base::Result<void> link_inputs(const std::vector<front::DataPath>& data) {
  for (const front::DataPath& one : data) {
    std::error_code wrong;
    if (one.from.empty()) continue;
    if (!fs::exists(one.from, wrong)) {
      return base::fail(base::Fault::bad_file, "mode: download takes it from this machine",
                        "the input {} is not there", one.from);
    }
    fs::create_directories(fs::path(one.path).parent_path(), wrong);
    fs::create_symlink(one.from, one.path, wrong);
    if (!wrong || wrong == std::errc::file_exists) continue;
    return base::fail(base::Fault::output, "", "cannot make {}: {}", one.path, wrong.message());
  }
  return {};
}

}  // namespace muster::cli
