// Receives messages and descriptors from a stream socket.
#include "process/inbox.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "base/check.hpp"

namespace muster::process {
namespace {

constexpr std::size_t read_size = std::size_t{32} << 10;
// A buffer that grew for a huge environment is given back when it is empty.
constexpr std::size_t kept_size = std::size_t{1} << 20;

void collect_descriptors(msghdr& header, std::deque<UniqueFd>& out) {
  // Lost descriptors would attach the wrong files to all later tasks.
  CHECK((header.msg_flags & MSG_CTRUNC) == 0);
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at < part->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, reinterpret_cast<const char*>(part) + at, sizeof fd);
      out.emplace_back(fd);
    }
  }
}

}  // namespace

Inbox::Read Inbox::read(int socket) {
  make_room();
  iovec part{buffer_.data() + end_, buffer_.size() - end_};
  alignas(cmsghdr) char control[CMSG_SPACE(kTaskDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = 0;
  // ECONNRESET: the other end closed without reading all; what it sent before is still there.
  do {
    got = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) return errno == EAGAIN ? Read::nothing : Read::closed;
  if (got == 0) return Read::closed;
  end_ += static_cast<std::size_t>(got);
  collect_descriptors(header, descriptors_);
  return Read::some;
}

std::optional<Message> Inbox::next() {
  const auto header = peek_header();
  if (!header || end_ - begin_ < sizeof *header + header->body_size) return std::nullopt;
  const char* const body = buffer_.data() + begin_ + sizeof *header;
  begin_ += sizeof *header + header->body_size;
  return Message{*header, {body, header->body_size}};
}

UniqueFd Inbox::take_descriptor() {
  if (descriptors_.empty()) return {};
  UniqueFd fd = std::move(descriptors_.front());
  descriptors_.pop_front();
  return fd;
}

std::optional<MessageHeader> Inbox::peek_header() const {
  MessageHeader header;
  if (end_ - begin_ < sizeof header) return std::nullopt;
  std::memcpy(&header, buffer_.data() + begin_, sizeof header);
  CHECK(header.body_size <= max_body_size);
  return header;
}

void Inbox::make_room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kept_size) buffer_ = std::vector<char>();
  }
  const auto header = peek_header();
  const std::size_t message = header ? sizeof *header + header->body_size : 0;
  const std::size_t wanted = std::max(message, end_ - begin_ + read_size);
  if (buffer_.size() - begin_ >= wanted) return;
  std::move(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < wanted) buffer_.resize(wanted);
}

}  // namespace muster::process
