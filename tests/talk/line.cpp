// Polls both ways at once.
#include "talk/line.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::talk {
namespace {

constexpr int kSendPatience = 1000;  // ms
constexpr std::size_t kWaitingMax = 64u << 20;

}  // namespace

SocketLine::SocketLine(process::UniqueFd in, process::UniqueFd out)
    : in_(std::move(in)), out_(std::move(out)) {
  for (const int fd : {in_.get(), out_.get()}) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
}

void SocketLine::poll(bool to_send, int milliseconds) {
  std::array<pollfd, 2> watched{};
  watched[0] = {ended_ ? -1 : in_.get(), POLLIN, 0};
  watched[1] = {to_send ? out_.get() : -1, POLLOUT, 0};
  ::poll(watched.data(), watched.size(), milliseconds);
  if (watched[0].revents != 0) read_some();
}

void SocketLine::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(in_.get(), buffer.data(), buffer.size());
  if (got > 0) waiting_.append(buffer.data(), static_cast<std::size_t>(got));
  const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
  if ((got <= 0 && !later) || waiting_.size() > kWaitingMax) ended_ = true;
}

void SocketLine::send(std::string_view bytes) {
  int idle = 0;
  while (!bytes.empty() && out_ && idle < kSendPatience) {
    const ssize_t put = ::write(out_.get(), bytes.data(), bytes.size());
    if (put > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
      idle = 0;
      continue;
    }
    if (put < 0 && errno != EAGAIN && errno != EINTR) return end_sending();
    constexpr int kWait = 20;
    poll(true, kWait);
    idle += kWait;
  }
}

std::string SocketLine::take(int milliseconds) {
  if (waiting_.empty() && !ended_) poll(false, milliseconds);
  return std::exchange(waiting_, {});
}

void SocketLine::end_sending() {
  if (out_) ::shutdown(out_.get(), SHUT_WR);
  out_.reset();
}

}  // namespace muster::talk
