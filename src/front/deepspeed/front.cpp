// Reads a line of DeepSpeed's launcher and settles what its words mean together.
#include "front/deepspeed/front.hpp"

#include "front/call.hpp"
#include "front/deepspeed/environment.hpp"
#include "front/deepspeed/hosts.hpp"
#include "front/deepspeed/options.hpp"
#include "front/elsewhere.hpp"
#include "front/late.hpp"
#include "front/output_styles.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/check.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;

constexpr Grammar kGrammar = {.command = "muster deepspeed",
                              .equal_underscore = true,
                              .abbreviations = true,
                              .glued = Glued::all,
                              .again = Again::last_wins,
                              .elsewhere = elsewhere_of<Launcher::deepspeed>};

constexpr std::string_view kHead =
    R"(muster deepspeed: starts scripts as DeepSpeed's launcher does.

Usage: muster deepspeed [OPTIONS] SCRIPT [ARGS...]
       deepspeed ...   where deepspeed is a symbolic link to muster
Options end at SCRIPT; all words after it are its own. The script gets --local_rank=N first.

Examples:
  Two ranks on this machine:
    deepspeed --num_gpus 2 train.py --deepspeed --deepspeed_config ds.json
  Every slot of the hosts in a file:
    deepspeed --hostfile hosts train.py
  All of one host and two slots of another:
    deepspeed --hostfile hosts --include worker-0@worker-1:0,2 train.py
)";

constexpr std::string_view kExitCodes = R"(
Exit codes: 0; that of the rank that failed first; 2 for usage errors; 1 for what
DeepSpeed refuses after reading its words; 241 to 248 as of muster run.
)";

void add_words(const DeepspeedDraft& draft, model::App& app, Words words) {
  const DeepspeedScript& script = draft.script;
  if (!script.no_python) app.command = {"python3", "-u"};
  if (!script.no_python && script.module) app.command.emplace_back("-m");
  app.command.push_back(words.front());
  if (!script.no_local_rank && !script.by_mpi) {
    app.local_rank_words = {.first = app.command.size(), .count = 1};
    app.command.emplace_back("--local_rank=${local_rank}");
  }
  app.command.insert(app.command.end(), words.begin() + 1, words.end());
}

Result<void> settle_command(DeepspeedDraft& draft, Words words) {
  if (words.empty()) {
    return fail(Fault::usage, "for example: deepspeed --num_gpus 2 train.py", "no script given");
  }
  model::App& app = draft.request.spec.apps.front();
  add_words(draft, app, words);
  if (app.workdir.empty()) app.workdir = draft.call->current_folder;
  return {};
}

Result<void> check_script(const DeepspeedDraft& draft) {
  if (draft.script.no_python && draft.script.module) {
    return fail(Fault::usage, "keep one of them", "--no_python and --module cannot be combined");
  }
  return {};
}

void settle_master(DeepspeedDraft& draft) {
  auto& exports = draft.request.spec.apps.front().exports;
  if (!draft.master_addr.empty()) exports.push_back({"MASTER_ADDR", draft.master_addr});
  if (draft.master_port) {
    exports.push_back({"MASTER_PORT", std::to_string(*draft.master_port)});
  }
}

Result<Reading> finish(DeepspeedDraft draft) {
  const auto settled =
      check_script(draft).and_then([&] { return settle_deepspeed_hosts(draft); }).and_then([&] {
        return settle_deepspeed_environment(draft);
      });
  if (!settled) return tl::unexpected(settled.error());
  settle_master(draft);
  model::JobSpec& job = draft.request.spec;
  const std::string& logs = draft.rank_logs;
  job.output = muster_output({.logs = logs.empty() ? logs : absolute(*draft.call, logs)});
  if (draft.request.quiet) draft.notices.clear();
  return spec::check(job).map([&] {
    return Reading{std::move(draft.request), {}, std::move(draft.notices)};
  });
}

}  // namespace

Result<Reading> read_deepspeed(const Call& call) {
  DeepspeedDraft draft;
  draft.call = &call;
  draft.request.spec.deepspeed = draft.request.spec.torch_store = true;
  draft.request.spec.grace = std::chrono::seconds(30);
  draft.request.spec.input.to = model::StdinTo::inherited;
  const Words words(call.words);
  const auto read = read_options(deepspeed_table(), kGrammar, words, draft);
  if (!read) {
    return tl::unexpected(
        with_wrong_hosts(read.error(), call, draft.hosts.named, kDeepspeedHostForm));
  }
  if (draft.help) {
    return Reading{.text = option::help_text(kHead, deepspeed_options(), kExitCodes, call.columns)};
  }
  if (draft.version) {
    return Reading{.text = fmt::format("muster {}, standing in for deepspeed\n", call.version)};
  }
  draft.notices = read->notices;
  return settle_command(draft, words.subspan(read->program)).and_then([&] {
    return finish(std::move(draft)).map_error(found_late);
  });
}

}  // namespace muster::front
