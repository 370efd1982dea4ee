// mpiexec's table: names, help, and what each option does.
#include "front/hydra/options.hpp"

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/hydra/binding.hpp"
#include "front/hydra/environment.hpp"
#include "front/hydra/hosts.hpp"
#include "front/hydra/output.hpp"
#include "front/hydra/reach.hpp"
#include "front/own_rows.hpp"
#include "front/table.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::kRanksMax;
using What = HydraInherit::What;

Result<void> set_ranks(HydraDraft& draft, const Typed& typed) {
  return read_count(typed, {1, kRanksMax}).map([&](std::uint32_t count) {
    draft.block.app.ranks = count;
  });
}

Result<void> set_per_node(HydraDraft& draft, const Typed& typed) {
  return read_count(typed, {1, kRanksMax}).map([&](std::uint32_t count) {
    draft.request.spec.per_node = count;
  });
}

Result<void> set_folder(HydraDraft& draft, const Typed& typed) {
  draft.request.said_reach.push_back(kWorkdir);
  return read_text(typed).map(
      [&](const std::string& text) { draft.block.app.workdir = absolute(*draft.call, text); });
}

// 0 hides them all, as Hydra does with the value -1.
Result<void> set_gpus(HydraDraft& draft, const Typed& typed) {
  if (base::lower(typed.value) == "auto") return {};
  const auto count = read_count(typed, {0, 1024});
  if (!count) {
    return fail(Fault::usage, "", "{} must be AUTO or a number from 0 to 1024, not {}",
                typed.option, spec::in_quotes(typed.value));
  }
  draft.request.spec.gpus_per_rank = *count;
  if (*count == 0) draft.for_all.push_back({"CUDA_VISIBLE_DEVICES", "-1"});
  return {};
}

Result<void> set_universe(HydraDraft& draft, const Typed& typed) {
  if (typed.value == "SYSTEM") return {};
  if (typed.value != "INFINITE") {
    if (const auto size = read_count(typed, {1, kRanksMax}); !size) {
      return fail(Fault::usage, "", "{} must be SYSTEM, INFINITE or a number, not {}", typed.option,
                  spec::in_quotes(typed.value));
    }
  }
  add_once(draft.notices, fmt::format("{} {} has no effect here: programs are told the slots of "
                                      "all hosts, as with SYSTEM",
                                      typed.option, typed.value));
  return {};
}

Result<void> store(const Typed& typed, std::string& to) {
  return read_text(typed).map([&](std::string text) { to = std::move(text); });
}

constexpr std::string_view kRanks = "Ranks and hosts";
constexpr std::string_view kEnvironment = "Environment";
constexpr std::string_view kPlace = "Processors and devices";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kReach = "Connecting to hosts";
constexpr std::string_view kEnd = "Failures and termination";
constexpr std::string_view kSee = "Information";
constexpr std::string_view kOther = "Without effect, or not supported";

using Row = Option<HydraDraft>;

