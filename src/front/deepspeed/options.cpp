// DeepSpeed's table: names, help, and what each option does.
#include "front/deepspeed/options.hpp"

#include <array>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/late.hpp"
#include "front/master_address.hpp"
#include "front/own_rows.hpp"
#include "front/table.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

// -1 is DeepSpeed's word for "not given".
Result<void> count(const Typed& typed, std::uint32_t most, std::optional<std::uint32_t>& to) {
  if (typed.value == "-1") {
    to.reset();
    return {};
  }
  return read_count(typed, {1, most})
      .map([&](std::uint32_t number) { to = number; })
      .map_error([&](base::Error error) { return late_if_integer(typed, std::move(error)); });
}

// All of them become ssh and muster's own agents; those of MPI's kind leave the ranks to ask MPI.
Result<void> set_launcher(DeepspeedDraft& draft, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  if (word == "slurm" && !variable(*draft.call, "SLURM_JOB_ID")) {
    return fail(kRefusedLate, "call it from sbatch or salloc, or remove --launcher",
                "--launcher slurm works inside a Slurm job, and this is not one");
  }
  const bool mpi = word == "openmpi" || word == "mpich" || word == "impi" || word == "mvapich";
  if (!mpi && word != "pdsh" && word != "slurm") {
    return fail(kRefusedLate, "", "{} must be pdsh, slurm, openmpi, mpich, impi or mvapich, not {}",
                typed.option, spec::in_quotes(typed.value));
  }
  draft.script.by_mpi = mpi;
  return {};
}

// Python's own names of levels.
Result<void> set_log_level(DeepspeedDraft& draft, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  draft.request.spec.verbose = word == "debug" || word == "info";
  if (draft.request.spec.verbose) return {};
  if (word == "critical" || word == "error" || word == "warning") return {};
  return fail(Fault::usage, "info tells muster's phases",
              "{} must be critical, error, warning, info or debug, not {}", typed.option,
              spec::in_quotes(typed.value));
}

Result<void> set_rank_logs(DeepspeedDraft& draft, const Typed& typed) {
  if (typed.value == "None") return {};
  return store(read_text(typed), draft.rank_logs);
}

constexpr std::string_view kHosts = "Hosts and devices";
constexpr std::string_view kMeeting = "Rendezvous";
constexpr std::string_view kScript = "How the script is called";
constexpr std::string_view kStart = "How ranks are started";
constexpr std::string_view kOutput = "Output";

using Row = Option<DeepspeedDraft>;

