// sources: where the host list of a job is looked for, in the order in which it is. Pure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/host_source.hpp"
#include "model/job_spec.hpp"
#include "spec/host_form.hpp"

namespace muster::spec {

// The hostfile of the job whose command called muster, one "HOST slots=N" a line.
inline constexpr std::string_view kHostfile = "AZUREML_MPI_HOSTFILE";
// Set for the command of a job that starts the job's ranks itself.
inline constexpr std::string_view kStartsRanks = "MUSTER_STARTS_RANKS";
// Its value where that job keeps no record: what its launchers start are runs of their own.
inline constexpr std::string_view kRunsOfTheirOwn = "2";

// A variable of the launching environment; nothing: it is not set.
using Variable = std::function<std::optional<std::string_view>(std::string_view name)>;

// All that a source may look at.
struct HostQuery {
  std::optional<std::string> list = {};  // as typed: "node1:8,node2"
  std::string file = {};                 // path of a hostfile, as typed
  // The text of a file, or a complaint; `most`: bytes beyond which it is too large.
  std::function<base::Result<std::string>(const std::string& path, std::size_t most)> read_file =
      {};
  // Likewise, of a file that a batch system's variable names; null: the same.
  std::function<base::Result<std::string>(const std::string& path, std::size_t most)> read_around =
      {};
  Variable variable = {};  // null: the environment does not count
  // What a program says on its stdout, once it has ended well; null: none is called.
  std::function<base::Result<std::string>(const std::vector<std::string>& words)> ask = {};
  HostForm form = {};
  // The one batch system whose job counts, in Hydra's words ("pbs", "slurm"); "user": none does.
  std::string_view manager = {};
};

struct HostsFound {
  model::HostSource source = model::kHostsHere;
  std::string name = {};  // for people: "-H", the hostfile's path
  std::vector<model::HostEntry> hosts = {};
};

// Nothing: this source is not there.
using FindHosts = base::Result<std::optional<HostsFound>> (*)(const HostQuery& asked);

[[nodiscard]] base::Result<std::optional<HostsFound>> typed_list(const HostQuery& asked);
[[nodiscard]] base::Result<std::optional<HostsFound>> typed_hostfile(const HostQuery& asked);
[[nodiscard]] base::Result<std::optional<HostsFound>> hostfile_around(const HostQuery& asked);
// The hosts of the Flux instance around, or of the job in it; their components are the ranks of
// their brokers. Goes before Slurm, below which the instance may have been started.
[[nodiscard]] base::Result<std::optional<HostsFound>> flux_job_around(const HostQuery& asked);
// The command whose answer tells them.
[[nodiscard]] std::vector<std::string> flux_question(const Variable& variable);
// The hosts of the Slurm job around; within a rank of ours that job's hosts are its launcher's.
// Where muster is called on each host of a step, the step's (spec/step_place.hpp).
[[nodiscard]] base::Result<std::optional<HostsFound>> allocation_around(const HostQuery& asked);
// The hosts of the job of PBS, LSF, Grid Engine or OAR around; likewise.
[[nodiscard]] base::Result<std::optional<HostsFound>> batch_job_around(const HostQuery& asked);

// How the hosts of a batch job are reached.
struct BatchReach {
  std::vector<std::string> command = {};  // called as ssh is; empty: it is ssh
  std::vector<std::string> wrapper = {};  // stands before the agent's words on the host
  bool by_component = false;              // a host is called by its component
  bool operator==(const BatchReach&) const = default;
};

// Those of a Flux job, by `flux exec`, which passes on whole lines of text, and none with a null
// byte.
[[nodiscard]] BatchReach flux_reach();

// The user's words for that: a program instead of the batch system's, and what else it is told.
struct BatchProgram {
  std::vector<std::string> words = {};
  std::vector<std::string> extra = {};
};

// Of the job around, or of that of `manager`; nothing: there is none.
[[nodiscard]] std::optional<BatchReach> batch_job_reach(const Variable& variable,
                                                        std::string_view manager = {},
                                                        const BatchProgram& program = {});
// "Grid Engine" of "sge"; empty: no batch system that Hydra or we know, or Slurm.
[[nodiscard]] std::string_view batch_name(std::string_view manager);

// Every source that there is; the first that is there gives the hosts, in the form that is asked.
[[nodiscard]] std::span<const FindHosts> sources();

// None is there: this machine alone.
[[nodiscard]] base::Result<HostsFound> find_hosts(const HostQuery& asked,
                                                  std::span<const FindHosts> among = sources());

// The path of the hostfile around, when the job leaves starting ranks to its command.
[[nodiscard]] std::optional<std::string> path_around(const Variable& variable);

void take_hosts(model::JobSpec& spec, HostsFound found);

}  // namespace muster::spec
