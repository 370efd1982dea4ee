// Reads an mpiexec line program by program, then its configuration file, then settles the whole.
#include "front/hydra/front.hpp"

#include <utility>

#include "front/call.hpp"
#include "front/elsewhere.hpp"
#include "front/environment_options.hpp"
#include "front/hydra/binding.hpp"
#include "front/hydra/config.hpp"
#include "front/hydra/end.hpp"
#include "front/hydra/environment.hpp"
#include "front/hydra/hosts.hpp"
#include "front/hydra/options.hpp"
#include "front/hydra/output.hpp"
#include "front/hydra/reach.hpp"
#include "front/inherited.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/check.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;

constexpr Grammar kGrammar = {.command = "muster mpiexec.hydra",
                              .dashes = Dashes::any,
                              .ignore_case = true,
                              .again = Again::refused,
                              .elsewhere = elsewhere_of<Launcher::hydra>};

constexpr std::string_view kHead =
    R"(muster mpiexec.hydra: starts programs as mpiexec of MPICH and Intel MPI does.

Usage: muster mpiexec.hydra [OPTIONS] PROGRAM [ARGS...] [: [OPTIONS] PROGRAM [ARGS...]]...
       mpiexec.hydra ...   where mpiexec.hydra or mpirun.mpich is a symbolic link to muster
Options end at PROGRAM; all words up to a ':' are the program's own. Options may have any number of
dashes and any case, and take their value after '=' or as the next word.

Examples:
  Four ranks on this machine, each line of output with its rank:
    mpiexec.hydra -n 4 -l python3 train.py
  Two ranks on each host of a file, with a variable:
    mpiexec.hydra -f hosts -ppn 2 -genv NCCL_DEBUG INFO python3 train.py
  One program beside another:
    mpiexec.hydra -n 1 ./server : -n 3 ./client
)";

constexpr std::string_view kExitCodes = R"(
Exit codes: all ranks' codes ORed; N for a rank that signal N ended; 255 for usage errors, and for
what muster could not carry out or write; 248 for help that could not be printed.
)";

// Hydra looks for its own name, and so do scripts that ask which MPI this is.
constexpr std::string_view kInfo = R"(HYDRA build details:
    Version:                                 4.0.2
    Process Manager:                         pmi
    Launchers available:                     ssh fork slurm
    Topology libraries available:            hwloc
    Resource management kernels available:   user
    Standing in for it:                      muster )";

// An option for the whole job stands once, and what the line says is stronger than the file.
Result<bool> admit(HydraDraft& draft, const OptionText& option, const Typed& typed) {
  if (option.traits.scope == Scope::program || option.traits.repeatable) return true;
  if (draft.from_file && draft.given.contains(&option)) return false;
  auto& given = draft.from_file ? draft.given_in_file : draft.given;
  if (given.insert(&option).second) return true;
  return twice(typed);
}

Result<void> end_block(HydraDraft& draft, Words program) {
  if (program.empty()) {
    return fail(Fault::usage, "for example: mpiexec.hydra -n 2 python3 train.py",
                "no program given{}", draft.blocks.empty() ? "" : " after ':'");
  }
  model::App& app = draft.block.app;
  app.command.assign(program.begin(), program.end());
  if (app.workdir.empty()) app.workdir = draft.call->current_folder;
  draft.blocks.push_back(std::exchange(draft.block, {}));
  return {};
}

// The index of the program's first word.
Result<std::size_t> read_block(HydraDraft& draft, Words words) {
  const auto read = read_options(hydra_table(), kGrammar, words, draft, false, &admit);
  if (!read) {
    const NamedHosts listed{.list = draft.hosts.list};  // files have a form of their own
    return tl::unexpected(with_wrong_hosts(read.error(), *draft.call, listed, kHydraHostForm));
  }
  for (const std::string& line : read->notices) add_once(draft.notices, line);
  return read->program;
}

bool asks_for_text(const HydraDraft& draft) { return draft.help || draft.info; }

// Only options for the whole job may stand without a program: for the one of the file.
Result<void> read_line(HydraDraft& draft) {
  const auto blocks = blocks_of(draft.call->words);
  for (const Words words : blocks) {
    const auto program = read_block(draft, words);
    if (!program) return tl::unexpected(program.error());
    if (asks_for_text(draft)) return {};
    const bool from_file = blocks.size() == 1 && *program == words.size();
    if (from_file) return {};
    if (auto done = end_block(draft, words.subspan(*program)); !done) return done;
  }
  return {};
}

bool is_untouched(const HydraBlock& block) {
  return block.app == model::App{} && !block.inherit.has_value();
}

Result<void> read_file_line(HydraDraft& draft, Words words, bool line_has_program) {
  const auto program = read_block(draft, words);
  if (!program) return tl::unexpected(program.error());
  if (*program == words.size()) {
    if (is_untouched(draft.block)) return {};
    return fail(Fault::usage, "write the program on the same line",
                "options for a program, and no program");
  }
  if (line_has_program) {
    return fail(Fault::usage, "keep one of them",
                "the command line names a program, and so does this file");
  }
  return end_block(draft, words.subspan(*program));
}

Result<void> read_file(HydraDraft& draft) {
  const auto config = read_hydra_config(draft);
  if (!config) return tl::unexpected(config.error());
  const bool has_program = !draft.blocks.empty();
  draft.from_file = true;
  for (std::size_t i = 0; i < config->lines.size(); ++i) {
    for (const Words words : blocks_of(config->lines[i])) {
      auto done = read_file_line(draft, words, has_program);
      if (done) continue;
      if (done.error().place == base::Place{}) done.error().place = config->places[i];
      return done;
    }
  }
  draft.from_file = false;
  return draft.blocks.empty() ? end_block(draft, {}) : Result<void>();
}

Result<Reading> finish(HydraDraft draft) {
  const auto settled = settle_hydra_hosts(draft)
                           .and_then([&] { return settle_hydra_binding(draft); })
                           .and_then([&] { return settle_hydra_environment(draft); })
                           .and_then([&] { return settle_hydra_reach(draft); })
                           .and_then([&] { return settle_hydra_end(draft); })
                           .and_then([&] { return settle_hydra_output(draft); });
  if (!settled) return tl::unexpected(settled.error());
  model::JobSpec& spec = draft.request.spec;
  spec.apps.clear();
  for (HydraBlock& block : draft.blocks) spec.apps.push_back(std::move(block.app));
  tell_threads(*draft.call, "Hydra", draft.request, draft.notices);
  return spec::check(spec).map([&] {
    return Reading{std::move(draft.request), {}, std::move(draft.notices)};
  });
}

}  // namespace

Result<Reading> read_hydra(const Call& call) {
  HydraDraft draft;
  draft.call = &call;
  draft.request.spec.slot_rule = model::SlotRule::hydra;
  draft.request.spec.lone_ranks_start_workers = true;
  draft.request.spec.input = {model::StdinTo::one, base::Rank(0)};
  if (const auto read = read_line(draft); !read) return tl::unexpected(read.error());
  if (draft.info) return Reading{.text = std::string(kInfo) + call.version + "\n"};
  if (draft.help) {
    return Reading{.text = option::help_text(kHead, hydra_options(), kExitCodes, call.columns)};
  }
  if (const auto read = read_file(draft); !read) return tl::unexpected(read.error());
  return finish(std::move(draft));
}

}  // namespace muster::front
