// The words of one srun that starts agents on several hosts: its command line, what it hands to the
// agents, and what comes of them and of srun itself. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/inventory.hpp"

namespace muster::link {

// The word behind "agent" for one that is to connect to its head.
inline constexpr std::string_view kCallsHead = "called";

// One task on each host; the hosts are of one component of the Slurm job around. The loss of one is
// no reason for srun to end the others, which the head does.
[[nodiscard]] std::vector<std::string> shared_step_words(const model::CarrierSpec& carrier,
                                                         std::optional<std::uint32_t> component,
                                                         const std::vector<std::string>& hosts,
                                                         const std::string& name,
                                                         const std::string& agent_path);

// How an agent finds its head. The address is the one at which Slurm itself reaches srun
// (SLURM_LAUNCH_NODE_IPADDR); the secret is for this step only.
struct HeadCall {
  std::uint16_t port = 0;
  base::Duration patience{};  // of an agent, until it has been heard
  std::string secret;
  bool operator==(const HeadCall&) const = default;
};

// How long an agent tries, of so many that call at the same moment: 2 s, and 5 ms for each; no more
// than half of the limit for the whole start, so that there is time for another way.
[[nodiscard]] base::Duration call_patience(std::size_t hosts, base::Duration start_limit);

// The line on the agents' stdin: others may see a command line, and an environment is handed on.
inline constexpr std::size_t kCallMax = 200;
[[nodiscard]] std::string call_line(const HeadCall& call);
[[nodiscard]] std::optional<HeadCall> read_call(std::string_view line);

// The last line of an agent that cannot connect to its head; `labelled` reads it again.
[[nodiscard]] std::string uncalled_line(std::string_view host, std::string_view why);

// What srun --label says on stderr, task by task.
class StepErrors {
 public:
  explicit StepErrors(std::vector<std::string> hosts);

  void take(std::string_view bytes);
  // The host's agent has come, as that task.
  void know(std::string_view host, std::uint32_t task);
  // Whole lines that may say what became of the host, without a label: those of its own task, and
  // srun's that name it or no host at all. Those of tasks that nobody knows may be anybody's.
  [[nodiscard]] std::string about(std::string_view host) const;
  // The last of these lines, rather a task's than srun's own; empty: there is none.
  [[nodiscard]] std::string last_words(std::string_view host) const;
  // srun has told how the host's task has ended ("srun: error: n2: task 1: Killed").
  [[nodiscard]] bool has_ended(std::string_view host) const;
  // Why the host's agent cannot connect to the head, once it has said so.
  [[nodiscard]] std::optional<std::string> uncalled(std::string_view host) const;

 private:
  struct Line {
    std::optional<std::uint32_t> task;
    std::string text;
  };
  void add(std::string_view line);
  [[nodiscard]] bool names_other(std::string_view text, std::string_view host) const;
  [[nodiscard]] bool is_about(const Line& line, std::string_view host) const;

  static constexpr std::size_t kLinesMax = 512;  // the last ones
  std::string rest_;                             // of a line that is not whole
  std::vector<Line> lines_;
  std::vector<std::string> hosts_;                            // sorted
  std::map<std::uint32_t, std::string> tasks_;                // host of each that is known
  std::map<std::string, std::string, std::less<>> uncalled_;  // host to why
};

}  // namespace muster::link
