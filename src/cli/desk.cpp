// A folder of this user's alone, among the temporary ones.
#include "cli/desk.hpp"

#include <filesystem>
#include <stdlib.h>

#include "process/heard_meanwhile.hpp"

namespace muster::cli {

Desk::Desk() {
  std::error_code wrong;
  std::string name =
      (std::filesystem::temp_directory_path(wrong) / "muster-errand-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

Desk::~Desk() {
  if (!path_.empty()) process::remove_meanwhile(path_);
}

}  // namespace muster::cli
