// JobSpec: what was asked, whichever front end asked it. Plain values, checked by spec.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/container.hpp"
#include "model/environment_rule.hpp"
#include "model/failure_rule.hpp"
#include "model/host_source.hpp"
#include "model/mapping.hpp"
#include "model/output_spec.hpp"
#include "model/terminal_size.hpp"

namespace muster::model {

inline constexpr std::uint32_t kRanksMax = 1'000'000;
// Of a job that has roles: a variable of 128 KiB at the most names address and port of each.
inline constexpr std::uint32_t kRolesRanksMax = 2048;

// One host as it was written in -H or a hostfile; the same host may be written several times.
struct HostEntry {
  std::string name;
  std::string user;                        // empty: the user's ssh configuration decides
  std::uint32_t port = 0;                  // 0: the user's ssh configuration decides
  std::optional<std::uint32_t> slots;      // not given: see plan::inventory()
  std::optional<std::uint32_t> max_slots;  // a hard cap, even with --oversubscribe
  base::Place place;                       // "-H", or the file with line and column
  bool slots_are_cores = false;            // "host:*": as many slots as it has cores
  // Its ranks' CUDA_VISIBLE_DEVICES, the same for all; empty: not set. With JobSpec::gpus_per_rank
  // they see no more of these than that many for each of them.
  std::string visible = {};
  // Of the batch job around: the component, if a Slurm job has several; the rank of Flux's broker.
  std::optional<std::uint32_t> component = {};
  bool operator==(const HostEntry&) const = default;
};

// -x NAME (value from the launching shell) or -x NAME=VALUE.
struct EnvSetting {
  std::string name;
  std::optional<std::string> value;
  bool ours = false;  // not asked for: the launcher that muster replaces sets it, too
  bool operator==(const EnvSetting&) const = default;
};

// Who reads the launcher's stdin. `inherited`: nobody is sent it; the ranks beside the launcher
// have it as theirs, as children of torchrun, deepspeed and horovodrun do, and other hosts' have
// none.
enum class StdinTo : std::uint8_t { none, one, all, inherited };

struct StdinSpec {
  StdinTo to = StdinTo::none;
  base::Rank rank;  // meaningful for `one`
  bool operator==(const StdinSpec&) const = default;
};

// How MPI programs find each other: PMIx and PMI for every rank, one of them, or none.
enum class Wireup : std::uint8_t { automatic, pmix, pmi1, pmi2, none };

// Frameworks whose ranks differ by role and must know each other's ports before they start.
enum class Roles : std::uint8_t { none, tensorflow, mindspore };

// How remote agents are started.
struct CarrierSpec {
  std::vector<std::string> command = {"ssh"};  // called as: command... HOST REMOTE-COMMAND
  std::uint32_t port = 0;
  std::string identity;
  std::string agent_path;  // empty: the same path as this program
  // HOST is its component, instead of its name.
  bool by_component = false;
  // What else srun is told: at least how a step shares its host with steps that hold all of it.
  // Empty: hosts of the batch job around are reached like all others.
  std::vector<std::string> step_words = {"--overlap"};
  // What starts the agent on its host: a program that is called with the agent's words. Empty: the
  // host's shell alone.
  std::vector<std::string> wrapper = {};
  // The socket of a head above this one, which is asked for hosts; empty: there is none.
  std::string above;
  std::uint32_t parallel = 32;                         // hosts being opened at the same time
  base::Duration patience = std::chrono::seconds(15);  // one attempt, until the agent has greeted
  bool operator==(const CarrierSpec&) const = default;
};

// Some words of a command line; those past its end are ignored.
struct WordRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const WordRange&) const = default;
};

// One program of a job and its ranks: an application context in MPI's words.
struct App {
  std::vector<std::string> command;    // program and arguments; never empty once checked
  std::optional<std::uint32_t> ranks;  // not given: see plan::place()
  std::vector<EnvSetting> exports;     // in the order typed; later ones win
  bool clean = false;                  // nothing of the launching shell but what -x names
  std::string workdir;                 // absolute; where its ranks start, on every host
  std::string path;                    // folders searched before PATH, with ':' between; or empty
  std::vector<std::string> hosts;      // names among JobSpec::hosts, no others; empty: all of them
  // A bare name that is not on PATH may lie in `workdir`: Open MPI's rule (opal/util/path.c).
  bool tries_workdir = false;
  std::string role;            // what its ranks are in the job ("worker"); may be empty
  bool serves = false;         // its ranks are ended once all others have ended: parameter servers
  std::string image = {};      // of its ranks, if it is not that of the job
  WordRange local_rank_words;  // in which ${local_rank} is each rank's own
  // A program that the launching shell finds on PATH in a virtual or conda environment, such as
  // "python3", and the environment's folder: hosts that find it elsewhere say so. Empty: none.
  std::string python_program = {};
  std::string python_environment = {};
  std::string python_path = {};  // folders behind PYTHONPATH as each host has it; or empty
  bool operator==(const App&) const = default;
};

