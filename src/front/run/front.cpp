// Walks the words of `muster run`: options up to the first word that is none, then the program.

#include "front/run/front.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/shell_word.hpp"
#include "front/call.hpp"
#include "front/container_options.hpp"
#include "front/elsewhere.hpp"
#include "front/inherited.hpp"
#include "front/mapping_words.hpp"
#include "front/reach_options.hpp"
#include "front/run/check_slurm.hpp"
#include "front/run/options.hpp"
#include "front/targets.hpp"
#include "model/head_above.hpp"
#include "option/help.hpp"
#include "option/match.hpp"
#include "option/read.hpp"
#include "spec/check.hpp"
#include "spec/in_quotes.hpp"
#include "spec/roles.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr std::string_view kRunHead =
    R"(muster run: start one program many times, as the ranks of one job, on one machine or on many.

Usage: muster run [OPTIONS] PROGRAM [ARGS...]
Options come before PROGRAM; everything after it is passed to the program. With --role, several
programs are separated by ':': --role worker=2 PROGRAM [ARGS...] : --role ps=1 PROGRAM [ARGS...]

Examples:
  Four ranks on this machine:
    muster run -n 4 python3 train.py --epochs 2
  Eight ranks on each of two hosts, over ssh:
    muster run -H node1:8,node2:8 python3 train.py
  Hosts from a file, one more variable, and each line of output with its rank:
    muster run --hostfile hosts -x NCCL_DEBUG=INFO --tag python3 train.py
  Four nodes of a Slurm, as soon as it has them:
    muster run --slurm -N 4 --per-node 8 -p gpu -t 4:00:00 python3 train.py
  Simulate a job on four hosts on this machine:
    muster run --fake-nodes 4 -n 8 python3 train.py
  TensorFlow with parameter servers, which are ended when all others have exited:
    muster run -H node1:4,node2:4 --role chief=1 --role worker=4 --role ps=2 python3 train.py
  See which rank would run where, and with which environment, and start nothing:
    muster run --dry-run --env -H node1:8,node2:8 python3 train.py
)";

// What most people need, on one screen of 24 lines.
constexpr std::string_view kShortHelp =
    R"(muster run: start one program many times, as the ranks of one job.

Usage: muster run [OPTIONS] PROGRAM [ARGS...]

Examples:
    muster run -n 4 python3 train.py
    muster run -H node1:8,node2:8 -x NCCL_DEBUG=INFO --tag python3 train.py

  -n N               How many ranks to start
  -H LIST            Hosts with their slots: node1:8,node2:8
  --hostfile FILE    Hosts from a file, one per line: node1 slots=8
  --per-node K       At most K ranks on each host; without -n, K on every host
  --gpus-per-rank N  Give each rank N of its host's devices
  -x NAME[=VALUE]    Set this environment variable for every rank
  --tag              Prefix each line of output with its rank
  --logs DIR         Also write each rank's output to files below DIR
  --stdin RANK       Which rank reads stdin
  --timeout SECONDS  End the job after this time
  -d                 Run in the background; see muster logs -f
  --dry-run          Show which rank would run where, and start nothing

All options: muster run --help all. The manual: man muster-run.
)";

constexpr std::string_view kExitCodes = R"(
Exit codes:
  0        every rank exited with 0
  1..255   the code of the rank that failed first
  128+N    that rank, or muster itself, got signal N
  240      usage error
  241      bad hostfile or other input file
  242      more ranks than slots
  243      a host cannot be reached
  244      program or folder missing on a host
  245      a host died or stopped responding
  246      time limit reached (--timeout)
  247      a machine's limit, or an internal error
  248      output, logs or the record could not be written (the ranks exited with 0)
If a rank itself exits with one of 240 to 248, the last line and report.json say so.

Ctrl-C, SIGTERM and closing the terminal (SIGHUP) end the job; with --detach or nohup it survives
the terminal.
)";

constexpr Grammar kGrammar = {.command = "muster run",
                              .all = "--help all",
                              .glued = Glued::all,
                              .late = LateJobOption::refused,
                              .elsewhere = elsewhere_of<Launcher::run>};

// Where another program with roles of its own begins: at a ':' before --role. A ':' elsewhere, or
// on a line without roles, is a word of the program.
std::size_t end_of_program(std::span<const std::string> words) {
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    const std::string& next = words[at + 1];
    if (words[at] == ":" && (next == "--role" || next.starts_with("--role="))) return at;
  }
  return words.size();
}

bool names_launcher(const std::string& word) {
  const std::string name = word.substr(word.rfind('/') + 1);
  return name == "srun" || std::ranges::count(names_of_launchers(), name) > 0;
}

// Where an option follows a ':', as where mpirun's next program begins; the end: nowhere. What a
// launcher that is started in each rank makes of a ':' is its own matter.
std::size_t second_program(std::span<const std::string> program) {
  const option::OptionMatcher options(run_options(), kGrammar);
  const auto is_option = [&](const std::string& word) {
    if (!word.starts_with('-') || word == "--role" || word.starts_with("--role=")) return false;
    const auto known = options.match(word);
    return !known || *known || !elsewhere_of<Launcher::run>(word.substr(0, word.find('='))).empty();
  };
  for (std::size_t at = 1; at + 1 < program.size() && !names_launcher(program[at - 1]); ++at) {
    if (program[at] == ":" && is_option(program[at + 1])) return at;
  }
  return program.size();
}

