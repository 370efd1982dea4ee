// The owner's end of a guard: orders out and events in, on an event loop.
#include "process/guard.hpp"

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <limits>
#include <poll.h>
#include <span>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "process/alarm.hpp"
#include "process/guard_orders.hpp"
#include "process/inbox.hpp"
#include "process/life.hpp"
#include "process/order_queue.hpp"
#include "process/warden.hpp"

namespace muster::process {
namespace {

using Clock = std::chrono::steady_clock;

// How long an order may hold up the loop when the queue is at its bound; a guard that takes
// nothing for so long is as good as dead.
constexpr std::chrono::seconds longest_wait{5};
// How often sending is tried again when too many of the user's descriptors are in sockets.
constexpr std::chrono::milliseconds crowded_wait{1};

// Wardens of guards that were left.
std::vector<pid_t>& leaving() {
  static std::vector<pid_t> wardens;
  return wardens;
}

// A guard that has fallen to us: it shares its warden's group. So does, for a moment, the deputy of
// a warden that was killed; a process that waits for the group is not woken when it leaves.
void reap_group(pid_t group, bool has_deputy) {
  pid_t pid = 0;
  do {
    pid = ::waitpid(-group, nullptr, has_deputy ? WNOHANG : 0);
    if (pid == 0) ::poll(nullptr, 0, 1);
  } while (pid >= 0 || errno == EINTR);
}

// One that somebody has stopped would be waited for as long.
Lost reap_warden(pid_t warden) {
  ::kill(-warden, SIGCONT);
  int status = 0;
  while (::waitpid(warden, &status, 0) < 0 && errno == EINTR) continue;
  reap_group(warden, !WIFEXITED(status));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return {code == kGuardKilled || code == kGuardStopped, code == kGuardStopped};
}

}  // namespace

class Guard::Impl {
 public:
  Impl(asio::io_context& loop, GuardProcess process, GuardEvents events);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void order(const std::string& bytes);
  void spawn(const SpawnOrder& order);
  void when_sent(std::function<void()> then);
  void sweep();
  void leave();
  void watch(base::Duration lease, bool owner_too) const;

 private:
  void add(const std::string& bytes);
  int add_with_room(const std::string& bytes, std::span<const int> descriptors);
  void let_guard_work();
  void refuse(ProcessId id, int error);
  void flush();
  void drop_orders();
  void wait_readable();
  void wait_writable();
  void wait_crowd();
  void receive();
  void deliver();
  void dispatch(const Message& reply);
  void lose();
  template <class Event, class... Value>
  void tell(Event GuardEvents::*event, const Value&... value) {
    const auto events = events_;
    if ((*events).*event) ((*events).*event)(value...);
  }
  auto unless_gone(void (Impl::*then)()) {
    return life_.bind([this, then](const auto&...) { (this->*then)(); });
  }

