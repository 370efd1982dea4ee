// Runs a guard's loop and watches real processes for the tests.
#include "unit/process/guard_fixture.hpp"

#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::process::test {

UniqueFd watch(pid_t pid) { return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool has_ended(const UniqueFd& watched, std::chrono::milliseconds within) {
  pollfd source{watched.get(), POLLIN, 0};
  return ::poll(&source, 1, static_cast<int>(within.count())) == 1;
}

pid_t child_of(pid_t pid, int after) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    pid_t child = 0;
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
    for (int i = 0; i <= after && !(children >> child).fail(); ++i) continue;
    if (!children.fail()) return child;
    ::usleep(1000);
  }
  ADD_FAILURE() << "process " << pid << " has no child after " << after;
  return 0;
}

std::string read_all(const UniqueFd& from) {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(from.get(), part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

std::string read_line(const UniqueFd& from) {
  std::string line;
  char c = 0;
  while (::read(from.get(), &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

std::vector<UniqueFd> watch_lines(const UniqueFd& from, std::size_t count) {
  std::vector<UniqueFd> watched;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string line = read_line(from);
    if (line.empty()) break;
    UniqueFd fd = watch(std::stoi(line));
    EXPECT_TRUE(fd) << "process " << line << " is gone already";
    watched.push_back(std::move(fd));
  }
  EXPECT_EQ(watched.size(), count);
  return watched;
}

SpawnOrder order_of(ProcessId id, const std::string& program,
                    const std::vector<std::string>& arguments) {
  SpawnOrder order;
  order.id = id;
  order.program = program;
  order.arguments = {program};
  order.arguments.insert(order.arguments.end(), arguments.begin(), arguments.end());
  order.environment = {"PATH=/usr/bin:/bin"};
  return order;
}

SpawnOrder shell(ProcessId id, const std::string& script) {
  return order_of(id, "/bin/sh", {"-c", script});
}

void GuardTest::SetUp() {
  auto process = fork_guard();
  ASSERT_TRUE(process.has_value());
  warden_pid_ = process->warden;
  guard_pid_ = child_of(warden_pid_);
  guard_ = std::make_unique<Guard>(loop_, std::move(*process), events());
  guard_->set_grace(base::Duration(200));
}

GuardEvents GuardTest::events() {
  return {
      [this](const Spawned& reply) {
        told_.spawned[reply.id] = reply;
        told_.log.push_back(fmt::format("spawned {}", reply.id));
      },
      [this](const Ended& reply) {
        told_.ended[reply.id] = reply;
        told_.log.push_back(fmt::format("ended {}", reply.id));
      },
      [this](const Swept& reply) {
        told_.swept.push_back(reply);
        told_.log.push_back("swept");
      },
      [this](Lost lost) {
        told_.lost = lost;
        told_.log.push_back("lost");
      },
  };
}

bool GuardTest::run_until(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    loop_.restart();
    loop_.run_one_until(deadline);
  }
  return true;
}

bool GuardTest::run_until_ended(ProcessId id) {
  return run_until([&] { return told_.ended.contains(id) || told_.lost; }) && !told_.lost;
}

UniqueFd GuardTest::spawn_with_output(SpawnOrder order) {
  auto pipe = make_pipe().value();
  order.out = pipe.write.get();
  guard_->spawn(order);
  // The guard must have taken the descriptor before the end of the file can come.
  EXPECT_TRUE(run_until([&] { return told_.spawned.contains(order.id) || told_.lost; }));
  return std::move(pipe.read);
}

std::string GuardTest::output_of(SpawnOrder order) { return read_all(spawn_with_output(order)); }

}  // namespace muster::process::test
