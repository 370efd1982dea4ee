// Plays agents to the real head and heads to the real agent, with valid frames in any order and
// damaged ones. What is said follows from a seed; how fast, from the machine.
//
//   MUSTER_TALK_SECONDS=3600 talk     so long, from seed 1 (MUSTER_TALK_FIRST), 3 s unless told
//   MUSTER_TALK_SEED=4711 talk        that conversation alone, again
//   MUSTER_TALK_MESSAGES=10000000     before that so many in memory, where no time passes (100,000)
//   MUSTER_TALK_IN_MEMORY=4711 talk   one of those conversations again
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "talk/conversation.hpp"
#include "talk/in_memory.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWorkers = 4;  // most of a conversation is waiting

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

int one(std::uint64_t seed, const std::string& program) {
  const std::string wrong = muster::talk::converse(seed, program);
  if (wrong.empty()) return 0;
  fmt::print("conversation {}: {}\nagain: MUSTER_TALK_SEED={} {}\n", seed, wrong, seed, program);
  std::fflush(stdout);
  return 1;
}

// What the workers have done, and where they are; in memory that they share.
struct Progress {
  struct Worker {
    std::uint64_t seed = 0;  // of the conversation under way
    std::uint64_t conversations = 0;
    std::uint64_t messages = 0;
  };
  std::array<Worker, kWorkers> workers;
};

// Every kWorkers-th seed; ends with 1 at the first that fails, and a machine aborts.
[[noreturn]] void work(std::uint64_t seed, std::uint64_t messages, std::chrono::seconds limit,
                       Progress::Worker& own, const std::string& program) {
  for (own.seed = seed; own.messages < messages; own.seed += kWorkers) {
    own.messages += muster::talk::converse_in_memory(own.seed);
  }
  const auto end = Clock::now() + limit;
  for (own.seed = seed; Clock::now() < end; own.seed += kWorkers, ++own.conversations) {
    if (one(own.seed, program) != 0) std::_Exit(1);
  }
  std::_Exit(0);
}

int all(const std::string& program) {
  const auto seconds = number("MUSTER_TALK_SECONDS", 3);
  const auto messages = number("MUSTER_TALK_MESSAGES", 100'000);
  const std::uint64_t first = number("MUSTER_TALK_FIRST", 1);
  auto* const progress = new (::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Progress();
  std::map<pid_t, std::uint64_t> workers;
  for (std::uint64_t i = 0; i < kWorkers; ++i) {
    const pid_t worker = ::fork();
    if (worker == 0) {
      work(first + i, messages / kWorkers, std::chrono::seconds(seconds), progress->workers[i],
           program);
    }
    workers[worker] = i;
  }
  int failed = 0;
  int status = 0;
  for (pid_t ended = 0; (ended = ::wait(&status)) > 0;) {
    if (!workers.contains(ended) || status == 0) continue;
    ++failed;
    if (!WIFSIGNALED(status)) continue;
    fmt::print("in memory: signal {}\nagain: MUSTER_TALK_IN_MEMORY={} {}\n", WTERMSIG(status),
               progress->workers[workers[ended]].seed, program);
  }
  Progress::Worker sum;
  for (const Progress::Worker& one : progress->workers) {
    sum.conversations += one.conversations;
    sum.messages += one.messages;
  }
  fmt::print("{} messages in memory, {} conversations in {} s, {} of {} workers met a fault\n",
             sum.messages, sum.conversations, seconds, failed, kWorkers);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (count > 1 && std::string_view(words[1]) == "part") {
    muster::talk::play_part(count, words);
    return 0;
  }
  if (const std::uint64_t seed = number("MUSTER_TALK_IN_MEMORY", 0); seed != 0) {
    (void)muster::talk::converse_in_memory(seed);
    return 0;
  }
  const std::uint64_t seed = number("MUSTER_TALK_SEED", 0);
  return seed == 0 ? all(program) : one(seed, program);
}