  asio::io_context& loop_;
  asio::posix::stream_descriptor socket_;
  Alarm crowd_;
  pid_t warden_;
  // Shared, so that a callback may destroy the Guard and still return.
  std::shared_ptr<const GuardEvents> events_;
  OrderQueue queue_;
  std::deque<std::function<void()>> later_;  // orders that wait for room, the oldest first
  Inbox inbox_;
  std::size_t unanswered_ = 0;  // spawn orders
  bool bare_ = false;           // the guard has no descendant, and no order to start one
  bool sending_ = false;
  bool waits_to_send_ = false;
  bool at_end_ = false;  // the guard closed its end
  bool lost_ = false;
  bool left_ = false;
  Life life_;
};

Guard::Impl::Impl(asio::io_context& loop, GuardProcess process, GuardEvents events)
    : loop_(loop),
      socket_(loop, process.socket.release()),
      crowd_(loop),
      warden_(process.warden),
      events_(std::make_shared<const GuardEvents>(std::move(events))) {
  wait_readable();
}

Guard::Impl::~Impl() {
  if (left_) return;
  leave();
  wait_for_guards();
}

void Guard::Impl::leave() {
  left_ = true;
  life_.end();
  lost_ = true;
  asio::error_code ignored;
  socket_.close(ignored);
  drop_orders();
  if (warden_ == 0) return;
  ::sigqueue(warden_, kLeave, {});
  leaving().push_back(std::exchange(warden_, 0));
}

void Guard::Impl::order(const std::string& bytes) {
  if (lost_) return;
  if (!later_.empty()) return later_.push_back([this, bytes] { add(bytes); });
  add(bytes);
  if (!waits_to_send_) flush();
}

void Guard::Impl::add(const std::string& bytes) {
  static_cast<void>(queue_.add(socket_.native_handle(), bytes, {}));
}

void Guard::Impl::when_sent(std::function<void()> then) {
  if (lost_) return;
  later_.push_back(std::move(then));
  if (!waits_to_send_) flush();
}

void Guard::Impl::spawn(const SpawnOrder& order) {
  if (lost_) return;
  const std::string bytes = encode_spawn(order);
  if (bytes.size() > max_body_size) return refuse(order.id, E2BIG);
  std::array<int, kTaskDescriptors> descriptors{};
  std::size_t count = 0;
  for (const int fd : {order.in, order.out, order.err, order.wireup}) {
    if (fd >= 0) descriptors[count++] = fd;
  }
  const int error = add_with_room(bytes, std::span(descriptors).first(count));
  if (error != 0) refuse(order.id, error);
  if (error == 0) ++unanswered_;
  bare_ = false;
  if (!lost_ && !waits_to_send_) flush();
}

// Returns an errno. A dead guard is no error here: reading will find that out.
int Guard::Impl::add_with_room(const std::string& bytes, std::span<const int> descriptors) {
  const auto deadline = Clock::now() + longest_wait;
  for (;;) {
    const int error =
        queue_.has_room() ? queue_.add(socket_.native_handle(), bytes, descriptors) : ENOBUFS;
    if (error == EPIPE || error == ECONNRESET) return 0;
    if (error != ENOBUFS && error != EMFILE) return error;
    if (at_end_ || Clock::now() >= deadline) return error;
    let_guard_work();
  }
}

// Takes its replies too, else both ends could wait for each other for ever.
void Guard::Impl::let_guard_work() {
  pollfd source{socket_.native_handle(), POLLIN | POLLOUT, 0};
  ::poll(&source, 1, static_cast<int>(crowded_wait.count()));
  receive();
  static_cast<void>(queue_.flush(socket_.native_handle()));
  asio::post(loop_, unless_gone(&Impl::deliver));
}

// The usual end of a job: a round trip to the guard would tell what is known.
void Guard::Impl::sweep() {
  if (!bare_ || !later_.empty()) return order(encode_sweep());
  asio::post(loop_, life_.bind([this] {
    if (!lost_) tell(&GuardEvents::swept, Swept{});
  }));
}

void Guard::Impl::refuse(ProcessId id, int error) {
  asio::post(loop_, life_.bind([this, id, error] {
    if (!lost_) tell(&GuardEvents::spawned, Spawned{id, 0, error});
  }));
}

void Guard::Impl::flush() {
  if (sending_) return;  // one of `later_` gives orders
  waits_to_send_ = false;
  sending_ = true;
  const auto life = life_.watch();
  auto flow = OrderQueue::Flow::done;
  while (!lost_ && flow == OrderQueue::Flow::done) {
    flow = queue_.flush(socket_.native_handle());
    if (flow != OrderQueue::Flow::done || later_.empty()) break;
    const auto next = std::move(later_.front());
    later_.pop_front();
    next();
    if (life.expired()) return;
  }
  sending_ = false;
  if (lost_) return;
  if (flow == OrderQueue::Flow::full) return wait_writable();
  if (flow == OrderQueue::Flow::crowded) return wait_crowd();
  if (flow == OrderQueue::Flow::broken) drop_orders();
}

void Guard::Impl::drop_orders() {
  queue_.clear();
  later_.clear();
}

void Guard::Impl::wait_readable() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     life_.bind([this, life = life_.watch()](asio::error_code error) {
                       if (error || lost_) return;
                       receive();
                       deliver();
                       if (!life.expired() && !lost_) wait_readable();
                     }));
}

