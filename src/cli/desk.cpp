// A folder of this user's alone, among the temporary ones.
#include "cli/desk.hpp"

#include <filesystem>
#include <stdlib.h>

namespace muster::cli {

Desk::Desk() {
  std::error_code wrong;
  std::string name =
      (std::filesystem::temp_directory_path(wrong) / "muster-errand-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

Desk::~Desk() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace muster::cli
