// Walks the words of `muster run`: options up to the first word that is none, then the program.

#include "front/run_front.hpp"

#include <utility>
#include <vector>

#include "front/elsewhere.hpp"
#include "front/option_help.hpp"
#include "front/read_options.hpp"
#include "front/run_options.hpp"
#include "spec/check.hpp"
#include "spec/hosts.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr std::string_view kRunHead =
    R"(muster run: start one program many times, as the ranks of one job, on one machine or on many.

Usage: muster run [OPTIONS] PROGRAM [ARGS...]
Options end at PROGRAM; all words after it are the program's own.

Examples:
  Four ranks on this machine:
    muster run -n 4 python3 train.py --epochs 2
  Eight ranks on each of two hosts, over ssh:
    muster run -H node1:8,node2:8 python3 train.py
  Hosts from a file, one more variable, and each line of output with its rank:
    muster run --hostfile hosts -x NCCL_DEBUG=INFO --tag python3 train.py
  A rehearsal of a job on four hosts, on this machine alone:
    muster run --fake-nodes 4 -n 8 python3 train.py
  See which rank would run where, and with which environment, and start nothing:
    muster run --dry-run --env -H node1:8,node2:8 python3 train.py
)";

constexpr std::string_view kExitCodes = R"(
Exit codes:
  0        every rank ended with 0
  1..255   the code of the rank that failed first
  128+N    that rank, or muster itself, got signal N
  240      words that make no sense               244  program or folder missing on a host
  241      bad hostfile or other input file       245  a host died or fell silent
  242      more ranks than slots                  246  time limit reached (--timeout)
  243      a host cannot be reached               247  a fault of muster or of this machine
)";

constexpr Grammar kGrammar = {.command = "muster run", .glued = Glued::all, .elsewhere = elsewhere};

Result<void> check_combinations(const RunDraft& draft) {
  const RunRequest& request = draft.request;
  if (draft.host_list && !draft.hostfile.empty()) {
    return fail(Fault::usage, "drop one; a hostfile may hold the slots that -H would",
                "-H and --hostfile exclude each other");
  }
  if (request.spec.fake_nodes > 0 && (draft.host_list || !draft.hostfile.empty())) {
    return fail(Fault::usage, "drop the hosts to rehearse on this machine",
                "--fake-nodes excludes -H and --hostfile");
  }
  if (draft.output.logs_only && draft.output.logs.empty()) {
    return fail(Fault::usage, "add --logs DIR", "--logs-only works only with --logs");
  }
  if (request.dry_run) return {};
  if (request.show_environment) {
    return fail(Fault::usage, "add --dry-run; to set a variable, write -x NAME=VALUE",
                "--env works only with --dry-run");
  }
  if (request.json) return fail(Fault::usage, "add --dry-run", "--json works only with --dry-run");
  return {};
}

Result<std::vector<model::HostEntry>> read_hosts(const RunDraft& draft, const ReadFile& read_file) {
  if (draft.host_list) return spec::read_host_list(*draft.host_list);
  if (draft.hostfile.empty()) return std::vector<model::HostEntry>();
  return read_file(draft.hostfile, spec::kHostTextMax).and_then([&](const std::string& text) {
    return spec::read_hostfile(text, draft.hostfile);
  });
}

Result<void> settle_hosts(RunDraft& draft, const ReadFile& read_file) {
  model::JobSpec& job = draft.request.spec;
  if (draft.host_list) {
    job.source = model::HostSource::list;
    job.source_name = "-H";
  } else if (!draft.hostfile.empty()) {
    job.source = model::HostSource::file;
    job.source_name = draft.hostfile;
  }
  return read_hosts(draft, read_file).map([&](auto hosts) { job.hosts = std::move(hosts); });
}

Result<Reading> finish(RunDraft draft, std::span<const std::string> program,
                       const ReadFile& read_file) {
  model::JobSpec& job = draft.request.spec;
  job.output = muster_output(draft.output);
  model::App& app = job.apps.front();
  app.command.assign(program.begin(), program.end());
  if (app.workdir.empty()) app.workdir = draft.current_folder;
  return check_combinations(draft)
      .and_then([&] { return settle_hosts(draft, read_file); })
      .and_then([&] { return spec::check(job); })
      .map([&] { return Reading{std::move(draft.request)}; });
}

}  // namespace

std::string run_help() {
  return std::string(kRunHead) + options_help(run_options()) + std::string(kExitCodes);
}

Result<Reading> read_run(const Asked& asked) {
  RunDraft draft;
  draft.current_folder = asked.current_folder;
  const std::span<const std::string> words(asked.words);
  const auto read = read_options(run_table(), kGrammar, words, draft);
  if (!read) return tl::unexpected(read.error());
  if (draft.help) return Reading{.text = run_help()};
  return finish(std::move(draft), words.subspan(read->program), asked.read_file);
}

}  // namespace muster::front
