// How hosts are reached and when they count as lost: one group of settings, which every front end
// takes as options, muster.yml as keys of a target and, for all, of `run`, and variables say too.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "front/call.hpp"
#include "front/request.hpp"
#include "front/table.hpp"
#include "job/target.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_ssh_command(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_ssh_port(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_ssh_identity(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_agent_path(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_patience(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_most_open(const Typed& typed, model::JobSpec& spec);
[[nodiscard]] base::Result<void> set_lease(const Typed& typed, model::JobSpec& spec);

struct ReachSetting {
  OptionText text;  // without a group, which is the front end's own
  std::string_view variable;
  std::string_view key;  // of a target in muster.yml, and of `run`
  base::Result<void> (*set)(const Typed&, model::JobSpec&);
};

inline constexpr std::array<ReachSetting, 7> kReachSettings = {{
    {{"--ssh-command",
      {},
      Takes::text,
      "COMMAND",
      "Command to use instead of ssh, with shell quoting: 'ssh -J jump' (default: ssh)."},
     "MUSTER_SSH_COMMAND",
     "ssh_command",
     set_ssh_command},
    {{"--ssh-port",
      {},
      Takes::number,
      "PORT",
      "The ssh port of every host (default: what the ssh configuration says)."},
     "MUSTER_SSH_PORT",
     "ssh_port",
     set_ssh_port},
    {{"--ssh-identity",
      {},
      Takes::file,
      "FILE",
      "The private key for ssh (default: what the ssh configuration says)."},
     "MUSTER_SSH_IDENTITY",
     "ssh_identity",
     set_ssh_identity},
    {{"--agent-path",
      {},
      Takes::text,
      "PATH",
      "Path of muster on the hosts (default: its path on this machine)."},
     "MUSTER_AGENT_PATH",
     "agent_path",
     set_agent_path},
    {{"--start-timeout",
      {},
      Takes::number,
      "SECONDS",
      "Time limit for one attempt to connect to a host (default: 15)."},
     "MUSTER_START_TIMEOUT",
     "start_timeout",
     set_patience},
    {{"--max-open",
      {},
      Takes::number,
      "N",
      "How many hosts to connect to at the same time (default: 32)."},
     "MUSTER_MAX_OPEN",
     "max_open",
     set_most_open},
    {{"--lease",
      {},
      Takes::number,
      "SECONDS",
      "Treat a host as lost after this time without any message (default: 8)."},
     "MUSTER_LEASE",
     "lease",
     set_lease},
}};

// Indexes of that table.
enum class Reach : std::size_t {
  ssh_command,
  ssh_port,
  ssh_identity,
  agent_path,
  patience,
  most_open,
  lease
};
[[nodiscard]] constexpr const ReachSetting& reach_setting(Reach which) {
  return kReachSettings[static_cast<std::size_t>(which)];
}

// That of an option.
[[nodiscard]] const ReachSetting& reach_setting(std::string_view option);

// What the call wishes, in place of all that has been said.
[[nodiscard]] base::Result<void> take_reach_wishes(const Call& call, RunRequest& request);

// Where ranks start belongs to the group as well, but that job files and batch systems have words
// of their own for it, and that launchers may say it of each program.
inline constexpr std::string_view kWorkdir = "--workdir";

// A draft has a request with a spec; that of records calls it `reach`.
template <class Draft, Reach Which>
base::Result<void> take_reach(Draft& draft, const Typed& typed) {
  const ReachSetting& setting = reach_setting(Which);
  draft.request.said_reach.push_back(setting.text.names);
  if constexpr (requires { draft.request.spec; }) {
    return setting.set(typed, draft.request.spec);
  } else {
    return setting.set(typed, draft.request.reach);
  }
}

template <class Draft, Reach Which>
[[nodiscard]] constexpr Option<Draft> reach_row(std::string_view group) {
  OptionText text = reach_setting(Which).text;
  text.group = group;
  return {text, take_reach<Draft, Which>};
}

// The options that have another muster command reach hosts as this spec does, with their values;
// none where nothing was said.
[[nodiscard]] std::vector<std::string> reach_words(const model::CarrierSpec& carrier);

// Whether muster.yml's values of settings can be read. `section`: "run." or nothing.
[[nodiscard]] base::Result<void> check_reach(const std::vector<job::Named>& said,
                                             std::string_view section, const std::string& source);

// Sets the defaults of what no option has `said`: from the variables and MUSTER_WORKDIR, else from
// `run` in muster.yml. In a rank the head above reaches the hosts, and ranks start where the
// launcher is: what the file says of that is not for it. The command instead of ssh is left to
// take_inherited_settings().
[[nodiscard]] base::Result<void> take_usual_reach(const Call& call, const job::Targets& defaults,
                                                  const SaidReach& said, model::JobSpec& spec);

// One of these settings. Whether anybody says what is usual.
[[nodiscard]] base::Result<bool> take_usual(const Call& call, const job::Targets& defaults,
                                            const ReachSetting& setting, model::JobSpec& spec);

}  // namespace muster::front
