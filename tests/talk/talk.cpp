// Plays agents to the real head and heads to the real agent, with valid frames in any order and
// damaged ones. What is said follows from a seed; how fast, from the machine.
//
//   MUSTER_TALK_SECONDS=3600 talk     so long, from seed 1 (MUSTER_TALK_FIRST), 3 s unless told
//   MUSTER_TALK_SEED=4711 talk        that conversation alone, again
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "talk/conversation.hpp"

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

// Every kWorkers-th seed; ends with 1 at the first that fails.
[[noreturn]] void work(std::uint64_t seed, Clock::time_point end, int count,
                       const std::string& program) {
  std::uint64_t done = 0;
  for (; Clock::now() < end; seed += kWorkers, ++done) {
    if (one(seed, program) != 0) std::_Exit(1);
  }
  (void)!::write(count, &done, sizeof done);
  std::_Exit(0);
}

int all(const std::string& program) {
  const auto seconds = number("MUSTER_TALK_SECONDS", 3);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  const std::uint64_t first = number("MUSTER_TALK_FIRST", 1);
  int counts[2];
  if (::pipe(counts) != 0) return 1;
  for (std::uint64_t i = 0; i < kWorkers; ++i) {
    if (::fork() == 0) work(first + i, end, counts[1], program);
  }
  int failed = 0;
  for (int status = 0; ::wait(&status) > 0;) failed += status != 0 ? 1 : 0;
  ::close(counts[1]);
  std::uint64_t sum = 0;
  std::uint64_t done = 0;
  while (::read(counts[0], &done, sizeof done) > 0) sum += done;
  fmt::print("{} conversations in {} s, {} of {} workers met a fault\n", sum, seconds, failed,
             kWorkers);
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
  const std::uint64_t seed = number("MUSTER_TALK_SEED", 0);
  return seed == 0 ? all(program) : one(seed, program);
}
