// Writes the file, and looks for it as long as the head lives.
#include "cli/stop_wish.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "process/lookout.hpp"
#include "process/unique_fd.hpp"
#include "store/files.hpp"
#include "store/taken_over.hpp"

namespace muster::cli {
namespace {

constexpr base::Duration kLookEvery{500};

// NFS looks at a folder anew when that is opened, and may else be half a minute late.
bool is_wished(const std::string& folder) {
  const process::UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && ::faccessat(opened.get(), store::kJobStop, F_OK, 0) == 0;
}

}  // namespace

base::Result<void> wish_stop(const std::string& folder) {
  if (store::write_file(folder + "/" + store::kJobStop, "")) return {};
  return base::fail(base::Fault::output, "", "cannot write {}/{}: {}", folder, store::kJobStop,
                    std::strerror(errno));
}

base::Result<void> hear_stop_wish(const std::string& folder) {
  (void)::unlink((folder + "/" + store::kJobStop).c_str());
  return process::interrupt_when([folder] { return is_wished(folder); }, kLookEvery);
}

}  // namespace muster::cli
