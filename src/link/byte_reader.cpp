// ByteReader: readiness from the loop, reads by hand, a bounded number of them per turn.
#include "link/byte_reader.hpp"

#include <array>
#include <asio/post.hpp>
#include <cerrno>
#include <unistd.h>
#include <utility>

#include "link/descriptor.hpp"

namespace muster::link {
namespace {

constexpr std::size_t kReadMax = 64u << 10;  // what a pipe holds
constexpr int kReadsPerTurn = 4;             // so that one busy link does not starve the others
constexpr int kReadsPerDrain = 16;

}  // namespace

ByteReader::ByteReader(asio::io_context& loop, process::UniqueFd fd, OnBytes on_bytes, OnEnd on_end)
    : descriptor_(loop), on_bytes_(std::move(on_bytes)), on_end_(std::move(on_end)) {
  adopt(descriptor_, std::move(fd));
}

void ByteReader::start() {
  if (descriptor_.is_open()) return wait();
  asio::post(descriptor_.get_executor(), [self = shared_from_this()] { self->end(); });
}

void ByteReader::wait() {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [self = shared_from_this()](const asio::error_code& error) {
                           // Other errors come from files that epoll refuses; reading works there.
                           if (error != asio::error::operation_aborted) self->read_turn();
                         });
}

ByteReader::Got ByteReader::read_once() {
  std::array<char, kReadMax> bytes;
  ssize_t count = 0;
  do count = ::read(descriptor_.native_handle(), bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Got::nothing;
  if (count <= 0) return Got::end;
  const auto size = static_cast<std::size_t>(count);
  on_bytes_({bytes.data(), size});
  return size < bytes.size() ? Got::all : Got::bytes;
}

void ByteReader::read_turn() {
  Got got = Got::bytes;
  for (int i = 0; i < kReadsPerTurn && got == Got::bytes; ++i) {
    if (!descriptor_.is_open()) return;
    got = read_once();
  }
  if (!descriptor_.is_open()) return;
  if (got == Got::end) return end();
  wait();
}

void ByteReader::drain() {
  for (int i = 0; i < kReadsPerDrain && descriptor_.is_open(); ++i)
    if (read_once() != Got::bytes) return;
}

void ByteReader::end() {
  const OnEnd told = std::exchange(on_end_, nullptr);
  close();
  if (told) told();
}

void ByteReader::close() {
  on_end_ = nullptr;
  asio::error_code ignored;
  descriptor_.close(ignored);
}

}  // namespace muster::link
