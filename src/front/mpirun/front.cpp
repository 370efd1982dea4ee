// Reads an mpirun line program by program, then settles what only the whole line can tell.
#include "front/mpirun/front.hpp"

#include <algorithm>
#include <utility>

#include "front/elsewhere.hpp"
#include "front/environment_options.hpp"
#include "front/inherited.hpp"
#include "front/mpirun/end.hpp"
#include "front/mpirun/mca.hpp"
#include "front/mpirun/other_rows.hpp"
#include "front/mpirun/output.hpp"
#include "front/mpirun/output_rows.hpp"
#include "front/mpirun/place.hpp"
#include "front/mpirun/place_rows.hpp"
#include "front/mpirun/signals.hpp"
#include "front/own_rows.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/check.hpp"
#include "spec/hosts.hpp"
#include "spec/word_lines.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;

constexpr std::size_t kRows =
    mpirun::kPlaceRows.size() + mpirun::kOutputRows.size() + mpirun::kOtherRows.size();

constexpr std::array<Option<MpirunDraft>, kRows> joined_rows() {
  std::array<Option<MpirunDraft>, kRows> all{};
  auto end = std::copy(mpirun::kPlaceRows.begin(), mpirun::kPlaceRows.end(), all.begin());
  end = std::copy(mpirun::kOutputRows.begin(), mpirun::kOutputRows.end(), end);
  std::copy(mpirun::kOtherRows.begin(), mpirun::kOtherRows.end(), end);
  return all;
}

constexpr auto kOriginal = joined_rows();
constexpr auto kTable = with_own_rows<MpirunDraft, kOriginal>();

constexpr Grammar kGrammar = {.command = "muster mpirun",
                              .dashes = Dashes::one_or_two,
                              .glued = Glued::numbers,
                              .again = Again::last_wins,
                              .late = LateJobOption::taken,
                              .elsewhere = elsewhere_of<Launcher::mpirun>};

constexpr std::string_view kHead =
    R"(muster mpirun: starts programs as Open MPI's mpirun does, with its options, 4.1's and 5's.

Usage: muster mpirun [OPTIONS] PROGRAM [ARGS...] [: [OPTIONS] PROGRAM [ARGS...]]...
       mpirun ...   where mpirun or mpiexec is a symbolic link to muster
Options end at PROGRAM; all words up to a ':' are the program's own. Each option may have one dash
or two.

Examples:
  Four ranks on this machine:
    mpirun -n 4 python3 train.py
  Eight ranks on each of two hosts, all output in files too:
    mpirun -n 16 -H node1:8,node2:8 --output-filename logs python3 train.py
  Unbound ranks with a variable and two parameters of the MPI library:
    mpirun -np 8 -bind-to none -map-by slot -x NCCL_DEBUG -mca pml ob1 -mca btl ^openib ./train
)";

Result<void> end_block(MpirunDraft& draft, Words program) {
  if (program.empty()) {
    return fail(Fault::usage, "for example: mpirun -n 2 python3 train.py", "no program given{}",
                draft.blocks.empty() ? "" : " after ':'");
  }
  model::App& app = draft.block.app;
  app.command.assign(program.begin(), program.end());
  if (app.workdir.empty()) app.workdir = draft.call->current_folder;
  app.tries_workdir = true;
  draft.blocks.push_back(std::exchange(draft.block, {}));
  return {};
}

bool asks_for_text(const MpirunDraft& draft) { return draft.help || draft.version; }

Result<void> read_block(MpirunDraft& draft, Words words, bool later) {
  const auto read =
      read_options(std::span<const Option<MpirunDraft>>(kTable), kGrammar, words, draft, later);
  if (!read) return tl::unexpected(with_wrong_mpirun_hosts(read.error(), draft));
  for (const std::string& text : read->notices) notice(draft, text);
  if (asks_for_text(draft)) return {};
  if (later && !draft.appfile.empty()) {
    return fail(Fault::usage, "write all programs into one file, or on the line",
                "--app must stand before the first program");
  }
  if (!draft.appfile.empty()) return {};
  return end_block(draft, words.subspan(read->program));
}

