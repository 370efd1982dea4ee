// Sends orders and their descriptors as far as the socket takes them.
#include "process/order_queue.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/socket.h>

#include "base/check.hpp"
#include "process/task_descriptors.hpp"

namespace muster::process {
namespace {

constexpr std::size_t max_queue_size = std::size_t{64} << 20;

// Returns the bytes taken, or a negative errno. The descriptors go with the first byte.
ssize_t send_part(int socket, std::string_view bytes, std::span<const int> descriptors) {
  CHECK(descriptors.size() <= kTaskDescriptors);
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kTaskDescriptors * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

bool must_wait(ssize_t sent) {
  return sent == -EAGAIN || sent == -ETOOMANYREFS || sent == -ENOMEM || sent == -ENOBUFS;
}

}  // namespace

bool OrderQueue::has_room() const { return size_ < max_queue_size; }

void OrderQueue::clear() {
  entries_.clear();
  size_ = 0;
}

int OrderQueue::add(int socket, const std::string& bytes, std::span<const int> descriptors) {
  if (!empty()) return keep(bytes, 0, descriptors);
  const ssize_t sent = send_part(socket, bytes, descriptors);
  if (must_wait(sent)) return keep(bytes, 0, descriptors);
  if (sent < 0) return static_cast<int>(-sent);
  if (static_cast<std::size_t>(sent) == bytes.size()) return 0;
  return keep(bytes, static_cast<std::size_t>(sent), {});
}

int OrderQueue::keep(const std::string& bytes, std::size_t sent, std::span<const int> descriptors) {
  Entry entry{bytes, sent, {}};
  for (const int fd : descriptors) {
    entry.descriptors.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
    if (!entry.descriptors.back()) return errno;
  }
  size_ += bytes.size();
  entries_.push_back(std::move(entry));
  return 0;
}

OrderQueue::Flow OrderQueue::flush(int socket) {
  while (!entries_.empty()) {
    Entry& entry = entries_.front();
    std::array<int, kTaskDescriptors> fds{};
    for (std::size_t i = 0; i < entry.descriptors.size(); ++i) fds[i] = entry.descriptors[i].get();
    const ssize_t sent = send_part(socket, std::string_view(entry.bytes).substr(entry.sent),
                                   std::span(fds).first(entry.descriptors.size()));
    if (sent == -EAGAIN) return Flow::full;
    if (must_wait(sent)) return Flow::crowded;
    if (sent < 0) return Flow::broken;
    entry.descriptors.clear();
    entry.sent += static_cast<std::size_t>(sent);
    if (entry.sent < entry.bytes.size()) continue;
    size_ -= entry.bytes.size();
    entries_.pop_front();
  }
  return Flow::done;
}

}  // namespace muster::process
