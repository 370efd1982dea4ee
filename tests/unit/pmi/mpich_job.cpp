// Starts the ranks of a test's MPI job and carries bytes between them and their sessions.
#include "unit/pmi/mpich_job.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <set>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/process_mapping.hpp"

namespace muster::pmi::test {
namespace {

// Long enough for a busy machine; only a failing test waits so long.
constexpr std::chrono::seconds kPatience{120};
constexpr int kChildFd = 3;

std::vector<PmiWorld> worlds(const std::vector<std::uint32_t>& nodes) {
  const std::set<std::uint32_t> all(nodes.begin(), nodes.end());
  std::vector<PmiWorld> out;
  for (const std::uint32_t node : all) {
    WorldSpec spec;
    spec.kvs_name = "kvs_test_0";
    spec.size = static_cast<std::uint32_t>(nodes.size());
    spec.universe = spec.size;
    spec.mapping = plan::process_mapping(nodes);
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
      if (nodes[rank] == node) spec.tasks.push_back({base::Rank(rank), 0});
    out.emplace_back(spec);
  }
  return out;
}

// Our own environment without other launchers' words, and this rank's.
std::vector<std::string> environment(std::uint32_t rank, std::size_t size) {
  std::vector<std::string> out = {fmt::format("PMI_FD={}", kChildFd),
                                  fmt::format("PMI_RANK={}", rank),
                                  fmt::format("PMI_SIZE={}", size)};
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.substr(0, 3) != "PMI" && text.substr(0, 5) != "SLURM") out.emplace_back(text);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

MpichJob::MpichJob(std::vector<std::uint32_t> nodes)
    : ranks_(nodes.size()),
      head_(worlds(nodes), [this](base::Rank to, const Reply& reply) { send(to, reply); }) {
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) ranks_[rank].node = nodes[rank];
}

MpichJob::~MpichJob() {
  end_all();
  reap();
}

bool MpichJob::start(std::uint32_t rank, const std::vector<std::string>& command, int out) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], kChildFd);
  std::vector<std::string> words = command, variables = environment(rank, ranks_.size());
  const int failed = ::posix_spawn(&ranks_[rank].pid, command.front().c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pair[1]);
  ranks_[rank].socket = pair[0];
  if (failed) ranks_[rank].pid = 0;
  return failed == 0;
}

bool MpichJob::run(const std::vector<std::string>& command) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return false;
  bool all = true;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    all = all && start(rank, command, pipe[1]);
  ::close(pipe[1]);
  all = all && serve(pipe[0]);
  ::close(pipe[0]);
  if (!all) end_all();
  reap();
  return all;
}

// The pipe ends when the last rank has: nobody else holds it.
bool MpichJob::serve(int out) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    std::vector<pollfd> wanted = {{out, POLLIN, 0}};
    for (const Rank& rank : ranks_) wanted.push_back({rank.socket, POLLIN, 0});
    if (::poll(wanted.data(), wanted.size(), 1000) < 0 && errno != EINTR) return false;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (wanted[rank + 1].revents) read_rank(rank);
    if (wanted[0].revents && !read_output(out)) return true;
    if (!head_.aborted.empty() || !error.empty()) end_all();
  }
  return false;
}

bool MpichJob::read_output(int out) {
  char bytes[4096];
  const ssize_t size = ::read(out, bytes, sizeof bytes);
  if (size > 0) output.append(bytes, static_cast<std::size_t>(size));
  return size > 0;
}

void MpichJob::read_rank(std::uint32_t rank) {
  Rank& from = ranks_[rank];
  char bytes[4096];
  const ssize_t size = ::read(from.socket, bytes, sizeof bytes);
  if (size <= 0) {
    ::close(from.socket);
    from.socket = -1;
    head_.world(from.node).gone(base::Rank(rank));
    return;
  }
  from.session.feed({bytes, static_cast<std::size_t>(size)});
  auto request = from.session.next();
  for (; request && *request; request = from.session.next())
    head_.request(from.node, base::Rank(rank), **request);
  if (!request) error = request.error().what;
}

void MpichJob::send(base::Rank to, const Reply& reply) {
  Rank& rank = ranks_[to.value];
  const std::string bytes = rank.session.answer(reply);
  if (rank.socket < 0) return;
  const ssize_t sent = ::send(rank.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes.size()) && errno != EPIPE) error = "a reply was not sent";
}

void MpichJob::end_all() {
  for (const Rank& rank : ranks_)
    if (rank.pid > 0) ::kill(rank.pid, SIGKILL);
}

void MpichJob::reap() {
  for (Rank& rank : ranks_) {
    if (rank.socket >= 0) ::close(rank.socket);
    rank.socket = -1;
    int status = -1;
    if (rank.pid > 0 && ::waitpid(rank.pid, &status, 0) == rank.pid) wait_status.push_back(status);
    rank.pid = 0;
  }
}

}  // namespace muster::pmi::test
