// An epoll set within the loop's own.
#include "host/readable_set.hpp"

#include <array>
#include <sys/epoll.h>

#include "process/shortage.hpp"

namespace muster::host {

namespace {

int fd_of(ReadableSet::Ticket ticket) { return static_cast<int>(ticket & 0xffffffffU); }

}  // namespace

ReadableSet::ReadableSet(asio::io_context& loop)
    : set_(loop, process::required(::epoll_create1(EPOLL_CLOEXEC))) {}

ReadableSet::Ticket ReadableSet::watch(int fd, Readable readable) {
  const Ticket ticket = Ticket{++watched_} << 32U | static_cast<std::uint32_t>(fd);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = ticket;
  process::required(::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, fd, &event));
  readers_.emplace(ticket, std::move(readable));
  wait();
  return ticket;
}

void ReadableSet::forget(Ticket ticket) {
  if (readers_.erase(ticket) == 0) return;
  // A hang-up would be told for ever, even of a descriptor that nobody wants to read.
  ::epoll_ctl(set_.native_handle(), EPOLL_CTL_DEL, fd_of(ticket), nullptr);
}

void ReadableSet::wait() {
  if (waiting_) return;
  waiting_ = true;
  set_.async_wait(asio::posix::stream_descriptor::wait_read,
                  life_.bind([this](const std::error_code& error) {
                    if (error) return;
                    waiting_ = false;
                    tell();
                  }));
}

void ReadableSet::tell() {
  std::array<epoll_event, 64> events;
  const int count =
      ::epoll_wait(set_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto found = readers_.find(events[static_cast<std::size_t>(i)].data.u64);
    if (found == readers_.end()) continue;    // an earlier one of these has ended it
    const Readable readable = found->second;  // it may forget itself
    readable();
  }
  if (!readers_.empty()) wait();
}

}  // namespace muster::host
