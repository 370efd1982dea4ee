// An epoll set within the loop's own.
#include "host/readable_set.hpp"

#include <array>
#include <asio/post.hpp>
#include <poll.h>
#include <sys/epoll.h>
#include <utility>

#include "process/shortage.hpp"

namespace muster::host {

namespace {

int fd_of(ReadableSet::Ticket ticket) { return static_cast<int>(ticket & 0xffffffffU); }

}  // namespace

ReadableSet::ReadableSet(asio::io_context& loop)
    : set_(loop, process::required(::epoll_create1(EPOLL_CLOEXEC))) {}

ReadableSet::Ticket ReadableSet::watch(int fd, Readable readable) {
  const Ticket ticket = Ticket{++watched_} << 32U | static_cast<std::uint32_t>(fd);
  readers_.emplace(ticket, std::move(readable));
  fresh_.push_back(ticket);
  if (fresh_.size() == 1) asio::post(set_.get_executor(), life_.bind([this] { admit(); }));
  return ticket;
}

void ReadableSet::admit() {
  std::vector<Ticket> fresh = std::exchange(fresh_, {});
  std::erase_if(fresh, [&](Ticket ticket) { return !readers_.contains(ticket); });
  std::vector<pollfd> polled;
  polled.reserve(fresh.size());
  for (const Ticket ticket : fresh) polled.push_back({fd_of(ticket), POLLIN, 0});
  ::poll(polled.data(), polled.size(), 0);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (polled[i].revents != 0) call(fresh[i]);
    if (!readers_.contains(fresh[i])) continue;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = fresh[i];
    process::required(::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, polled[i].fd, &event));
  }
  if (!readers_.empty()) wait();
}

// Unless an earlier one of the same turn has ended it.
void ReadableSet::call(Ticket ticket) {
  const auto found = readers_.find(ticket);
  if (found == readers_.end()) return;
  const Readable readable = found->second;  // it may forget itself
  readable();
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
  for (int i = 0; i < count; ++i) call(events[static_cast<std::size_t>(i)].data.u64);
  if (!readers_.empty()) wait();
}

}  // namespace muster::host