constexpr auto kRows = std::to_array<Row>({
    {{"-n -np",
      kRanks,
      Takes::number,
      "N",
      "How many ranks of this program to start (default: all slots of the given hosts, else 1).",
      {.scope = Scope::program}},
     set_ranks},
    {{"-ppn -perhost -grr", kRanks, Takes::number, "N",
      "N ranks on each host in turn, whatever its slots."},
     set_per_node},
    {{"-hosts -hostlist -machine -machines -machinelist", kRanks, Takes::hosts, "LIST",
      "Hosts with their slots: node1:8,node2:8; a bare name is one slot."},
     set_hydra_hosts},
    {{"-host",
      kRanks,
      Takes::text,
      "LIST",
      "The same; where several programs have one, each program's own, as in Intel MPI.",
      {.scope = Scope::program}},
     set_hydra_program_hosts},
    {{"-f -hostfile -machinefile", kRanks, Takes::file, "FILE",
      "Hosts from a file, one per line: node1:8 user=name (default: that of HYDRA_HOST_FILE)."},
     set_hydra_hostfile},
    {{"-rankmap", kRanks, Takes::text, "MAP",
      "The host of each rank, by number: 0,0,1,1; or blocks (first host,hosts,ranks on each)."},
     [](HydraDraft& d, const Typed& t) { return store(t, d.rank_map); }},
    {{"-order-nodes",
      kRanks,
      Takes::choice,
      "UP|DOWN",
      "Take hosts with few slots first, or those with many (default: as written).",
      {.choices = "UP DOWN"}},
     set_hydra_order},
    {{"-skip-launch-node", kRanks, Takes::nothing, "", "Start no ranks on this machine."},
     [](HydraDraft& d, const Typed&) { return raise(d.request.spec.mapping.no_local); }},
    {{"-configfile", kRanks, Takes::file, "FILE",
      "Further options from a file, one program per line (default: the file that HYDRA_CONFIG_FILE "
      "names, else ~/.mpiexec.hydra.conf); the command line takes precedence."},
     [](HydraDraft& d, const Typed& t) { return store(t, d.config_file); }},
    {{"-wdir --workdir",
      kRanks,
      Takes::folder,
      "DIR",
      "The folder in which ranks of this program start (default: this one).",
      {.scope = Scope::program}},
     set_folder},

    {{"-genv",
      kEnvironment,
      Takes::text,
      "NAME VALUE",
      "Set this environment variable for all ranks; NAME=VALUE as one argument means the same.",
      {.repeatable = true, .arity = Arity::pair}},
     set_hydra_genv},
    {{"-genvlist", kEnvironment, Takes::text, "NAMES",
      "Pass on only these variables of this shell, to all ranks."},
     [](HydraDraft& d, const Typed& t) { return set_hydra_ginherit(d, t, What::list); }},
    {{"-genvnone", kEnvironment, Takes::nothing, "", "Do not pass on this shell's environment."},
     [](HydraDraft& d, const Typed& t) { return set_hydra_ginherit(d, t, What::none); }},
    {{"-genvall", kEnvironment, Takes::nothing, "",
      "Pass on this shell's environment (the default, unless HYDRA_ENV says otherwise)."},
     [](HydraDraft& d, const Typed& t) { return set_hydra_ginherit(d, t, What::all); }},
    {{"-env",
      kEnvironment,
      Takes::text,
      "NAME VALUE",
      "Set this environment variable for the ranks of this program; NAME=VALUE as one argument "
      "means the same.",
      {.repeatable = true, .arity = Arity::pair, .scope = Scope::program}},
     set_hydra_env},
    {{"-envlist",
      kEnvironment,
      Takes::text,
      "NAMES",
      "As -genvlist, for the ranks of this program.",
      {.scope = Scope::program}},
     [](HydraDraft& d, const Typed& t) { return set_hydra_inherit(d, t, What::list); }},
    {{"-envnone",
      kEnvironment,
      Takes::nothing,
      "",
      "As -genvnone, for the ranks of this program.",
      {.scope = Scope::program}},
     [](HydraDraft& d, const Typed& t) { return set_hydra_inherit(d, t, What::none); }},
    {{"-envall",
      kEnvironment,
      Takes::nothing,
      "",
      "As -genvall, for the ranks of this program.",
      {.scope = Scope::program}},
     [](HydraDraft& d, const Typed& t) { return set_hydra_inherit(d, t, What::all); }},
    {{"-iface", kEnvironment, Takes::text, "NAME",
      "The network interface that ranks use between hosts (default: HYDRA_IFACE, else one that "
      "reaches the others)."},
     [](HydraDraft& d, const Typed& t) { return store(t, d.interface); }},

    {{"-bind-to -binding",
      kPlace,
      Takes::choice,
      "PLACE",
      "Bind ranks: none (the default), machine, numa, socket, core, hwthread, l1cache to l3cache, "
      "each with :N for N of them; gpu, ib, hfi, eth, en, near the host's devices of that kind in "
      "turn; gpu1, mlx5_0, near "
      "that one; rr; user:0+1,2-3,4x2.",
      {.choices =
           "none machine numa socket core hwthread l1cache l2cache l3cache gpu ib hfi eth en "
           "rr"}},
     set_hydra_bind_to},
    {{"-map-by",
      kPlace,
      Takes::choice,
      "PLACE",
      "The places to which ranks of a host are assigned in turn (default: what they are bound "
      "to).",
      {.choices = "machine numa socket core hwthread l1cache l2cache l3cache rr"}},
     set_hydra_map_by},
    {{"-membind",
      kPlace,
      Takes::choice,
      "POLICY",
      "Where each rank's memory comes from: none, firsttouch (the NUMA node of the core that "
      "asks), "
      "bind:LIST (these NUMA nodes alone) or interleave:LIST (in turn). nexttouch has no effect.",
      {.choices = "none firsttouch nexttouch bind:0 interleave:0"}},
     set_hydra_membind},
    {{"-g -gpus-per-proc", kPlace, Takes::text, "N",
      "Give each rank N devices of its host through CUDA_VISIBLE_DEVICES; 0 hides them (default: "
      "AUTO, all ranks see all)."},
     set_gpus},

    {{"-l -prepend-rank", kOutput, Takes::nothing, "",
      "Prefix each line of output with its rank: [3]."},
     set_hydra_prepend_rank},
    {{"-prepend-pattern", kOutput, Takes::text, "PATTERN",
      "Prefix each line with this: %r rank, %h host, %p number of the host, %g number of the "
      "spawned job, %t always 0, %% a percent sign."},
     set_hydra_prepend_pattern},
    {{"-outfile-pattern -outfile", kOutput, Takes::file, "PATTERN",
      "Write stdout to this file only; ranks may share one. Patterns as above."},
     set_hydra_outfile},
    {{"-errfile-pattern -errfile", kOutput, Takes::file, "PATTERN",
      "Write stderr to this file only."},
     set_hydra_errfile},
    {{"-output-from", kOutput, Takes::number, "RANK", "Print the output of this rank only."},
     set_hydra_output_from},

    {{"-launcher -bootstrap",
      kReach,
      Takes::choice,
      "ssh|rsh|fork|slurm|lsf|sge|pbs",
      "How to start agents on hosts: ssh, rsh, fork (simulate hosts on this machine), or as the "
      "batch system around does: srun, blaunch, qrsh -inherit, or ssh and pbs_attach (default: "
      "HYDRA_LAUNCHER, else as the job around does, else ssh).",
      {.choices = "ssh rsh fork slurm lsf sge pbs"}},
     set_hydra_launcher},
    {{"-launcher-exec -bootstrap-exec", kReach, Takes::text, "COMMAND",
      "Command to use instead of ssh, srun, blaunch or qrsh (default: HYDRA_LAUNCHER_EXEC); "
      "HYDRA_LAUNCHER_EXTRA_ARGS is appended."},
     set_hydra_launcher_exec},
    {{"-rmk",
      kReach,
      Takes::choice,
      "user|slurm|ll|lsf|sge|pbs|cobalt",
      "Whose job hosts come from when none are given; user: nobody's (default: HYDRA_RMK, else any "
      "batch job around).",
      {.choices = "user slurm ll lsf sge pbs cobalt"}},
     set_hydra_rmk},

    {{"-disable-auto-cleanup", kEnd, Takes::nothing, "",
      "Let the other ranks continue when a signal ends one."},
     [](HydraDraft& d, const Typed&) {
       d.end.auto_cleanup = false;
       return Result<void>();
     }},
    {{"-enable-auto-cleanup", kEnd, Takes::nothing, "",
      "End the other ranks when a signal ends one (the default)."},
     nullptr},
    {{"-print-all-exitcodes", kEnd, Takes::nothing, "", "Print how each rank ended."},
     [](HydraDraft& d, const Typed&) { return raise(d.end.print_exit_codes); }},

    {{"-v -verbose -debug",
      kSee,
      Takes::nothing,
      "",
      "Print to stderr what muster does, and how long each phase takes.",
      {.repeatable = true}},
     [](HydraDraft& d, const Typed&) { return raise(d.request.spec.verbose); }},
    {{"-info -version",
      kSee,
      Takes::nothing,
      "",
      "Show the version, and the launcher that muster emulates.",
      {.ends = true}},
     [](HydraDraft& d, const Typed&) { return raise(d.info); }},
    {{"-h -help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
     [](HydraDraft& d, const Typed&) { return raise(d.help); }},

    {{"-usize", kOther, Takes::text, "SIZE",
      "The universe size that programs see: SYSTEM, INFINITE or a number; muster always uses "
      "SYSTEM."},
     set_universe},
    {{"-gpu-subdevs-per-proc",
      kOther,
      Takes::text,
      "N",
      "Parts of devices for each rank.",
      {.support = refused("muster deals out whole devices alone")}}},
    {{"-pmi-port",
      kOther,
      Takes::nothing,
      "",
      "Serve PMI on a port.",
      {.support = no_effect("each rank inherits its own descriptor")}}},
    {{"-nameserver",
      kOther,
      Takes::text,
      "HOST:PORT",
      "Publish names for other jobs.",
      {.support = refused("names are published within one job alone")}}},
    {{"-localhost",
      kOther,
      Takes::text,
      "NAME",
      "The name of this machine.",
      {.support = no_effect("addresses are found by asking the hosts")}}},
    {{"-disable-hostname-propagation -enable-hostname-propagation",
      kOther,
      Takes::nothing,
      "",
      "Whether MPICH gets host names.",
      {.support = no_effect("MPICH finds them itself")}}},
    {{"-hybrid-hosts",
      kOther,
      Takes::nothing,
      "",
      "Hosts have folders of their own.",
      {.support = no_effect("--agent-path says where muster is on them")}}},
    {{"-topolib",
      kOther,
      Takes::text,
      "NAME",
      "The library that knows processors.",
      {.support = no_effect("there is one")}}},
    {{"-demux",
      kOther,
      Takes::text,
      "NAME",
      "How to wait for events.",
      {.support = no_effect("there is one way")}}},
    {{"-enable-x -disable-x",
      kOther,
      Takes::nothing,
      "",
      "Forward X11.",
      {.support = no_effect("X11 is never forwarded")}}},
    {{"-profile",
      kOther,
      Takes::nothing,
      "",
      "Profile the launcher.",
      {.support = no_effect("-v tells how long each phase took")}}},
    {{"-pmi_args",
      kOther,
      Takes::text,
      "PORT",
      "Serve a program that was started separately.",
      {.support = refused("start the program with mpiexec")}}},
});

constexpr auto kTable = with_own_rows<HydraDraft, kRows>();

}  // namespace

std::span<const Option<HydraDraft>> hydra_table() { return kTable; }

OptionTexts hydra_options() { return texts_of(hydra_table()); }

}  // namespace muster::front
