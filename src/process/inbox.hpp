// Inbox: the receiving end of the socket between guard and owner; bytes and descriptors in,
// messages out.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "process/guard_orders.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

class Inbox {
 public:
  enum class Read { some, nothing, closed };

  // One recvmsg that never blocks; `closed` when the other end is gone and all was read.
  Read read(int socket);
  // The next whole message. Its body stays valid until the next read().
  [[nodiscard]] std::optional<Message> next();
  // Descriptors come out in the order in which they were sent. Empty when none is there.
  [[nodiscard]] UniqueFd take_descriptor();

 private:
  [[nodiscard]] std::optional<MessageHeader> peek_header() const;
  void make_room();

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the first byte not yet taken by next()
  std::size_t end_ = 0;    // behind the last byte received
  std::deque<UniqueFd> descriptors_;
};

}  // namespace muster::process