// The ':' may separate two programs or be an argument of the first one; only the user can tell.
// `program`: where the first one's words begin in the line.
tl::unexpected<base::Error> one_program_only(const Call& call, std::size_t program,
                                             const std::string& option) {
  std::vector<std::string> words = {"muster", "mpirun"};
  words.insert(words.end(), call.words.begin(), call.words.end());
  Call as_mpirun = call;
  as_mpirun.called = "mpirun";
  const bool fits = bool{front_of("mpirun")->read(as_mpirun)};
  const std::string several =
      fits ? "did you mean " + base::shell_words(words) : "muster mpirun starts several programs";
  words[1] = "run";
  words.insert(words.begin() + 2 + static_cast<std::ptrdiff_t>(program), "--");
  return fail(
      Fault::usage,
      fmt::format("{}; if the ':' is for the program: {}", several, base::shell_words(words)),
      "':' followed by {} looks like a second program, which muster run takes only with "
      "--role",
      option);
}

// One program for each role; one in all without roles.
void add_programs(RunDraft& draft, std::span<const std::string> command) {
  std::vector<model::App>& apps = draft.request.spec.apps;
  draft.app.command.assign(command.begin(), command.end());
  if (draft.app.workdir.empty()) draft.app.workdir = draft.current_folder;
  if (draft.roles.empty()) return apps.push_back(draft.app);
  for (const RoleWish& wish : draft.roles) {
    model::App& app = apps.emplace_back(draft.app);
    app.role = wish.name;
    app.ranks = wish.ranks;
  }
  draft.roles.clear();
}

Result<void> settle_roles(RunDraft& draft) {
  if (draft.request.spec.apps.front().role.empty()) return {};
  if (draft.app.ranks) {
    return fail(Fault::usage, "--role NAME=N gives the counts", "-n and --role cannot be combined");
  }
  return spec::settle_roles(draft.request.spec);
}

// Nobody is there to type or to read, and without a record nothing would be left of the run.
Result<void> check_detached(const RunDraft& draft) {
  const model::JobSpec& spec = draft.request.spec;
  if (draft.request.show_environment) {
    return fail(Fault::usage, "remove --env", "--env works only with --dry-run");
  }
  if (draft.no_record) {
    return fail(Fault::usage, "muster logs and muster wait find the run by its record",
                "--detach and --no-record cannot be combined");
  }
  if (draft.output.tag) {
    return fail(Fault::usage, "muster logs prefixes each line with its rank",
                "--tag has no effect with --detach");
  }
  if (spec.input.to == model::StdinTo::none) return {};
  return fail(Fault::usage, "give the ranks a file, or do not detach",
              "--stdin does not work with --detach");
}

Result<void> check_combinations(const RunDraft& draft) {
  const RunRequest& request = draft.request;
  const char* hint = "keep one of them; a hostfile can contain slots, too";
  if (auto fine = check_one_source(draft.hosts, hint); !fine) return fine;
  if (auto fine = check_slurm(draft); !fine) return fine;
  if (request.spec.fake_nodes > 0 && !draft.hosts.empty()) {
    return fail(Fault::usage, "remove the hosts to simulate nodes on this machine",
                "--fake-nodes cannot be combined with -H or --hostfile");
  }
  if (draft.output.logs_only && draft.output.logs.empty()) {
    return fail(Fault::usage, "add --logs DIR", "--logs-only works only with --logs");
  }
  if (draft.output.logs_only && !draft.output.shown.empty()) {
    return fail(Fault::usage, "keep one of them", "--logs-only and --show cannot be combined");
  }
  if (draft.app.ranks && !draft.output.shown.empty() &&
      *draft.output.shown.rbegin() >= *draft.app.ranks) {
    return fail(Fault::usage, fmt::format("ranks are 0 to {}", *draft.app.ranks - 1),
                "--show: there is no rank {}", *draft.output.shown.rbegin());
  }
  if (request.spec.oversubscribe && request.spec.mapping.no_oversubscribe) {
    return fail(Fault::usage, "keep one of them",
                "--map-by :NOOVERSUBSCRIBE forbids what {} allows", "--oversubscribe");
  }
  if ((request.spec.state_at_timeout || request.spec.stacks_at_timeout) && !request.spec.timeout) {
    return fail(Fault::usage, "add --timeout SECONDS",
                "--report-state-on-timeout and --stack-traces work only with --timeout");
  }
  if (request.dry_run) return {};
  if (request.detach) return check_detached(draft);
  if (request.show_environment) {
    return fail(Fault::usage, "add --dry-run; to set a variable, write -x NAME=VALUE",
                "--env works only with --dry-run");
  }
  if (request.json) {
    return fail(Fault::usage, "add --dry-run", "--json works only with --dry-run or --detach");
  }
  return {};
}