// Of the line itself only options for the whole job count then.
Result<void> read_programs(MpirunDraft& draft) {
  const auto text = draft.call->read_file(draft.appfile, spec::kHostTextMax);
  if (!text) return tl::unexpected(text.error());
  const std::string path = std::exchange(draft.appfile, {});
  const auto lines = spec::read_appfile(*text, path);
  if (!lines) return tl::unexpected(lines.error());
  const MpirunBlock& typed = draft.block;
  if (typed.app != model::App{} || !typed.hosts.empty()) {
    notice(draft, "--app: options for programs count in " + path + " only, not beside it");
  }
  draft.blocks.clear();
  draft.block = {};
  for (const spec::WordLine& line : *lines) {
    auto done = read_block(draft, line.words, true);
    if (done && draft.blocks.empty()) break;
    if (done) continue;
    if (done.error().place == base::Place{}) done.error().place = line.place;
    return done;
  }
  return {};
}

Result<void> read_command_line(MpirunDraft& draft) {
  for (const Words words : blocks_of(draft.call->words)) {
    const bool later = !draft.blocks.empty();
    if (auto done = read_block(draft, words, later); !done) return done;
    if (asks_for_text(draft)) return {};
    if (!draft.appfile.empty()) return read_programs(draft);
  }
  return {};
}

// The first line is what Horovod and accelerate look at; called by its full name, Open MPI 4.1
// says OpenRTE there.
std::string version_text(const Call& call) {
  const bool full_name = call.called.ends_with(".openmpi");
  return fmt::format("{} ({}) 4.1.4\n\nThis is muster {}, standing in for it.\n", call.called,
                     full_name ? "OpenRTE" : "Open MPI", call.version);
}

// Open MPI refuses more ranks than cores even on this machine alone; a laptop must run -n 8.
void allow_crowds(MpirunDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  if (spec.hosts.empty() && !spec.mapping.no_oversubscribe) spec.oversubscribe = true;
}

Result<Reading> finish(MpirunDraft draft) {
  const auto settled = settle_parameters(draft)
                           .and_then([&] { return settle_mpirun_hosts(draft); })
                           .and_then([&] { return settle_rankfile(draft); })
                           .and_then([&] { return settle_mpirun_end(draft); });
  if (!settled) return tl::unexpected(settled.error());
  settle_per_object(draft);
  settle_mpirun_output(draft);
  allow_crowds(draft);
  model::JobSpec& spec = draft.request.spec;
  spec.apps.clear();
  for (MpirunBlock& block : draft.blocks) spec.apps.push_back(std::move(block.app));
  if (const auto checked = spec::check(spec); !checked) return tl::unexpected(checked.error());
  tell_threads(*draft.call, "mpirun", draft.request, draft.notices);
  if (draft.quiet) draft.notices.clear();
  draft.request.quiet = draft.quiet;
  return Reading{std::move(draft.request), {}, std::move(draft.notices)};
}

}  // namespace

OptionTexts mpirun_options() { return texts_of(std::span<const Option<MpirunDraft>>(kTable)); }

Result<Reading> read_mpirun(const Call& call) {
  MpirunDraft draft;
  draft.call = &call;
  draft.request.spec.slot_rule = model::SlotRule::open_mpi;
  draft.request.spec.lone_ranks_start_workers = true;
  draft.request.spec.input = {model::StdinTo::one, base::Rank(0)};
  draft.request.spec.forwarded_signals = usual_signals();
  const auto read =
      read_inherited_parameters(draft).and_then([&] { return read_command_line(draft); });
  if (!read) return tl::unexpected(read.error());
  if (draft.version) return Reading{.text = version_text(call)};
  if (draft.help)
    return Reading{.text = option::help_text(kHead, mpirun_options(), "", call.columns)};
  return finish(std::move(draft));
}

}  // namespace muster::front
