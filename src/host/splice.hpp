// Splice: passes bytes on from one descriptor to another, unread, and reads no more than the other
// side takes.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <string>

#include "process/life.hpp"
#include "process/unique_fd.hpp"

namespace muster::host {

class Splice {
 public:
  // `ended`: nothing more comes, or nobody takes it any more. Called once, from the loop; both ends
  // are closed by then.
  Splice(asio::io_context& loop, process::UniqueFd from, process::UniqueFd to,
         std::function<void()> ended);
  Splice(const Splice&) = delete;
  Splice& operator=(const Splice&) = delete;

  // Bytes that have been read before go first.
  void start(std::string first);
  // As if nothing more came.
  void close();

 private:
  enum class Step { done, would_block, over };
  void turn();
  Step write_some();
  Step read_some();
  void wait(asio::posix::stream_descriptor& descriptor,
            asio::posix::stream_descriptor::wait_type what);
  void end();

  asio::posix::stream_descriptor from_;
  asio::posix::stream_descriptor to_;
  std::function<void()> ended_;
  std::string buffer_;  // its bytes from written_ to filled_ wait to be written
  std::size_t filled_ = 0;
  std::size_t written_ = 0;
  process::Life life_;
};

}  // namespace muster::host
