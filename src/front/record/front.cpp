// Walks the words of the commands for runs on record.
#include "front/record/front.hpp"

#include "base/check.hpp"
#include "front/hosts.hpp"
#include "front/inherited.hpp"
#include "front/reach_options.hpp"
#include "front/record/options.hpp"
#include "front/targets.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

enum class Runs : std::uint8_t { none, one, some };

struct Command {
  std::string_view name;
  Runs takes;
  std::string_view more = {};  // of --help
};

constexpr std::string_view kMeans =
    R"(RUN is a run's name, the first characters of it, the word at its end, `last`, or what its job
is called, where only one run is called so, or only one of these has not ended.
)";

constexpr Command kList = {"ps", Runs::none, R"(
Examples:
  muster ps
  muster ps --all --experiment lines --json
)"};
constexpr Command kShow = {"show", Runs::one};
constexpr Command kLogs = {"logs", Runs::one, R"(
The ranks' stderr is printed to stderr. muster submit and --detach keep the output; muster run does
with --logs. With -f, muster ends with the run's exit code and, if it failed, with the first lines
of its report.

Examples:
  muster logs -f last
  muster logs -f --tail 20 last
  muster logs --since 10m last
  muster logs --rank 3 --err last
)"};
constexpr Command kWait = {"wait", Runs::some, R"(
With several runs, the exit code is the first one that is not 0.
)"};
constexpr Command kStop = {"stop", Runs::some};
constexpr Command kReport = {"report", Runs::one};
constexpr Command kGraph = {"graph", Runs::one, R"(
Each step has its state and its time.

Examples:
  muster graph --svg last > pipeline.svg
)"};
constexpr Command kRemove = {"rm", Runs::some, R"(
With selecting options, all ended runs that match every option are removed. On a terminal muster
asks first, unless one run is named.

Examples:
  muster rm kufari last
  muster rm --older-than 30d --state failed --dry-run
  muster rm --experiment lines --tag stage=dev --yes
)"};
constexpr Command kRerun = {"rerun", Runs::one, R"(
Command line, folder, input files and code come from the record; the environment comes from this
shell. How hosts are reached may be said anew.

Examples:
  muster rerun last
  muster rerun --start-timeout 60 last
)"};
constexpr Command kReindex = {"reindex", Runs::none, R"(
The index only makes muster ps faster. Also removes incomplete records of a muster that
was killed.
)"};

constexpr Command kCollect = {"gc", Runs::none, R"(
Without options it removes only what no record needs: code that none names, entries for reuse of
runs that have gone, and what killed processes left behind. Records of runs that have not ended
stay, and so does one as long as another record has reused its outputs.

Examples:
  muster gc --dry-run
  muster gc --older-than 30d --max-size 50GB
  muster gc -H node1,node2
)"};

const Command& command_of(RecordVerb verb) {
  switch (verb) {
    case RecordVerb::list:
      return kList;
    case RecordVerb::show:
      return kShow;
    case RecordVerb::logs:
      return kLogs;
    case RecordVerb::wait:
      return kWait;
    case RecordVerb::stop:
      return kStop;
    case RecordVerb::report:
      return kReport;
    case RecordVerb::graph:
      return kGraph;
    case RecordVerb::remove:
      return kRemove;
    case RecordVerb::rerun:
      return kRerun;
    case RecordVerb::reindex:
      return kReindex;
    case RecordVerb::collect:
      return kCollect;
  }
  CHECK(false);
}

std::string help(RecordVerb verb, const Call& call) {
  const Command& command = command_of(verb);
  const Front& front = *front_of(command.name);
  std::string sentence(front.help);
  sentence.front() = static_cast<char>(sentence.front() - 'A' + 'a');
  const std::string head = fmt::format("muster {}: {}\n\nUsage: muster {} {}\n{}{}", command.name,
                                       sentence, command.name, front.argument,
                                       command.takes == Runs::none ? "" : kMeans, command.more);
  return option::help_text(head, texts_of(record_table(verb)), "", call.columns);
}

Result<void> check_runs(const Command& command, const RecordRequest& request) {
  const std::size_t count = request.runs.size();
  if (command.takes == Runs::none && count > 0) {
    return fail(Fault::usage, "muster show tells of one run",
                "muster {} takes no words, such as {}", command.name,
                spec::in_quotes(request.runs.front()));
  }
  const bool selects = !request.filter.says_nothing();
  if (command.takes != Runs::none && selects && count > 0) {
    return fail(Fault::usage, "leave one of them out",
                "runs are named, such as {}, or selected by options, not both",
                spec::in_quotes(request.runs.front()));
  }
  if (command.takes != Runs::none && !selects && count == 0) {
    return fail(Fault::usage, fmt::format("for example: muster {} last", command.name),
                "no run given");
  }
  if (command.takes == Runs::one && count > 1) {
    return fail(Fault::usage, "", "muster {} takes one run at a time, not also {}", command.name,
                spec::in_quotes(request.runs[1]));
  }
  if (request.all && request.most) {
    return fail(Fault::usage, "keep one of them", "--all and -n cannot be combined");
  }
  if (request.watch && request.json) {
    return fail(Fault::usage, "muster ps --json prints the list once",
                "--watch and --json cannot be combined");
  }
  return {};
}