constexpr auto kRows = std::to_array<Row>({
    {{"-H --hostfile", kHosts, Takes::file, "FILE",
      "Hosts and their devices, one per line: worker-0 slots=4 (default: /job/hostfile, if it is "
      "there)."},
     [](DeepspeedDraft& d, const Typed& t) {
       return store(read_hostfile_name(t), d.hosts.named.file);
     }},
    {{"-i --include", kHosts, Takes::text, "SPEC",
      "Use these only: worker-0@worker-1:0,2 is all of worker-0 and slots 0 and 2 of worker-1."},
     [](DeepspeedDraft& d, const Typed& t) {
       d.hosts.include = t.value;
       return Result<void>();
     }},
    {{"-e --exclude", kHosts, Takes::text, "SPEC", "Use all but these; written as for --include."},
     [](DeepspeedDraft& d, const Typed& t) {
       d.hosts.exclude = t.value;
       return Result<void>();
     }},
    {{"--num_nodes", kHosts, Takes::number, "N", "Use the first N hosts of the hostfile."},
     [](DeepspeedDraft& d, const Typed& t) {
       return count(t, spec::kFakeNodesMax, d.hosts.nodes);
     }},
    {{"--num_gpus --num_accelerators", kHosts, Takes::number, "N",
      "N ranks on each host, with its first N devices that no other job of muster has."},
     [](DeepspeedDraft& d, const Typed& t) {
       return count(t, spec::kDevicesMax, d.hosts.devices);
     }},
    {{"--force_multi", kHosts, Takes::nothing, "",
      "Treat a single host as one of several: the variables for all nodes go along."},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.hosts.force_multi); }},

    {{"--master_addr", kMeeting, Takes::text, "ADDRESS",
      "MASTER_ADDR (default: where the first host is reached by the others)."},
     [](DeepspeedDraft& d, const Typed& t) {
       return store(read_master_address(t), d.master_addr);
     }},
    {{"--master_port", kMeeting, Takes::number, "PORT",
      "MASTER_PORT (default: one that is free on the first host)."},
     [](DeepspeedDraft& d, const Typed& t) { return count(t, spec::kPortMax, d.master_port); }},

    {{"--module", kScript, Takes::nothing, "", "The script is a module: python -m SCRIPT."},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.script.module); }},
    {{"--no_python", kScript, Takes::nothing, "", "Start the script itself, without python."},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.script.no_python); }},
    {{"--no_local_rank", kScript, Takes::nothing, "",
      "Do not pass --local_rank=N to the script as its first argument."},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.script.no_local_rank); }},

    {{"--launcher",
      kStart,
      Takes::choice,
      "NAME",
      "pdsh, slurm, openmpi, mpich, impi or mvapich: muster starts the ranks through ssh all the "
      "same, or through srun inside a Slurm job; after the last four, scripts get no --local_rank "
      "(default: pdsh).",
      {.choices = "pdsh slurm openmpi mpich impi mvapich"}},
     set_launcher},
    {{"--launcher_args",
      kStart,
      Takes::text,
      "ARGS",
      "Arguments for pdsh, mpirun or mpiexec.",
      {.support = no_effect("muster starts the ranks, and calls no other launcher")}}},
    {{"--ssh_port", kStart, Takes::number, "PORT",
      "The ssh port of every host (default: what the ssh configuration says)."},
     take_reach<DeepspeedDraft, Reach::ssh_port>},
    {{"--no_ssh_check", kStart, Takes::nothing, "",
      "Start without asking the first host by ssh; muster asks each host only once anyway."}},
    {{"--bind_cores_to_rank",
      kStart,
      Takes::nothing,
      "",
      "Give each rank cores of its own (default: ranks are not bound).",
      {.support = no_effect("each rank gets its share of threads by OMP_NUM_THREADS")}}},
    {{"--bind_core_list",
      kStart,
      Takes::text,
      "LIST",
      "Cores for --bind_cores_to_rank.",
      {.support = refused("use taskset around the script, or muster mpirun with --cpu-set")}}},
    {{"--venv_script",
      kStart,
      Takes::file,
      "FILE",
      "A script to source on each host.",
      {.support = refused("give the python of that environment, with --no_python")}}},
    {{"--node_rank",
      kStart,
      Takes::number,
      "K",
      "Start the ranks of this node only.",
      {.support = refused("muster starts all hosts from one; name them in the hostfile")}}},
    {{"--no_ssh",
      kStart,
      Takes::nothing,
      "",
      "Start the ranks of this node only.",
      {.support = refused("muster starts all hosts from one; name them in the hostfile")}}},
    {{"--elastic_training",
      kStart,
      Takes::nothing,
      "",
      "Continue when nodes come and go.",
      {.support = refused("a job whose number of nodes may change is not supported")}}},
    {{"--min_elastic_nodes",
      kStart,
      Takes::number,
      "N",
      "For --elastic_training.",
      {.support = refused("a job whose number of nodes may change is not supported")}}},
    {{"--max_elastic_nodes",
      kStart,
      Takes::number,
      "N",
      "For --elastic_training.",
      {.support = refused("a job whose number of nodes may change is not supported")}}},
    {{"--autotuning",
      kStart,
      Takes::choice,
      "WHAT",
      "tune or run: look for the best configuration.",
      {.choices = "tune run",
       .support = refused("DeepSpeed's autotuner starts jobs itself; call it without muster")}}},
    {{"--save_pid",
      kStart,
      Takes::nothing,
      "",
      "Keep the launcher's process number in a file.",
      {.support = no_effect("muster's own process is the job: end it to end the job")}}},

    {{"--enable_each_rank_log", kOutput, Takes::folder, "DIR",
      "Also write each rank's output to DIR/rank.N/stdout and stderr; with 16 ranks, N is 00 to "
      "15."},
     set_rank_logs},
    {{"--log_level",
      kOutput,
      Takes::choice,
      "LEVEL",
      "How much the launcher prints: info or debug print muster's phases.",
      {.choices = "critical error warning info debug"}},
     set_log_level},
    {{"-q --quiet", kOutput, Takes::nothing, "", "Print no notices."},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.request.quiet); }},
    {{"--version", kOutput, Takes::nothing, "", "Show muster's version.", {.ends = true}},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.version); }},
    {{"-h --help", kOutput, Takes::nothing, "", "Show this help.", {.ends = true}},
     [](DeepspeedDraft& d, const Typed&) { return raise(d.help); }},
});

constexpr auto kTable = with_own_rows<DeepspeedDraft, kRows>();

}  // namespace

std::span<const Option<DeepspeedDraft>> deepspeed_table() { return kTable; }

OptionTexts deepspeed_options() { return texts_of(deepspeed_table()); }

}  // namespace muster::front
