// Remembers one number.
#include "process/own_umask.hpp"

#include <optional>
#include <sys/stat.h>

namespace muster::process {
namespace {

std::optional<mode_t>& remembered_umask() {
  static std::optional<mode_t> remembered;
  return remembered;
}

}  // namespace

void settle_umask() {
  const mode_t before = ::umask(0077);
  ::umask((before & ~static_cast<mode_t>(S_IRWXU)) | S_IWOTH);
  remembered_umask() = before;
}

mode_t users_umask() {
  if (remembered_umask()) return *remembered_umask();
  const mode_t now = ::umask(0077);  // the kernel tells it only so
  ::umask(now);
  return now;
}

}  // namespace muster::process