std::string as_before(std::string_view name) {
  return name == kWorkdir ? "a run that is started anew has the folder that it had" : "";
}

// Options may stand before and after runs; all after -- is a run.
Result<RecordDraft> read_verb(RecordVerb verb, const Call& call) {
  const std::string name = fmt::format("muster {}", command_of(verb).name);
  const Grammar grammar{.command = name,
                        .glued = Glued::all,
                        .anywhere = true,
                        .elsewhere = verb == RecordVerb::rerun ? as_before : nullptr};
  RecordDraft draft;
  draft.request.verb = verb;
  std::span<const std::string> left(call.words);
  while (!left.empty()) {
    const auto read = read_options(record_table(verb), grammar, left, draft);
    if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, draft.hosts));
    if (draft.help) break;
    const bool ended = read->program > 0 && left[read->program - 1] == "--";
    left = left.subspan(read->program);
    const std::size_t taken = ended ? left.size() : std::min<std::size_t>(1, left.size());
    for (const std::string& run : left.first(taken)) draft.request.runs.push_back(run);
    left = left.subspan(taken);
  }
  return draft;
}

// The run starts in the folder of then.
void place_files(const Call& call, RecordDraft& draft) {
  for (ReachWish& wish : draft.request.reach_wishes) {
    const bool is_file = reach_setting(wish.option).text.takes == Takes::file;
    if (is_file) wish.value = absolute(call, wish.value);
  }
}

Result<void> take_named(const Call& call, RecordDraft& draft) {
  if (draft.hosts.empty()) return {};
  return named_hosts(call, draft.hosts).and_then([&](spec::HostsFound found) {
    spec::take_hosts(draft.request.reach, std::move(found));
    return take_inherited_settings(call, draft.request.said_reach, draft.request.reach);
  });
}

Result<void> take_target(const Call& call, RecordDraft& draft) {
  if (draft.target.empty()) return {};
  const auto known = known_targets(call, call.current_folder);
  if (!known) return tl::unexpected(known.error());
  if (!known->complaints.empty()) return tl::unexpected(known->complaints.front());
  return job::choose_target(known->targets, draft.target)
      .and_then([&](const job::Target& target) -> Result<void> {
        const auto& cluster = target.kubernetes;
        if (!cluster) {
          return base::fail(
              base::Fault::usage,
              "leave --target out: all others are in the folder of records here",
              "target {} is not a Kubernetes cluster, and only those keep runs of their own",
              spec::in_quotes(target.name));
        }
        draft.request.scheduler = {"kubernetes", target.name,
                                   cluster->context ? cluster->context->text : "",
                                   cluster->name_space ? cluster->name_space->text : "", ""};
        return {};
      });
}

}  // namespace

template <RecordVerb verb>
Result<Reading> read_record(const Call& call) {
  auto draft = read_verb(verb, call);
  if (!draft) return tl::unexpected(std::move(draft.error()));
  if (draft->help) return Reading{.text = help(verb, call)};
  place_files(call, *draft);
  return check_runs(command_of(verb), draft->request)
      .and_then([&] { return take_named(call, *draft); })
      .and_then([&] { return take_target(call, *draft); })
      .map([&] { return Reading{.records = std::move(draft->request)}; });
}

template <RecordVerb verb>
OptionTexts record_options() {
  return texts_of(record_table(verb));
}

template Result<Reading> read_record<RecordVerb::list>(const Call&);
template Result<Reading> read_record<RecordVerb::show>(const Call&);
template Result<Reading> read_record<RecordVerb::logs>(const Call&);
template Result<Reading> read_record<RecordVerb::wait>(const Call&);
template Result<Reading> read_record<RecordVerb::stop>(const Call&);
template Result<Reading> read_record<RecordVerb::report>(const Call&);
template Result<Reading> read_record<RecordVerb::graph>(const Call&);
template Result<Reading> read_record<RecordVerb::remove>(const Call&);
template Result<Reading> read_record<RecordVerb::rerun>(const Call&);
template Result<Reading> read_record<RecordVerb::reindex>(const Call&);
template Result<Reading> read_record<RecordVerb::collect>(const Call&);
template OptionTexts record_options<RecordVerb::list>();
template OptionTexts record_options<RecordVerb::show>();
template OptionTexts record_options<RecordVerb::logs>();
template OptionTexts record_options<RecordVerb::wait>();
template OptionTexts record_options<RecordVerb::stop>();
template OptionTexts record_options<RecordVerb::report>();
template OptionTexts record_options<RecordVerb::graph>();
template OptionTexts record_options<RecordVerb::remove>();
template OptionTexts record_options<RecordVerb::rerun>();
template OptionTexts record_options<RecordVerb::reindex>();
template OptionTexts record_options<RecordVerb::collect>();

}  // namespace muster::front
