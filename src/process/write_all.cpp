// Writes, again and again.
#include "process/write_all.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

#include "process/signal_mask.hpp"

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

Written write_unless_signalled(int file, std::string_view bytes) {
  const UniqueFd signals = sight_of_signals();
  Written all;
  while (all.bytes < bytes.size() && all.error == 0) {
    std::array<pollfd, 2> wanted = {{{file, POLLOUT, 0}, {signals.get(), POLLIN, 0}}};
    if (::poll(wanted.data(), wanted.size(), kForEver) < 0) continue;
    if (wanted[0].revents == 0) return {all.bytes, ECANCELED};
    // A pipe that is ready takes so much without blocking (pipe(7)).
    const Written piece = write_all(file, bytes.substr(all.bytes, PIPE_BUF));
    all = {all.bytes + piece.bytes, piece.error};
  }
  return all;
}

}  // namespace muster::process
