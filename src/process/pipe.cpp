// Opens pipes with O_CLOEXEC.
#include "process/pipe.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace muster::process {

base::Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return base::fail(base::Fault::internal, "raise the limit of open files (ulimit -n)",
                      "cannot open a pipe: {}", std::strerror(errno));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace muster::process