void Guard::Impl::wait_writable() {
  waits_to_send_ = true;
  socket_.async_wait(asio::posix::stream_descriptor::wait_write, unless_gone(&Impl::flush));
}

void Guard::Impl::wait_crowd() {
  waits_to_send_ = true;
  crowd_.after(crowded_wait, [this] { flush(); });
}

void Guard::Impl::receive() {
  auto read = Inbox::Read::some;
  while (!at_end_ && read == Inbox::Read::some) {
    read = inbox_.read(socket_.native_handle());
    at_end_ = read == Inbox::Read::closed;
  }
}

// Each callback may destroy us.
void Guard::Impl::deliver() {
  const auto life = life_.watch();
  while (!lost_) {
    const auto reply = inbox_.next();
    if (!reply) break;
    dispatch(*reply);
    if (life.expired()) return;
  }
  if (at_end_ && !lost_) lose();
}

// Values are taken out first: a callback that gives an order may make the inbox move.
void Guard::Impl::dispatch(const Message& reply) {
  if (reply.header.kind == MessageKind::spawned) {
    const auto spawned = decode_spawned(reply);
    CHECK(spawned.has_value());
    --unanswered_;
    tell(&GuardEvents::spawned, *spawned);
  } else if (reply.header.kind == MessageKind::ended) {
    const auto ended = decode_ended(reply);
    CHECK(ended.has_value());
    bare_ = ended->last && unanswered_ == 0;
    tell(&GuardEvents::ended, *ended);
  } else {
    const auto swept = decode_swept(reply);
    CHECK(swept.has_value());
    tell(&GuardEvents::swept, *swept);
  }
}

void Guard::Impl::lose() {
  lost_ = true;
  asio::error_code ignored;
  socket_.close(ignored);
  drop_orders();
  tell(&GuardEvents::lost, reap_warden(std::exchange(warden_, 0)));
}

void Guard::Impl::watch(base::Duration lease, bool owner_too) const {
  if (warden_ == 0) return;
  const auto milliseconds =
      std::min<base::Duration::rep>(lease.count(), std::numeric_limits<int>::max());
  ::sigqueue(warden_, owner_too ? kWatchBoth : kWatchGuard,
             {.sival_int = static_cast<int>(milliseconds)});
}

Guard::Guard(asio::io_context& loop, GuardProcess process, GuardEvents events)
    : impl_(std::make_unique<Impl>(loop, std::move(process), std::move(events))) {}

Guard::~Guard() = default;

void Guard::set_grace(base::Duration grace) { impl_->order(encode_grace(grace)); }
void Guard::watch(base::Duration lease, bool owner_too) { impl_->watch(lease, owner_too); }
void Guard::spawn(const SpawnOrder& order) { impl_->spawn(order); }
void Guard::when_sent(std::function<void()> then) { impl_->when_sent(std::move(then)); }
void Guard::signal(ProcessId id, int number) { impl_->order(encode_signal(id, number)); }
void Guard::remove_at_end(const std::string& folder) { impl_->order(encode_remove(folder)); }
void Guard::skip_epilogue() { impl_->order(encode_skip_epilogue()); }
void Guard::sweep() { impl_->sweep(); }
void Guard::leave() { impl_->leave(); }

void wait_for_guards() {
  for (const pid_t warden : std::exchange(leaving(), {})) {
    static_cast<void>(reap_warden(warden));
  }
}

}  // namespace muster::process
