// OutQueue: bytes on their way to one descriptor, written without blocking as it takes them.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::link {

// More than credit and one large message can ever leave waiting: reached only by a broken peer.
inline constexpr std::size_t kWaitingMax = std::size_t{512} << 20;

// Held by shared_ptr: its pending handlers keep it. The process must ignore SIGPIPE.
class OutQueue : public std::enable_shared_from_this<OutQueue> {
 public:
  OutQueue(asio::io_context& loop, process::UniqueFd fd, std::size_t limit = kWaitingMax);

  // Append to tail() or add shared bytes, then flush(). False: the limit is passed; the owner
  // should give up.
  [[nodiscard]] std::string& tail() { return pending_; }
  void add(std::shared_ptr<const std::string> shared);
  [[nodiscard]] bool flush();
  [[nodiscard]] std::size_t waiting() const {
    return writing_.bytes().size() - written_ + before_pending_ + pending_.size();
  }
  // Calls back, from the loop, once what waits now has been written or can never be.
  void drain(std::function<void()> done);
  // Writes what the descriptor takes at once, drops the rest, and makes no callback.
  void close();
  [[nodiscard]] asio::any_io_executor executor() { return descriptor_.get_executor(); }

 private:
  enum class Wrote { some, blocked, nothing };
  // Bytes of this queue alone, or shared with others.
  struct Piece {
    std::string own;
    std::shared_ptr<const std::string> shared = {};
    [[nodiscard]] const std::string& bytes() const { return shared ? *shared : own; }
  };
  struct Waiter {
    std::uint64_t mark;  // of total_
    std::function<void()> done;
  };

  Wrote write_once();
  void next_piece();
  void schedule();
  void write_turn();
  void drop();
  void tell_waiters();

  asio::posix::stream_descriptor descriptor_;
  std::size_t limit_;
  Piece writing_;
  std::size_t written_ = 0;         // of writing_
  std::deque<Piece> pieces_;        // after it
  std::size_t before_pending_ = 0;  // bytes of pieces_
  std::string pending_;             // after them; filled while others are written
  std::uint64_t total_ = 0;         // bytes written or dropped, ever
  bool scheduled_ = false;          // a handler is on its way
  bool closed_ = false;
  std::vector<Waiter> waiters_;
};

}  // namespace muster::link