// A Horovod job whose ranks may find each other through gloo: the head serves the key-value store
// for it.
struct GlooSpec {
  std::string interface;  // to serve on, and for ranks to talk over; empty: where ssh reached hosts
  bool only = false;      // Horovod is told to use gloo, whatever else it has been built with
  bool operator==(const GlooSpec&) const = default;
};

// Further variables of ranks that torchrun's command line started.
struct TorchSpec {
  std::string run_id = "none";
  bool own_id = false;  // run_id is the job's own random name instead
  std::uint32_t max_restarts = 0;
  bool operator==(const TorchSpec&) const = default;
};

// A signal to all ranks some time before the time limit, so that they can save what they have.
struct Notice {
  std::int32_t signal = 0;
  base::Duration before{0};
  bool operator==(const Notice&) const = default;
};

struct JobSpec {
  std::vector<App> apps = {{}};  // never empty; ranks are numbered through them in this order
  std::optional<std::uint32_t> per_node;
  Mapping mapping;
  SlotRule slot_rule = SlotRule::muster;
  bool oversubscribe = false;
  std::uint32_t gpus_per_rank = 0;  // 0: devices are left as they are
  bool share_gpus = false;          // ranks may have devices that other jobs of muster have claimed

  HostSource source = kHostsHere;
  std::string source_name;  // the hostfile's path, or "-H"
  std::vector<HostEntry> hosts;
  std::uint32_t fake_nodes = 0;  // > 0: that many agents on this machine; excludes hosts
  bool fake_hosts = false;       // `hosts` are names for this machine, with an agent for each
  bool names_are_hosts = false;  // each name in `hosts` is a host, even where two mean one machine

  EnvironmentRule environment;
  // The ranks meet in torch's store, whose listener sets SO_REUSEADDR: MASTER_PORT can be held for
  // it.
  bool torch_store = false;
  bool deepspeed = false;  // ranks get LOCAL_SIZE, CROSS_RANK and CROSS_SIZE, too
  // Where each node has one rank, none is told LOCAL_RANK, as under mpirun or in a job of one
  // process: Lightning takes that for a sign that somebody has started its local workers
  // (LightningEnvironment), and starts none.
  bool lone_ranks_start_workers = false;
  bool of_job_file = false;   // counts and room for them are said in files, not by options
  bool python_errors = true;  // the report shows the exception of a Python rank that raised

  // DeepSpeed's see those of all ranks on their host.
  [[nodiscard]] bool ranks_have_own_gpus() const { return gpus_per_rank > 0 && !deepspeed; }

  std::vector<std::string> launchers;  // names under which programs find muster on their PATH
  std::vector<std::string> folders;    // made on every host before its ranks start
  std::string hostfile;  // text behind AZUREML_MPI_HOSTFILE; empty: the hosts of this job

  // None for torchrun and for jobs of PyTorch, as with their own launchers: where there is mpi4py,
  // Lightning takes a world of MPI for the job's (MPIEnvironment.detect), and starts no workers.
  Wireup wireup = Wireup::automatic;
  Roles roles = Roles::none;  // how ranks learn their App::role
  std::optional<GlooSpec> gloo;
  std::optional<TorchSpec> torch;

  StdinSpec input;
  OutputSpec output;
  std::optional<TerminalSize> terminal;  // each rank's stdout is one of its own; none: a pipe
  CarrierSpec carrier;
  std::optional<ContainerSpec> container;  // none: ranks run on the host itself

  FailureRule failure;
  std::uint32_t max_restarts = 0;                  // rounds after one in which a rank failed
  base::Duration grace = std::chrono::seconds(5);  // between the ending signal and SIGKILL
  base::Duration lease = std::chrono::seconds(8);  // silence after which the other side is lost
  std::optional<base::Duration> timeout;           // the whole job
  std::optional<Notice> notice;                    // only with `timeout`, which is longer
  bool state_at_timeout = false;                   // before the end: what each rank is doing
  bool stacks_at_timeout = false;                  // the same, with its stack
  // How long ranks in MPI_Init, or in hvd.init() through the head's store, wait for those that have
  // not called it; none: for ever.
  std::optional<base::Duration> init_timeout;
  std::vector<std::int32_t> forwarded_signals = {SIGUSR1, SIGUSR2};  // from us to the ranks
  bool outlives_terminal = false;  // SIGHUP does not end it, nor does a terminal that is gone
  bool verbose = false;
  bool operator==(const JobSpec&) const = default;
};

// Of all apps; 0: one of them leaves it to the hosts.
[[nodiscard]] inline std::uint64_t ranks_given(const JobSpec& spec) {
  std::uint64_t sum = 0;
  for (const App& app : spec.apps) {
    if (!app.ranks) return 0;
    sum += *app.ranks;
  }
  return sum;
}

}  // namespace muster::model
