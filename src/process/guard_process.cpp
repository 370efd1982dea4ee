// The guard process: becomes, below its warden, a daemon beside its owner, performs orders, reaps,
// cleans up.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.hpp"
#include "process/children.hpp"
#include "process/descendants.hpp"
#include "process/epilogue.hpp"
#include "process/guard.hpp"
#include "process/guard_orders.hpp"
#include "process/inbox.hpp"
#include "process/own_umask.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"
#include "process/spawn.hpp"
#include "process/tree.hpp"
#include "process/warden.hpp"

namespace muster::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr base::Duration default_grace{5000};
constexpr base::Duration sweep_limit{5000};
// Orders performed before the ends of earlier processes are looked at and replies sent.
constexpr int orders_per_turn = 16;
constexpr int socket_fd = 3;

class GuardLoop {
 public:
  GuardLoop(int socket, UniqueFd child_ended, std::vector<std::string> epilogue)
      : socket_(socket), child_ended_(std::move(child_ended)), epilogue_(std::move(epilogue)) {}

  // Until the owner has vanished and no descendant is left, or a stated time has passed.
  void run();

 private:
  void take_orders(bool owner_hung_up);
  void perform(const Message& order, bool owner_hung_up);
  void spawn(const Message& order, bool owner_hung_up);
  void sweep();
  void keep_for_end(const Message& order);
  void remove_folders();
  void end_all();
  void terminate_all();
  std::vector<std::string> kill_all();
  bool reap();
  void wait_for_tasks(base::Duration limit);
  void pause(base::Duration time);
  void send_replies();

  int socket_;
  UniqueFd child_ended_;
  bool owner_gone_ = false;
  base::Duration grace_ = default_grace;
  Spawner spawner_;
  mode_t umask_ = users_umask();
  Children children_;
  Inbox inbox_;
  std::string replies_;
  std::vector<std::string> folders_;  // that a vanished owner leaves
  std::vector<std::string> epilogue_;
};

void GuardLoop::run() {
  while (!owner_gone_) {
    send_replies();
    pollfd sources[] = {{socket_, POLLIN, 0}, {child_ended_.get(), POLLIN, 0}};
    if (::poll(sources, 2, -1) < 0) continue;
    if (sources[1].revents != 0) reap();
    if (sources[0].revents != 0) take_orders((sources[0].revents & POLLHUP) != 0);
  }
  end_all();
  run_epilogue(epilogue_);
  remove_folders();
}

void GuardLoop::take_orders(bool owner_hung_up) {
  for (int orders = 0; orders < orders_per_turn;) {
    const auto read = inbox_.read(socket_);
    owner_gone_ = read == Inbox::Read::closed;
    if (read != Inbox::Read::some) return;
    for (; const auto order = inbox_.next(); ++orders) perform(*order, owner_hung_up);
  }
}

void GuardLoop::perform(const Message& order, bool owner_hung_up) {
  switch (order.header.kind) {
    case MessageKind::spawn:
      return spawn(order, owner_hung_up);
    case MessageKind::signal:
      return children_.signal(order.header.id, order.header.number);
    case MessageKind::sweep:
      return sweep();
    case MessageKind::grace:
      grace_ = base::Duration(order.header.number);
      return;
    case MessageKind::remove:
      return keep_for_end(order);
    case MessageKind::skip_epilogue:
      return epilogue_.clear();
    default:
      CHECK(!"an order");
  }
}

// What a vanished owner still wanted to start would only have to be ended again.
void GuardLoop::spawn(const Message& order, bool owner_hung_up) {
  const auto view = decode_spawn(order);
  CHECK(view.has_value());
  std::array<UniqueFd, kTaskDescriptors> files;
  SpawnRequest request{view->program,
                       view->arguments.data(),
                       view->environment.data(),
                       view->workdir,
                       view->cpus,
                       {},
                       SIGKILL,
                       umask_,
                       view->memory_mode,
                       view->memory_nodes};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (view->has_descriptor[i]) files[i] = inbox_.take_descriptor();
    request.descriptors[i] = files[i].get();
  }
  if (owner_hung_up) return;
  const auto result = spawner_.spawn(request);
  if (result.pid != 0) children_.add(order.header.id, result.pid);
  append_spawned(replies_, {order.header.id, result.pid, result.error});
}

void GuardLoop::sweep() { append_swept(replies_, {kill_all()}); }

void GuardLoop::keep_for_end(const Message& order) {
  auto folder = decode_remove(order);
  CHECK(folder.has_value());
  folders_.push_back(std::move(*folder));
}

// As a rule they have gone with their owner.
void GuardLoop::remove_folders() {
  for (const std::string& folder : folders_) (void)remove_tree(folder);
}

// What tasks leave behind is not waited for, as after any other end of a job.
void GuardLoop::end_all() {
  if (reap()) return;
  terminate_all();
  wait_for_tasks(grace_);
  static_cast<void>(kill_all());
}

// SIGCONT lets stopped processes hear it. Nobody gets SIGTERM twice: many programs take the second
// one as an order to skip their own clean-up.
void GuardLoop::terminate_all() {
  children_.signal_all(SIGTERM);
  visit_descendants([this](const ProcessStat& process) {
    if (children_.leads(process.group)) return;
    signal_process(process, SIGTERM);
    signal_process(process, SIGCONT);
  });
  children_.signal_all(SIGCONT);
}

