// OutQueue: one buffer is filled while another is written, so that nothing is moved; shared bytes
// stand between them.
#include "link/out_queue.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <cerrno>
#include <unistd.h>
#include <utility>

#include "link/descriptor.hpp"

namespace muster::link {
namespace {

constexpr int kWritesPerTurn = 16;          // so that one fast reader does not starve the others
constexpr std::size_t kKeepMax = 1u << 20;  // an empty buffer larger than this is given back

}  // namespace

OutQueue::OutQueue(asio::io_context& loop, process::UniqueFd fd, std::size_t limit)
    : descriptor_(loop), limit_(limit) {
  adopt(descriptor_, std::move(fd));
}

// Writing waits for the loop's next turn: what one turn sends then leaves in one write.
bool OutQueue::flush() {
  if (!descriptor_.is_open()) {
    drop();
    return true;
  }
  if (waiting() > limit_) return false;
  schedule();
  return true;
}

void OutQueue::schedule() {
  if (std::exchange(scheduled_, true)) return;
  asio::post(descriptor_.get_executor(), [self = shared_from_this()] { self->write_turn(); });
}

void OutQueue::add(std::shared_ptr<const std::string> shared) {
  before_pending_ += pending_.size() + shared->size();
  if (!pending_.empty()) pieces_.push_back({std::exchange(pending_, {})});
  pieces_.push_back({{}, std::move(shared)});
}

// The buffer that has been written is filled next.
void OutQueue::next_piece() {
  written_ = 0;
  writing_.shared.reset();
  writing_.own.clear();
  if (writing_.own.capacity() > kKeepMax) writing_.own = {};
  if (pieces_.empty()) return std::swap(writing_.own, pending_);
  writing_ = std::move(pieces_.front());
  pieces_.pop_front();
  before_pending_ -= writing_.bytes().size();
}

OutQueue::Wrote OutQueue::write_once() {
  if (written_ == writing_.bytes().size()) next_piece();
  const std::string& bytes = writing_.bytes();
  if (bytes.empty()) return Wrote::nothing;
  ssize_t count = 0;
  do count = ::write(descriptor_.native_handle(), bytes.data() + written_, bytes.size() - written_);
  while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Wrote::blocked;
  if (count < 0) {
    drop();
    return Wrote::nothing;
  }
  written_ += static_cast<std::size_t>(count);
  total_ += static_cast<std::uint64_t>(count);
  return Wrote::some;
}

void OutQueue::write_turn() {
  scheduled_ = false;
  if (closed_) return;
  Wrote wrote = Wrote::some;
  for (int i = 0; i < kWritesPerTurn && wrote == Wrote::some && descriptor_.is_open(); ++i)
    wrote = write_once();
  if (wrote == Wrote::some && descriptor_.is_open()) schedule();
  if (wrote == Wrote::blocked) {
    scheduled_ = true;
    descriptor_.async_wait(
        asio::posix::stream_descriptor::wait_write,
        [self = shared_from_this()](const asio::error_code&) { self->write_turn(); });
  }
  tell_waiters();
}

void OutQueue::drop() {
  total_ += waiting();
  pending_ = {};
  pieces_.clear();
  before_pending_ = 0;
  writing_ = {};
  written_ = 0;
  asio::error_code ignored;
  descriptor_.close(ignored);
}

void OutQueue::drain(std::function<void()> done) {
  if (closed_) return;
  if (!descriptor_.is_open()) drop();
  waiters_.push_back({total_ + waiting(), std::move(done)});
  schedule();
}

// A callback may close this queue or wait anew, so each is taken out before it is called.
void OutQueue::tell_waiters() {
  while (!closed_ && !waiters_.empty() && waiters_.front().mark <= total_) {
    const std::function<void()> done = std::move(waiters_.front().done);
    waiters_.erase(waiters_.begin());
    done();
  }
}

void OutQueue::close() {
  if (std::exchange(closed_, true)) return;
  while (descriptor_.is_open() && write_once() == Wrote::some) continue;
  drop();
  waiters_.clear();
}

}  // namespace muster::link
