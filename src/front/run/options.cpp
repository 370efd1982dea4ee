// The table of options, and what each does to the draft.
#include "front/run/options.hpp"

#include <algorithm>

#include "front/container_options.hpp"
#include "front/environment_options.hpp"
#include "front/mapping_words.hpp"
#include "front/memory_words.hpp"
#include "front/reach_options.hpp"
#include "front/table.hpp"
#include "front/voice.hpp"
#include "option/reader.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Result;
using model::kRanksMax;

// Of one program; the same twice is no contradiction.
Result<void> add_variable(RunDraft& draft, const Typed& typed) {
  auto setting = read_setting(typed);
  if (!setting) return tl::unexpected(std::move(setting.error()));
  std::vector<model::EnvSetting>& exports = draft.app.exports;
  const auto before = std::ranges::find(exports, setting->name, &model::EnvSetting::name);
  if (before == exports.end()) {
    exports.push_back(std::move(*setting));
  } else if (before->value != setting->value) {
    const std::string said = before->name + (before->value ? "=" + *before->value : "");
    return option::contradiction(typed, {typed.option, said});
  }
  return {};
}

// Not normalised: "a/../b" may lead elsewhere than "b" where a is a link.
Result<void> set_workdir(RunDraft& draft, const Typed& typed) {
  draft.request.said_reach.push_back(kWorkdir);
  auto folder = read_text(typed);
  if (folder && !folder->starts_with('/')) {
    *folder = *folder == "." ? draft.current_folder : draft.current_folder + "/" + *folder;
  }
  return store(std::move(folder), draft.app.workdir);
}

Result<void> add_role(RunDraft& draft, const Typed& typed) {
  const std::size_t equals = typed.value.find('=');
  RoleWish wish{std::string(typed.value.substr(0, equals))};
  if (wish.name.empty()) {
    return base::fail(base::Fault::usage, "for example --role worker=2",
                      "{} must be NAME=N, not {}", typed.option, spec::in_quotes(typed.value));
  }
  if (equals != std::string_view::npos) {
    const Typed number{typed.option, typed.value.substr(equals + 1)};
    const auto count = read_count(number, {1, model::kRolesRanksMax});
    if (!count) return tl::unexpected(count.error());
    wish.ranks = *count;
  }
  draft.roles.push_back(std::move(wish));
  return {};
}

// NAME or NAME=VALUE, also with the dashes that salloc's own options have.
Result<void> add_slurm_option(RunDraft& draft, const Typed& typed) {
  std::string_view text = typed.value;
  if (text.starts_with("--")) text.remove_prefix(2);
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  if (name.size() < 2 ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos) {
    return base::fail(base::Fault::usage, "for example --slurm-option gres=gpu:8",
                      "{} must be NAME=VALUE with the long name of an option of salloc, not {}",
                      typed.option, spec::in_quotes(typed.value));
  }
  draft.slurm_options.emplace_back(name, text.substr(std::min(equals + 1, text.size())));
  return {};
}

Result<void> ask_slurm(RunDraft& draft, const char* name, const Typed& typed) {
  return read_text(typed).map(
      [&](std::string text) { draft.slurm_options.emplace_back(name, std::move(text)); });
}

model::Mapping& mapping(RunDraft& draft) { return draft.request.spec.mapping; }

Result<void> set_mapping(RunDraft& draft, const Typed& typed) {
  const auto words = read_map_by_words(typed, mapping(draft));
  if (!words) return tl::unexpected(words.error());
  if (!words->rankfile.empty()) draft.rankfile = words->rankfile;
  if (!words->oversubscribe) return {};
  (*words->oversubscribe ? draft.request.spec.oversubscribe : mapping(draft).no_oversubscribe) =
      true;
  return {};
}

constexpr std::uint32_t kRestartsMax = 1'000'000;

