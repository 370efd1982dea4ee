// The environment of each rank: what is passed on from the launching shell, and every framework's
// dialect. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/meeting_point.hpp"
#include "model/plan.hpp"

namespace muster::plan {

// A variable of the launching shell that is not passed on, and why.
struct Withheld {
  std::string name;
  std::string why;
  bool operator==(const Withheld&) const = default;
};

struct Forwarded {
  std::vector<model::Variable> kept;  // with -x applied; sorted by name
  std::vector<Withheld> withheld;     // sorted by name
  bool operator==(const Forwarded&) const = default;
};

// Which machine a rank runs on: that of the launching shell, or another.
enum class Machine : std::uint8_t { same, another };

// What the ranks of an app get from the launching shell ("NAME=VALUE" entries).
//
// Left out everywhere: other launchers' variables for single ranks (PMI_*, PMIX_*,
// OMPI_COMM_WORLD_*, SLURM_PROCID, TORCHELASTIC_*, MUSTER_* ...) and those of AppDialects (RANK,
// MASTER_ADDR ...), since a stale one misleads.
//
// Left out on other machines: what belongs to one host or login. DISPLAY, SSH_*, XDG_*, TMPDIR,
// CUDA_VISIBLE_DEVICES and its twins, HOSTNAME, HOME, USER, SHELL, PWD and the like.
//
// -x NAME is always passed on, but what a launcher adds to it by itself may be unset; -x of a name
// that is not set is Fault::usage. A clean app: only -x.
[[nodiscard]] base::Result<Forwarded> forwarded(std::span<const std::string> launching_shell,
                                                const model::App& app,
                                                const model::EnvironmentRule& rule,
                                                Machine machine);

// What is passed on from the launching shell, by the machine that ranks run on.
struct Kept {
  std::vector<Forwarded> same_machine;  // index: app
  std::vector<Forwarded> elsewhere;     // index: app

  [[nodiscard]] const std::vector<Forwarded>& on(const model::Host& host) const {
    return host.carrier.same_machine ? same_machine : elsewhere;
  }
  // For so many apps, each with what is passed on to one of these.
  [[nodiscard]] Kept of_app(std::size_t app, std::size_t count) const {
    return {std::vector<Forwarded>(count, same_machine[app]),
            std::vector<Forwarded>(count, elsewhere[app])};
  }
  bool operator==(const Kept&) const = default;
};

// What an agent's own environment contributes below `forwarded`: all of it but SSH_* and what
// `forwarded` leaves out everywhere, or, when clean, only what makes an account usable (HOME USER
// LOGNAME SHELL PATH LANG LC_* TZ TERM).
[[nodiscard]] std::vector<std::string> account(std::span<const std::string> agents_own, bool clean,
                                               const model::EnvironmentRule& rule);

// Whether ranks are given AZUREML_MPI_HOSTFILE, unless they have one.
[[nodiscard]] bool gives_hostfile(const model::EnvironmentRule& rule);

// What is known about each node when its environment is made: index = node. What only the facts of
// a node can tell is put in angle brackets without them (dry run), as in "<address of node1>".
struct Rendezvous {
  model::MeetingPoint point;
  std::vector<std::string> interfaces;  // per node: the one that reaches the others, or empty
  std::vector<std::optional<model::Cpus>> cpus;  // per node
  std::vector<std::string> reasons;              // per node: how its address was found
  std::vector<bool> rdma;                        // per node: it has InfiniBand or RoCE adapters
  // Per node, nothing without its facts; fake nodes share those of their machine out.
  std::vector<std::optional<std::vector<model::Devices>>> devices = {};
  std::vector<std::vector<model::Devices>> claimed = {};  // per node: left to other jobs of muster
  // Per node: the ports of its ranks, nothing without its facts; none where ranks need none.
  std::vector<std::optional<std::vector<std::uint16_t>>> rank_ports = {};
  std::string head = {};                // this machine as the hosts see it; empty: not known
  std::vector<std::string> ports = {};  // per node: one that its agent has claimed
  bool operator==(const Rendezvous&) const = default;
};
[[nodiscard]] Rendezvous rendezvous(const model::Plan& plan,
                                    std::span<const std::optional<model::HostFacts>> facts);

// What some of the nodes, in this order, know of each other: for a world that lives only there.
[[nodiscard]] Rendezvous for_nodes(const Rendezvous& all, std::span<const std::size_t> nodes);

// What the hosts add when ranks start there: to all of an app, and to one beyond that; in angle
// brackets where only the host knows.
[[nodiscard]] std::vector<model::Variable> added_for_app(const model::Plan& plan,
                                                         const model::JobSpec& spec,
                                                         std::uint32_t app);
[[nodiscard]] std::vector<model::Variable> added_for_rank(const model::Plan& plan,
                                                          const model::JobSpec& spec,
                                                          base::Rank rank);

// When the job will be ended, in whole seconds since the epoch: by its own time limit, or by that
// of the run of muster around it, which MUSTER_DEADLINE of the launching shell tells, or by that of
// the Slurm job around (SLURM_JOB_END_TIME, srun.1); the soonest.
[[nodiscard]] std::optional<std::int64_t> deadline(std::chrono::milliseconds now_since_epoch,
                                                   std::optional<base::Duration> timeout,
                                                   std::span<const std::string> launching_shell);

// How often the batch job around was started before: Slurm counts that for jobs that it has
// requeued (SLURM_RESTART_COUNT: sbatch(1), OUTPUT ENVIRONMENT VARIABLES). At most 100,000.
[[nodiscard]] std::uint32_t starts_before(std::span<const std::string> launching_shell);

// Whether muster sets such a variable only where the user has not.
[[nodiscard]] bool is_default(std::string_view name);

// The text of the file that AZUREML_MPI_HOSTFILE names: "host slots=N" lines, nothing else; N is at
// least the number of ranks there.
[[nodiscard]] std::string hostfile_text(const model::Plan& plan);
// Whether such a text has a line for a host of this name.
[[nodiscard]] bool lists_host(std::string_view hostfile, std::string_view name);

}  // namespace muster::plan