// What the job needs, unless an option of Slurm says it.
batch::Wish wish_of(const RunDraft& draft) {
  const model::JobSpec& spec = draft.request.spec;
  batch::Wish wish;
  wish.nodes = draft.nodes.value_or(0);
  wish.per_node = spec.per_node.value_or(0);
  wish.tasks = static_cast<std::uint32_t>(model::ranks_given(spec));
  wish.limit = spec.timeout;
  wish.raw = draft.slurm_options;
  if (spec.gpus_per_rank > 0 && spec.per_node) {
    wish.gpus_per_node = *spec.per_node * spec.gpus_per_rank;
  } else if (spec.gpus_per_rank > 0 && wish.tasks > 0) {
    wish.gpus_per_task = spec.gpus_per_rank;
  }
  return wish;
}

Result<void> settle_hosts(RunDraft& draft, const Call& call) {
  if (draft.slurm) {
    draft.request.allocation = wish_of(draft);
    return {};
  }
  model::JobSpec& job = draft.request.spec;
  return given_hosts(call, job, draft.hosts).map([&](auto found) {
    spec::take_hosts(job, std::move(found));
  });
}

// Unless an option does.
Result<void> take_binding(const job::Targets& defaults, model::Mapping& mapping) {
  const auto& wish = defaults.run_bind_to;
  if (!wish || mapping.bind_given || mapping.bind_by_default) return {};
  auto read = read_bind_to_words({"run.bind_to", wish->text}, mapping);
  if (!read) read.error().place = {defaults.source, wish->begin.line, wish->begin.column};
  return read;
}

// What muster.yml says of muster run alone.
Result<void> settle_defaults(RunDraft& draft, const Call& call) {
  const auto defaults = run_defaults(call, call.current_folder);
  if (!defaults) return tl::unexpected(defaults.error());
  draft.notices = defaults->notices;
  if (draft.slurm) draft.request.defaults = *defaults;
  return take_binding(*defaults, draft.request.spec.mapping);
}

Recording recording_of(const RunDraft& draft, const Call& call) {
  Recording record;
  if (!draft.output.logs.empty()) record.streams = absolute(call, draft.output.logs);
  return record;
}

Result<Reading> finish(RunDraft draft, const Call& call) {
  draft.request.spec.output = muster_output(draft.output);
  if (draft.output.unbuffered) draft.request.spec.terminal.emplace();
  draft.request.keeps = draft.no_record ? Keeps::never : Keeps::usually;
  if (draft.request.detach) draft.request.keeps = Keeps::always;
  draft.request.record = recording_of(draft, call);
  return check_combinations(draft)
      .and_then([&] { return settle_roles(draft); })
      .and_then([&] { return settle_defaults(draft, call); })
      .and_then([&] { return settle_hosts(draft, call); })
      .and_then([&] { return read_rankfile_of(call, draft.rankfile, draft.request.spec); })
      .and_then([&] { return settle_container(call, draft.container, draft.request.spec); })
      .and_then([&] { return spec::check(draft.request.spec, draft.slurm); })
      .map([&] {
        return Reading{std::move(draft.request), {}, std::move(draft.notices)};
      });
}

// All programs of the line; what is set for the first one holds for the later ones too.
Result<void> read_programs(RunDraft& draft, const Call& call) {
  std::span<const std::string> words(call.words);
  draft.request.spec.apps.clear();
  for (bool later = false;; later = true) {
    const auto read = read_options(run_table(), kGrammar, words, draft, later);
    if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, draft.hosts));
    if (draft.help) return {};
    const auto rest = words.subspan(read->program);
    const std::size_t end = draft.roles.empty() ? rest.size() : end_of_program(rest);
    const bool is_sure = read->program > 0 && words[read->program - 1] == "--";
    const std::size_t second = is_sure ? end : second_program(rest.first(end));
    if (second < end) {
      const std::size_t begin = call.words.size() - rest.size();
      return one_program_only(call, begin, spec::in_quotes(rest[second + 1]));
    }
    add_programs(draft, rest.first(end));
    if (end == rest.size()) return {};
    words = rest.subspan(end + 1);
  }
}

// `--help all`: nothing after --help is read.
bool asks_for_all(std::span<const std::string> words) {
  const auto help = std::ranges::find_if(
      words, [](const std::string& word) { return word == "--help" || word == "-h"; });
  return words.end() - help > 1 && *(help + 1) == "all";
}

}  // namespace

std::string run_help(std::size_t width) {
  return option::help_text(kRunHead, run_options(), kExitCodes, width);
}

Result<Reading> read_run(const Call& call) {
  RunDraft draft;
  draft.current_folder = call.current_folder;
  if (auto read = read_programs(draft, call); !read) return tl::unexpected(read.error());
  if (draft.help && asks_for_all(call.words)) return Reading{.text = run_help(call.columns)};
  if (draft.help) return Reading{.text = option::fitted(kShortHelp, call.columns)};
  return finish(std::move(draft), call);
}

}  // namespace muster::front
