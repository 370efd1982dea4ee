// Opens pipes with O_CLOEXEC.
#include "process/pipe.hpp"

#include <cerrno>
#include <fcntl.h>

#include "process/shortage.hpp"

namespace muster::process {

base::Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return tl::unexpected(system_error("cannot open a pipe", errno));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace muster::process
