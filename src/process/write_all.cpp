// Writes, again and again.
#include "process/write_all.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace muster::process {

namespace {

constexpr int kForEver = -1;

Written write_out(int file, std::string_view bytes, int patience_ms) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
    if (put >= 0) {
      done += static_cast<std::size_t>(put);
    } else if (errno == EAGAIN) {  // who gave us the descriptor has made it so
      pollfd room{file, POLLOUT, 0};
      if (::poll(&room, 1, patience_ms) == 0) return {done, ETIMEDOUT};
    } else if (errno != EINTR) {
      return {done, errno};
    }
  }
  return {done, 0};
}

}  // namespace

Written write_all(int file, std::string_view bytes) { return write_out(file, bytes, kForEver); }

Written write_while_read(int file, std::string_view bytes, base::Duration patience) {
  return write_out(file, bytes, static_cast<int>(patience.count()));
}

}  // namespace muster::process
