// Writes, again and again.
#include "process/write_all.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace muster::process {

Written write_all(int file, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
    if (put >= 0) {
      done += static_cast<std::size_t>(put);
    } else if (errno == EAGAIN) {  // who gave us the descriptor has made it so
      pollfd room{file, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return {done, errno};
    }
  }
  return {done, 0};
}

}  // namespace muster::process
