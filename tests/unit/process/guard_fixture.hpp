// A guard with its event loop for tests, and what they ask of the system about real processes.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "process/guard.hpp"
#include "process/pipe.hpp"

namespace muster::process::test {

// Long enough for a busy machine; only a failing test waits so long.
inline constexpr std::chrono::seconds patience{60};

// The end of a process can be awaited, whoever its parent is. Open it while the process lives.
[[nodiscard]] UniqueFd watch(pid_t pid);
[[nodiscard]] bool has_ended(const UniqueFd& watched, std::chrono::milliseconds within);
// Its oldest child, or the next `after` so many. Waits until there is one.
[[nodiscard]] pid_t child_of(pid_t pid, int after = 0);
// "" at the end of the file.
[[nodiscard]] std::string read_all(const UniqueFd& from);
[[nodiscard]] std::string read_line(const UniqueFd& from);
// Reads one pid per line and watches each.
[[nodiscard]] std::vector<UniqueFd> watch_lines(const UniqueFd& from, std::size_t count);

// `arguments` without argv[0], which is the program.
[[nodiscard]] SpawnOrder order_of(ProcessId id, const std::string& program,
                                  const std::vector<std::string>& arguments = {});
[[nodiscard]] SpawnOrder shell(ProcessId id, const std::string& script);

// What one guard told its owner, in order.
struct Told {
  std::map<ProcessId, Spawned> spawned;
  std::map<ProcessId, Ended> ended;
  std::vector<Swept> swept;
  std::vector<std::string> log;  // "spawned 1", "ended 1", "swept", "lost"
  std::optional<Lost> lost;
};

class GuardTest : public ::testing::Test {
 protected:
  void SetUp() override;

  [[nodiscard]] GuardEvents events();
  // Runs the loop until it is so; false when patience ends.
  [[nodiscard]] bool run_until(const std::function<bool()>& is_so);
  [[nodiscard]] bool run_until_ended(ProcessId id);
  // Spawns with its output into a pipe, and returns all of it.
  [[nodiscard]] std::string output_of(SpawnOrder order);
  // Spawns with its output into a pipe, which it returns while the process runs.
  [[nodiscard]] UniqueFd spawn_with_output(SpawnOrder order);

  asio::io_context loop_;
  Told told_;
  pid_t warden_pid_ = 0;
  pid_t guard_pid_ = 0;  // the warden's child
  std::unique_ptr<Guard> guard_;
};

}  // namespace muster::process::test
