// Reads a piece, writes all of it, and reads the next one.
#include "host/splice.hpp"

#include <asio/post.hpp>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace muster::host {
namespace {

constexpr std::size_t kSplicePiece = 256u << 10;
// Others have their turn after so many pieces.
constexpr int kPiecesPerTurn = 16;

}  // namespace

Splice::Splice(asio::io_context& loop, process::UniqueFd from, process::UniqueFd to,
               std::function<void()> ended)
    : from_(loop, from.release()), to_(loop, to.release()), ended_(std::move(ended)) {
  from_.native_non_blocking(true);
  to_.native_non_blocking(true);
}

void Splice::start(std::string first) {
  buffer_ = std::move(first);
  filled_ = buffer_.size();
  asio::post(from_.get_executor(), life_.bind([this] { turn(); }));
}

void Splice::close() { end(); }

void Splice::turn() {
  for (int pieces = 0; pieces < kPiecesPerTurn;) {
    const bool writes = written_ < filled_;
    const Step step = writes ? write_some() : read_some();
    if (step == Step::over) return end();
    if (step == Step::would_block) {
      return writes ? wait(to_, asio::posix::stream_descriptor::wait_write)
                    : wait(from_, asio::posix::stream_descriptor::wait_read);
    }
    pieces += writes ? 0 : 1;
  }
  asio::post(from_.get_executor(), life_.bind([this] { turn(); }));
}

Splice::Step Splice::write_some() {
  const ssize_t put = ::write(to_.native_handle(), buffer_.data() + written_, filled_ - written_);
  if (put < 0 && errno == EINTR) return Step::done;
  if (put < 0) return errno == EAGAIN ? Step::would_block : Step::over;
  written_ += static_cast<std::size_t>(put);
  return Step::done;
}

Splice::Step Splice::read_some() {
  if (buffer_.size() < kSplicePiece) buffer_.resize(kSplicePiece);
  const ssize_t got = ::read(from_.native_handle(), buffer_.data(), buffer_.size());
  const int error = errno;
  written_ = 0;
  filled_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  if (got > 0 || (got < 0 && error == EINTR)) return Step::done;
  return got < 0 && error == EAGAIN ? Step::would_block : Step::over;
}

void Splice::wait(asio::posix::stream_descriptor& descriptor,
                  asio::posix::stream_descriptor::wait_type what) {
  descriptor.async_wait(what, life_.bind([this](const std::error_code& error) {
    if (error) return end();
    turn();
  }));
}

void Splice::end() {
  life_.end();
  std::error_code ignored;
  from_.close(ignored);
  to_.close(ignored);
  if (const auto ended = std::exchange(ended_, nullptr)) ended();
}

}  // namespace muster::host
