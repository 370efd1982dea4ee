// ReadableSet: reports when a task's descriptors can be read.
//
// One epoll set of our own, which the loop watches as a whole: a descriptor costs one call to be
// watched and none to be forgotten, and it need not be made non-blocking. Asio takes five. Those
// that can be read at once, such as the streams of a task that has ended, are seen by one poll of
// all new ones, and need never be in the set.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "process/life.hpp"

namespace muster::host {

class ReadableSet {
 public:
  using Readable = std::function<void()>;
  using Ticket = std::uint64_t;  // 0: none

  explicit ReadableSet(asio::io_context& loop);
  ReadableSet(const ReadableSet&) = delete;
  ReadableSet& operator=(const ReadableSet&) = delete;

  // Calls `readable` each time that a read of `fd` would not block, until forget(). The owner keeps
  // `fd` open until then. Never calls from within itself.
  [[nodiscard]] Ticket watch(int fd, Readable readable);
  // No more calls, for now or for ever. Allowed within a call of `readable`.
  void forget(Ticket ticket);
  // The same for a descriptor that is closed next, which spares the kernel a call: nobody else may
  // hold a copy of it.
  void forget_closed(Ticket ticket) { readers_.erase(ticket); }

 private:
  void admit();
  void call(Ticket ticket);
  void wait();
  void tell();

  asio::posix::stream_descriptor set_;
  std::uint32_t watched_ = 0;  // in all, so that a ticket never comes again
  std::unordered_map<Ticket, Readable> readers_;
  std::vector<Ticket> fresh_;  // not in the set yet
  bool waiting_ = false;
  process::Life life_;
};

}  // namespace muster::host