// A signal to a whole group is atomic, so not even a fork bomb within it escapes.
std::vector<std::string> GuardLoop::kill_all() {
  children_.signal_all(SIGKILL);
  return kill_until_gone({[this] { return reap(); }, [this](base::Duration time) { pause(time); }},
                         sweep_limit);
}

bool GuardLoop::reap() {
  // Emptied first, so that an end that comes later wakes us again.
  signalfd_siginfo info;
  while (::read(child_ended_.get(), &info, sizeof info) > 0) continue;
  const std::chrono::nanoseconds now = Clock::now().time_since_epoch();
  std::optional<Ended> ended;
  const bool none_left = children_.reap([&](const Ended& next) {
    if (ended) append_ended(replies_, *ended);
    ended = next;
    ended->at_ns = now.count();
  });
  if (ended) {
    ended->last = none_left;
    append_ended(replies_, *ended);
  }
  return none_left;
}

void GuardLoop::wait_for_tasks(base::Duration limit) {
  const auto deadline = Clock::now() + limit;
  while (!reap() && !children_.empty()) {
    const auto left = std::chrono::ceil<base::Duration>(deadline - Clock::now());
    if (left <= base::Duration::zero()) return;
    pause(left);
  }
}

void GuardLoop::pause(base::Duration time) {
  send_replies();
  pollfd source{child_ended_.get(), POLLIN, 0};
  ::poll(&source, 1, static_cast<int>(time.count()));
}

// Waits while the owner does not read, which it always does in the end, or it is gone.
void GuardLoop::send_replies() {
  std::string_view rest = replies_;
  while (!rest.empty() && !owner_gone_) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  replies_.clear();
}

// The owner's handlers would run its code in here, and an ignored SIGCHLD would hide all ends.
void reset_signals() {
  for (int number = 1; number <= SIGRTMAX; ++number) ::signal(number, SIG_DFL);
}

// What shall not end a guard is blocked, not ignored: then all is at its default, and no task needs
// to have it set so.
void block_signals() {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU, kWatchGuard,
                           kWatchBoth, kLeave}) {
    ::sigaddset(&blocked, number);
  }
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

// Leaves /dev/null as 0, 1, 2, the socket as 3, and nothing else.
void keep_only(UniqueFd socket, UniqueFd null) {
  const UniqueFd high_socket(::fcntl(socket.get(), F_DUPFD_CLOEXEC, socket_fd));
  if (!high_socket) ::_exit(EXIT_FAILURE);
  for (int fd = 0; fd < 3; ++fd) {
    if (null.get() != fd) ::dup2(null.get(), fd);
  }
  if (high_socket.get() != socket_fd) ::dup3(high_socket.get(), socket_fd, O_CLOEXEC);
  ::closefrom(socket_fd + 1);
}

[[noreturn]] void guard_main(std::vector<std::string> epilogue) {
  ::prctl(PR_SET_NAME, "muster-guard");
  sigset_t child_ended;
  ::sigemptyset(&child_ended);
  ::sigaddset(&child_ended, SIGCHLD);
  UniqueFd signals(::signalfd(-1, &child_ended, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals) ::_exit(EXIT_FAILURE);
  block_signals();
  // What it cannot go on with is ended by its owner, who is told by the socket's end.
  const auto ended = caught([&] {
    GuardLoop(socket_fd, std::move(signals), std::move(epilogue)).run();
    return EXIT_SUCCESS;
  });
  ::_exit(ended.value_or(EXIT_FAILURE));
}

// Runs in a fresh fork with all signals blocked. Where no second process may be had, the guard does
// without a warden.
[[noreturn]] void warden_main(pid_t owner, UniqueFd socket, UniqueFd null,
                              std::vector<std::string> epilogue) {
  reset_signals();
  keep_only(std::move(socket), std::move(null));
  ::setsid();
  take_warden_name();
  auto alive = make_pipe();
  if (!alive || !become_subreaper()) ::_exit(EXIT_FAILURE);
  const pid_t guard = ::fork();
  if (guard > 0) {
    ::close(socket_fd);
    be_warden(owner, guard, std::move(epilogue), std::move(*alive));
  }
  alive->read.reset();
  if (guard == 0 && !become_subreaper()) ::_exit(EXIT_FAILURE);  // a fork does not inherit it
  guard_main(std::move(epilogue));
}

}  // namespace

base::Result<GuardProcess> fork_guard(std::vector<std::string> epilogue) {
  wait_for_guards();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return tl::unexpected(system_error("cannot open a socket to the guard", errno));
  }
  UniqueFd ours(ends[0]), theirs(ends[1]);
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return tl::unexpected(system_error("cannot open /dev/null", errno));
  // Until the guard blocks what it must, nothing may reach it.
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t owner = ::getpid();
  const pid_t pid = ::fork();
  const int error = errno;
  if (pid == 0) warden_main(owner, std::move(theirs), std::move(null), std::move(epilogue));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return tl::unexpected(system_error("cannot start the guard", error));
  return GuardProcess{pid, std::move(ours)};
}

}  // namespace muster::process
