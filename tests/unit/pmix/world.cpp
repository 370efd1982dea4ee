// Forks freely: the test program has one thread.
#include "world.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <random>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmix/environment.hpp"
#include "pmix/process.hpp"
#include "process/pipe.hpp"

namespace muster::pmix::test {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

std::string secret() {
  std::random_device random;
  return fmt::format("muster-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

Job job_of(const Wish& wish) {
  Job job;
  job.nspace = secret();
  std::uint32_t rank = 0;
  for (std::size_t node = 0; node < wish.ranks.size(); ++node) {
    auto& ranks = job.nodes.emplace_back(JobNode{fmt::format("node{}", node), {}}).ranks;
    for (std::uint32_t i = 0; i < wish.ranks[node]; ++i) ranks.push_back(rank++);
  }
  const std::vector<std::uint32_t> all{rank};
  for (const std::uint32_t size : wish.apps.empty() ? all : wish.apps) {
    job.apps.push_back({"program", "/", size});
  }
  return job;
}

std::string with_rank(std::string text, std::uint32_t rank) {
  const std::size_t at = text.find("{rank}");
  if (at != std::string::npos) text.replace(at, 6, std::to_string(rank));
  return text;
}

}  // namespace

World::World(Wish wish)
    : wish_(std::move(wish)),
      job_(job_of(wish_)),
      scratch_(fmt::format("/dev/shm/{}", secret())),  // another: it can be listed
      exchange_(static_cast<std::uint32_t>(wish_.ranks.size())) {
  auto pipe = process::make_pipe();
  output_read_ = std::move(pipe->read);
  output_write_ = std::move(pipe->write);
  for (std::size_t i = 0; i < wish_.ranks.size(); ++i) {
    Node& node = nodes_.emplace_back();
    node.listener = std::move(*listen_on_loopback());
    node.port = node.listener.port;
  }
}

World::~World() { clean_up(); }

// Each node has its own, although all are on this machine: Open MPI names segments by local rank.
std::string World::scratch(std::uint32_t node) const {
  return fmt::format("{}.{}", scratch_, node);
}

void World::start_rank(const Job& job, std::uint32_t rank, std::uint32_t node,
                       const AppOrder& order) {
  const ClientIdentity client{job_.nspace,   job.nspace,        rank, node, job.nodes[node].host,
                              scratch(node), nodes_[node].port, true};
  const pid_t child = ::fork();
  if (child != 0) {
    running_[child] = {job.nspace, rank};
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output_write_.get(), STDOUT_FILENO);
  ::dup2(output_write_.get(), STDERR_FILENO);
  // Ours after the spawner's, whose library hands on its own identity.
  for (const std::string& entry : order.environment) ::putenv(::strdup(entry.c_str()));
  for (const auto& [name, value] : client_variables(client))
    ::setenv(name.c_str(), value.c_str(), 1);
  for (const auto& [name, value] : open_mpi_variables(client)) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  for (std::string& entry : wish_.environment) ::putenv(entry.data());
  std::vector<std::string> words;
  for (const std::string& word : order.arguments) words.push_back(with_rank(word, rank));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  std::_Exit(127);
}

void World::start_job(const Job& job, const AppOrder& order) {
  jobs_.push_back(job);
  exchange_.add(job);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].link) add_job(job, node);
    flush(node);  // a rank that comes before its job is known would be turned away
    for (const std::uint32_t rank : job.nodes[node].ranks) start_rank(job, rank, node, order);
  }
}

// Its ranks go round the nodes.
void World::spawn(std::uint32_t node, const Spawn& order) {
  const AppOrder& app = order.apps.front();
  Job job = job_;
  job.nspace = secret();
  job.parent = order.proc;
  job.apps = {{app.command, "/", app.count}};
  for (JobNode& one : job.nodes) one.ranks.clear();
  for (std::uint32_t rank = 0; rank < app.count; ++rank) {
    job.nodes[rank % nodes_.size()].ranks.push_back(rank);
  }
  start_job(job, app);
  tell({{node, Spawned{order.ticket, kSuccess, job.nspace}}});
}

void World::add_job(const Job& job, std::uint32_t node) {
  const AddJob add{std::make_shared<const Job>(job), node, scratch(node)};
  wire::append(nodes_[node].out, wire::PmixDown{add});
}

void World::start_server(std::uint32_t node) {
  std::array<int, 2> ends{};
  ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  Node& one = nodes_[node];
  one.server = ::fork();
  if (one.server == 0) {
    ::close(ends[0]);
    ::dup2(ends[1], STDIN_FILENO);
    ::dup2(one.listener.socket.get(), STDOUT_FILENO);
    ::dup2(output_write_.get(), STDERR_FILENO);
    for (Node& other : nodes_) other.link.reset();
    std::_Exit(serve_standard());
  }
  ::close(ends[1]);
  one.link = process::UniqueFd(ends[0]);
  one.listener.socket.reset();
  ++outcome_.servers;
  for (const Job& job : jobs_) add_job(job, node);
}