constexpr std::string_view kRanks = "Ranks";
constexpr std::string_view kPlaces = "Mapping and binding";
constexpr std::string_view kHosts = "Hosts";
constexpr std::string_view kAsk = "Hosts that Slurm gives out";
constexpr std::string_view kReach = "Connecting to hosts";
constexpr std::string_view kEnvironment = "Environment";
constexpr std::string_view kOutput = "Output and input";
constexpr std::string_view kEnd = "Failures and termination";
constexpr std::string_view kSee = "Information";

constexpr Option<RunDraft> kOptions[] = {
    {{"-n -np --np --ranks", kRanks, Takes::number, "N",
      "How many ranks to start (default: all slots of the given hosts, one per fake node, else "
      "1)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {1, kRanksMax}), d.app.ranks);
     }},
    {{"--role",
      kRanks,
      Takes::text,
      "NAME=N",
      "Start N ranks in this role: chief, worker, ps, evaluator for TensorFlow; MS_SCHED, "
      "MS_WORKER, MS_PSERVER for MindSpore. Repeatable, instead of -n.",
      {.repeatable = true, .scope = Scope::program}},
     add_role},
    {{"--per-node", kRanks, Takes::number, "K",
      "At most K ranks on each host; without -n, K on every host."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {1, kRanksMax}), d.request.spec.per_node);
     }},
    {{"--gpus-per-rank", kRanks, Takes::number, "N",
      "Give each rank N of its host's devices (CUDA_VISIBLE_DEVICES and the variables of other "
      "vendors)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {1, spec::kDevicesMax}), d.request.spec.gpus_per_rank);
     }},
    {share_gpus_text(kRanks),
     [](RunDraft& d, const Typed&) { return raise(d.request.spec.share_gpus); }},
    {{"--oversubscribe", kRanks, Takes::nothing, "",
      "Allow more ranks than slots on the given hosts."},
     [](RunDraft& d, const Typed&) { return raise(d.request.spec.oversubscribe); }},

    {{"--map-by",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Assign ranks by slot (fill one host after the other), node (round-robin), seq, an object "
      "(core, numa, package ...), dist:DEVICE (NUMA nodes from the nearest to it on), ppr:N:WHAT, "
      "pe-list=LIST or rankfile:file=PATH (default: slot). "
      "HOW: PE=N, SPAN, OVERSUBSCRIBE, NOOVERSUBSCRIBE, NOLOCAL, HWTCPUS.",
      {.choices = "slot node seq core numa package l3cache hwthread dist:auto"}},
     set_mapping},
    {{"--rank-by",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Number ranks by slot, node, fill, span, or an object with SPAN or FILL (default: slot).",
      {.choices = "slot node fill span core numa package"}},
     [](RunDraft& d, const Typed& t) { return read_rank_by_words(t, mapping(d)); }},
    {{"--bind-to",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Bind each rank to none, hwthread, core, l1cache, l2cache, l3cache, numa, package, cpu-list "
      "or gpu (the cores near its GPU) (default: none). HOW: if-supported, overload-allowed, "
      "ordered. default: bind as Open MPI does by default.",
      {.choices = "none core numa package l3cache hwthread cpu-list gpu default"}},
     [](RunDraft& d, const Typed& t) { return read_bind_to_words(t, mapping(d)); }},
    {mem_bind_text(kPlaces),
     [](RunDraft& d, const Typed& t) { return store(read_memory(t), mapping(d).memory); }},
    {{"--rankfile", kPlaces, Takes::file, "FILE",
      "Host and cpus of each rank from a file: rank 0=node1 slot=0:0-3."},
     [](RunDraft& d, const Typed& t) { return store(read_text(t), d.rankfile); }},
    {{"--cpu-set", kPlaces, Takes::text, "LIST", "Use only these cpus: 0,2,4-7."},
     [](RunDraft& d, const Typed& t) { return read_cpu_set_words(t, mapping(d)); }},
    {{"--cpu-list", kPlaces, Takes::text, "LIST", "Bind to these cpus: 0,2,4-7."},
     [](RunDraft& d, const Typed& t) { return read_cpu_list_words(t, mapping(d)); }},
    {{"--report-bindings", kPlaces, Takes::nothing, "", "Print each rank's binding to stderr."},
     [](RunDraft& d, const Typed&) { return raise(d.request.shown.bindings); }},

    {{"-H --host",
      kHosts,
      Takes::hosts,
      "LIST",
      "Hosts with their slots: node1:8,user@node2:8 or rack[1-4]n[01-16]:8,[fe80::1]:4. "
      "Repeatable; "
      "lists are joined.",
      {.repeatable = true}},
     join_hosts<RunDraft>},
    {{"--hostfile", kHosts, Takes::file, "FILE", "Hosts from a file, one per line: node1 slots=8."},
     take_hostfile<RunDraft>},
    {{"--fake-nodes", kHosts, Takes::number, "N", "Simulate N hosts on this machine, without ssh."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {1, spec::kFakeNodesMax}), d.request.spec.fake_nodes);
     }},

    {{"--slurm", kAsk, Takes::nothing, "",
      "Ask Slurm for the hosts, wait until they are there, and give them back at the end "
      "(salloc)."},
     [](RunDraft& d, const Typed&) { return raise(d.slurm); }},
    {{"-N --nodes", kAsk, Takes::number, "N",
      "With --slurm: so many nodes (default: as -n and --per-node need)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {1, kRanksMax}), d.nodes);
     }},
    {{"-p --partition", kAsk, Takes::text, "NAME", "With --slurm: hosts of this partition."},
     [](RunDraft& d, const Typed& t) { return ask_slurm(d, "partition", t); }},
    {{"-A --account", kAsk, Takes::text, "NAME", "With --slurm: for this account."},
     [](RunDraft& d, const Typed& t) { return ask_slurm(d, "account", t); }},
    {{"-t --time", kAsk, Takes::text, "LIMIT",
      "With --slurm: for so long, as Slurm writes it: 30 (minutes), 4:00:00, 1-12."},
     [](RunDraft& d, const Typed& t) { return ask_slurm(d, "time", t); }},
    {{"--slurm-option",
      kAsk,
      Takes::text,
      "NAME[=VALUE]",
      "With --slurm: any other option of salloc, by its long name: gres=gpu:8, exclusive. "
      "Repeatable.",
      {.repeatable = true}},
     add_slurm_option},

    reach_row<RunDraft, Reach::ssh_command>(kReach),
    reach_row<RunDraft, Reach::ssh_port>(kReach),
    reach_row<RunDraft, Reach::ssh_identity>(kReach),
    reach_row<RunDraft, Reach::agent_path>(kReach),
    reach_row<RunDraft, Reach::patience>(kReach),
    reach_row<RunDraft, Reach::most_open>(kReach),
    reach_row<RunDraft, Reach::lease>(kReach),

    {kImageText, [](RunDraft& d, const Typed& t) { return set_image(t, d.app.image); }},
    {kRuntimeText, [](RunDraft& d, const Typed& t) { return set_runtime(t, d.container); }},
    {kContainerOptionText,
     [](RunDraft& d, const Typed& t) { return add_container_option(t, d.container); }},
    {kMountText,
     [](RunDraft& d, const Typed& t) { return add_mount(t, d.current_folder, d.container); }},
    {kSharedMemoryText,
     [](RunDraft& d, const Typed& t) { return set_shared_memory(t, d.container); }},
    {kDeviceText, [](RunDraft& d, const Typed& t) { return add_device(t, d.container); }},
    {kImageFromHereText, [](RunDraft& d, const Typed&) { return raise(d.container.from_here); }},

    {{"-x",
      kEnvironment,
      Takes::text,
      "NAME[=VALUE]",
      "Set this environment variable for every rank, to VALUE or to its value in this shell. "
      "Repeatable, with one value for each NAME.",
      {.repeatable = true, .scope = Scope::program}},
     add_variable},
    {{"--clean-env", kEnvironment, Takes::nothing, "",
      "Do not pass on this shell's environment, except what -x names."},
     [](RunDraft& d, const Typed&) { return raise(d.app.clean); }},
    {unset_text(kEnvironment),
     [](RunDraft& d, const Typed& t) { return add_unset(t, d.request.spec.environment); }},
    {dialects_text(kEnvironment),
     [](RunDraft& d, const Typed& t) { return choose_dialects(t, d.request.spec.environment); }},
    {{"--wireup",
      kEnvironment,
      Takes::choice,
      "auto|pmix|pmi1|pmi2|none",
      "How MPI ranks are wired up: PMIx for Open MPI, PMI for MPICH, or none (default: auto, both "
      "PMIx and PMI).",
      {.choices = "auto pmix pmi1 pmi2 none"}},
     [](RunDraft& d, const Typed& t) { return store(read_wireup(t), d.request.spec.wireup); }},
    {{"--workdir --wdir",
      kEnvironment,
      Takes::folder,
      "DIR",
      "The folder in which ranks start, on every host (default: this one).",
      {.scope = Scope::program}},
     set_workdir},

    {{"--tag", kOutput, Takes::nothing, "", "Prefix each line of output with its rank: [3]."},
     [](RunDraft& d, const Typed&) { return raise(d.output.tag); }},
    {{"--timestamp", kOutput, Takes::nothing, "",
      "Prefix each line of output with the time, in UTC."},
     [](RunDraft& d, const Typed&) { return raise(d.output.timestamp); }},
    {{"--logs", kOutput, Takes::folder, "DIR",
      "Also write each rank's output to DIR/rank.N/stdout and stderr; with 16 ranks, N is 00 to "
      "15."},
     [](RunDraft& d, const Typed& t) { return store(read_text(t), d.output.logs); }},
    {{"--logs-only", kOutput, Takes::nothing, "", "With --logs: write output to the files only."},
     [](RunDraft& d, const Typed&) { return raise(d.output.logs_only); }},
    {{"--show",
      kOutput,
      Takes::choice,
      "all|LIST",
      "Print only the output of these ranks, such as 0 or 0,4-7 (default: all); --logs files "
      "contain everything.",
      {.choices = "all 0"}},
     [](RunDraft& d, const Typed& t) { return store(read_shown_ranks(t), d.output.shown); }},
    {{"--merge-stderr", kOutput, Takes::nothing, "",
      "Merge the ranks' stderr into their stdout, on the console and in --logs files."},
     [](RunDraft& d, const Typed&) { return raise(d.output.merge); }},
    {{"--unbuffered", kOutput, Takes::nothing, "",
      "Connect each rank's stdout to a pseudo-terminal, so that C programs do not buffer lines."},
     [](RunDraft& d, const Typed&) { return raise(d.output.unbuffered); }},
    {{"--stdin",
      kOutput,
      Takes::choice,
      "RANK|all|none",
      "Which rank reads stdin (default: none, so that a surrounding shell loop keeps its input).",
      {.choices = "0 all none"}},
     [](RunDraft& d, const Typed& t) { return store(read_stdin_to(t), d.request.spec.input); }},

    {{"--on-failure",
      kEnd,
      Takes::choice,
      "abort|continue",
      "End the other ranks when one fails, or let them finish (default: abort).",
      {.choices = "abort continue"}},
     [](RunDraft& d, const Typed& t) {
       return store(read_on_failure(t), d.request.spec.failure.others);
     }},
    {{"--max-restarts", kEnd, Takes::number, "N",
      "Restart all ranks after one has failed, at most N times (default: 0)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_count(t, {0, kRestartsMax}), d.request.spec.max_restarts);
     }},
    {{"--grace", kEnd, Takes::number, "SECONDS",
      "Time between the terminating signal and SIGKILL (default: 5)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_seconds(t, spec::kGrace), d.request.spec.grace);
     }},
    {{"--timeout", kEnd, Takes::number, "SECONDS",
      "End the job after this time, with exit code 246 (default: never)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_seconds(t, spec::kTimeout), d.request.spec.timeout);
     }},
    {{"--notice", kEnd, Takes::text, "SIGNAL@SECONDS",
      "Send all ranks this signal SECONDS before --timeout, or the Slurm job, ends: USR1@60."},
     [](RunDraft& d, const Typed& t) { return store(read_notice(t), d.request.spec.notice); }},
    {{"--init-timeout", kEnd, Takes::number, "SECONDS",
      "End the job when ranks wait in MPI_Init for others longer than this (default: never)."},
     [](RunDraft& d, const Typed& t) {
       return store(read_seconds(t, spec::kTimeout), d.request.spec.init_timeout);
     }},
    {{"--report-state-on-timeout", kEnd, Takes::nothing, "",
      "At --timeout, first print what each rank is doing."},
     [](RunDraft& d, const Typed&) { return raise(d.request.spec.state_at_timeout); }},
    {{"--stack-traces", kEnd, Takes::nothing, "",
      "The same, with the stack of each rank: from gdb, where installed, else from the kernel."},
     [](RunDraft& d, const Typed&) { return raise(d.request.spec.stacks_at_timeout); }},
    {{"--no-python-errors", kEnd, Takes::nothing, "",
      "Do not capture the exception of a failed Python rank."},
     [](RunDraft& d, const Typed&) {
       d.request.spec.python_errors = false;
       return Result<void>();
     }},

    {{"--closed-terminal",
      kEnd,
      Takes::choice,
      "continue|end",
      "When the terminal or ssh session is closed, let the job continue or end it (default: end).",
      {.choices = "continue end"}},
     [](RunDraft& d, const Typed& t) {
       return store(read_closed_terminal(t), d.request.spec.outlives_terminal);
     }},
    {{"-d --detach", kEnd, Takes::nothing, "",
      "Run in the background: return once all ranks run; the job survives logout. See muster "
      "logs."},
     [](RunDraft& d, const Typed&) { return raise(d.request.detach); }},

    {{"--no-record", kSee, Takes::nothing, "",
      "Keep no record of the run for muster ps and muster show."},
     [](RunDraft& d, const Typed&) { return raise(d.no_record); }},
    {{"--dry-run", kSee, Takes::nothing, "",
      "Show which rank would run where, and why, without starting anything."},
     [](RunDraft& d, const Typed&) { return raise(d.request.dry_run); }},
    {{"--env", kSee, Takes::nothing, "", "With --dry-run: show the environment of each rank too."},
     [](RunDraft& d, const Typed&) { return raise(d.request.show_environment); }},
    {{"--json", kSee, Takes::nothing, "",
      "Print the plan of --dry-run, or the name and folder of --detach, as JSON."},
     [](RunDraft& d, const Typed&) { return raise(d.request.json); }},
    {{"-v --verbose", kSee, Takes::nothing, "",
      "Print to stderr what muster does, and how long each phase takes."},
     [](RunDraft& d, const Typed&) { return raise(d.request.spec.verbose); }},
    color_row<RunDraft>(kSee),
    quiet_row<RunDraft>(kSee),
    version_row<RunDraft>(kSee),
    {{"-h --help",
      kSee,
      Takes::nothing,
      "",
      "Show this help; --help all: with every option.",
      {.ends = true}},
     [](RunDraft& d, const Typed&) { return raise(d.help); }},
};

}  // namespace

std::span<const Option<RunDraft>> run_table() { return kOptions; }

OptionTexts run_options() { return texts_of(run_table()); }

}  // namespace muster::front