void World::tell(const machine::PmixOrders& commands) {
  for (const machine::PmixOrder& one : commands) {
    if (nodes_[one.node].link) wire::append(nodes_[one.node].out, wire::PmixDown{one.command});
  }
}

void World::take(std::uint32_t node, const Upcall& upcall) {
  outcome_.heard.push_back(upcall);
  if (std::holds_alternative<Aborted>(upcall)) end_all();
  if (const auto* order = std::get_if<Spawn>(&upcall)) spawn(node, *order);
  if (const auto* last = std::get_if<Finalized>(&upcall)) {
    finalized_.insert(last->proc);
    tell({{node, Reply{last->ticket, kSuccess, ""}}});
  }
  tell(exchange_.take(node, upcall));
}

void World::hear(std::uint32_t node) {
  Node& one = nodes_[node];
  std::array<char, 65536> piece;
  const ssize_t got = ::recv(one.link.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    one.link.reset();
    return end_all();
  }
  one.reader.feed({piece.data(), static_cast<std::size_t>(got)});
  while (true) {
    const auto next = one.reader.next();
    if (!next || !*next) return;
    const auto& message = std::get<wire::ToHead>(**next);
    take(node, std::get<wire::PmixUp>(message).upcall);
  }
}

void World::step() {
  std::vector<pollfd> entries{{output_read_.get(), POLLIN, 0}};
  for (Node& node : nodes_) {
    const bool idle = static_cast<bool>(node.listener.socket);
    entries.push_back({idle ? node.listener.socket.get() : node.link.get(), POLLIN, 0});
  }
  constexpr int kTickMs = 2;  // for reaping; a real launcher has pidfds
  ::poll(entries.data(), entries.size(), kTickMs);
  if (entries[0].revents != 0) {
    std::array<char, 65536> piece;
    const ssize_t got = ::read(output_read_.get(), piece.data(), piece.size());
    if (got > 0) outcome_.output.append(piece.data(), static_cast<std::size_t>(got));
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (entries[i + 1].revents == 0) continue;
    if (node.listener.socket) {
      start_server(i);
    } else {
      hear(i);
    }
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) flush(i);
}

// Waits for the server, which always reads.
void World::flush(std::uint32_t node) {
  Node& one = nodes_[node];
  while (one.link && !one.out.empty()) {
    const ssize_t sent = ::send(one.link.get(), one.out.data(), one.out.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    one.out.erase(0, static_cast<std::size_t>(sent));
  }
}

void World::reap() {
  for (auto one = running_.begin(); one != running_.end();) {
    int status = 0;
    if (::waitpid(one->first, &status, WNOHANG) != one->first) {
      ++one;
      continue;
    }
    outcome_.statuses[one->second] = status;
    if (!finalized_.contains(one->second)) outcome_.unfinalized.push_back(one->second);
    one = running_.erase(one);
    if (status != 0) end_all();
  }
}

void World::end_all() {
  for (const auto& [pid, rank] : running_) ::kill(pid, SIGKILL);
}

void World::clean_up() {
  end_all();
  for (const auto& [pid, rank] : running_) ::waitpid(pid, nullptr, 0);
  running_.clear();
  for (Node& node : nodes_) {
    node.link.reset();
    if (node.server != 0) ::waitpid(std::exchange(node.server, 0), nullptr, 0);
  }
  std::error_code ignored;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) fs::remove_all(scratch(node), ignored);
}

Outcome World::run() {
  const auto begin = Clock::now();
  deadline_ = begin + wish_.limit;
  AppOrder order;
  order.arguments = wish_.command;
  start_job(job_, order);
  while (!running_.empty()) {
    step();
    reap();
    if (Clock::now() > deadline_ && !outcome_.late) {
      outcome_.late = true;
      end_all();
    }
  }
  outcome_.took = Clock::now() - begin;
  // What the ranks said last.
  pollfd entry{output_read_.get(), POLLIN, 0};
  while (::poll(&entry, 1, 0) > 0) {
    std::array<char, 65536> piece;
    const ssize_t got = ::read(output_read_.get(), piece.data(), piece.size());
    if (got <= 0) break;
    outcome_.output.append(piece.data(), static_cast<std::size_t>(got));
  }
  clean_up();
  return std::move(outcome_);
}

namespace {

// Goes with the process that made it, not with its children.
class TestFolder {
 public:
  TestFolder() : owner_(::getpid()) { made_ = ::mkdtemp(path_.data()) != nullptr; }
  ~TestFolder() {
    std::error_code ignored;
    if (made_ && ::getpid() == owner_) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = fs::temp_directory_path() / "muster-pmix-XXXXXX";
  pid_t owner_;
  bool made_ = false;
};

}  // namespace

std::string mpi_ranks() {
  static const TestFolder folder;
  const std::string program = folder.path() + "/mpi_ranks";
  if (fs::exists(program)) return program;
  const std::string command =
      fmt::format("mpicc.openmpi -o {} {}/tests/unit/pmix/mpi_ranks.c -ldl 2>{}.log", program,
                  MUSTER_SOURCE_DIR, program);
  return std::system(command.c_str()) == 0 ? program : "";
}

}  // namespace muster::pmix::test
