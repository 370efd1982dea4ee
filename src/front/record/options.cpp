// Tables of options: which runs, what is shown of them.
#include "front/record/options.hpp"

#include <charconv>
#include <chrono>

#include "base/byte_size.hpp"
#include "base/check.hpp"
#include "base/nearest.hpp"
#include "base/words.hpp"
#include "front/reach_options.hpp"
#include "front/table.hpp"
#include "front/voice.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"
#include "spec/moment.hpp"

namespace muster::front {
namespace {

using base::Result;
using Row = Option<RecordDraft>;

constexpr std::uint32_t kListMax = 1'000'000'000;

constexpr std::string_view kRuns = "Runs";
constexpr std::string_view kReach = "Connecting to hosts";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kSee = "Information";

constexpr std::string_view kStates =
    "completed failed stopped died unknown queued starting running";

Result<void> add_tag(RecordDraft& draft, const Typed& typed) {
  return read_text(typed).map([&](const std::string& text) {
    const std::size_t equals = text.find('=');
    auto& tag = draft.request.filter.tags.emplace_back();
    tag.name = text.substr(0, equals);
    if (equals != std::string::npos) tag.value = text.substr(equals + 1);
  });
}

Result<void> add_state(RecordDraft& draft, const Typed& typed) {
  const auto state = model::run_state(typed.value);
  if (!state) {
    return base::fail(base::Fault::usage,
                      base::did_you_mean(typed.value, base::split(kStates, " "),
                                         fmt::format("the states are: {}", kStates)),
                      "{}: unknown state {}", typed.option, spec::in_quotes(typed.value));
  }
  draft.request.filter.states.push_back(*state);
  return {};
}

std::optional<std::chrono::seconds> unit_of(char letter) {
  using namespace std::chrono;
  if (letter == 's') return seconds(1);
  if (letter == 'm') return minutes(1);
  if (letter == 'h') return hours(1);
  if (letter == 'd') return days(1);
  if (letter == 'w') return weeks(1);
  return std::nullopt;
}

// "30d": a whole number below a million, and a unit.
Result<base::Duration> read_age(const Typed& typed) {
  constexpr std::uint32_t kLargest = 999'999;
  std::uint32_t count = 0;
  const char* const end = typed.value.data() + typed.value.size();
  const auto [after, wrong] = std::from_chars(typed.value.data(), end, count);
  const auto unit = after + 1 == end ? unit_of(*after) : std::nullopt;
  if (wrong == std::errc() && unit && count <= kLargest) return base::Duration(count * *unit);
  return base::fail(base::Fault::usage, fmt::format("for example: {} 30d", typed.option),
                    "{} takes a whole number with s, m, h, d or w after it, not {}", typed.option,
                    spec::in_quotes(typed.value));
}

Result<std::uint64_t> read_size(const Typed& typed) {
  const auto size = base::parse_budget(typed.value);
  if (size) return *size;
  return base::fail(base::Fault::usage, fmt::format("for example: {} 50GB", typed.option),
                    "{} takes a size with its unit, not {}", typed.option,
                    spec::in_quotes(typed.value));
}

constexpr Row kMost = {{"-n --last", kRuns, Takes::number, "N",
                        "List the last N runs and all active ones (default: 20)."},
                       [](RecordDraft& d, const Typed& t) {
                         return store(read_count(t, {1, kListMax}), d.request.most);
                       }};
constexpr Row kAll = {{"-a --all", kRuns, Takes::nothing, "", "List all runs on record."},
                      [](RecordDraft& d, const Typed&) { return raise(d.request.all); }};
constexpr Row kExperiment = {
    {"--experiment", kRuns, Takes::text, "NAME", "Only runs of this experiment."},
    [](RecordDraft& d, const Typed& t) {
      return store(read_text(t), d.request.filter.experiment);
    }};
constexpr Row kTag = {{"--tag",
                       kRuns,
                       Takes::text,
                       "NAME[=VALUE]",
                       "Only runs with this tag, and this value if given. Repeatable.",
                       {.repeatable = true}},
                      add_tag};
constexpr Row kState = {{"--state",
                         kRuns,
                         Takes::choice,
                         "STATE",
                         "Only runs in this state: completed, failed, stopped, died, unknown, "
                         "queued, starting or running. Repeatable.",
                         {.choices = kStates, .repeatable = true}},
                        add_state};
constexpr Row kOlderThan = {
    {"--older-than", kRuns, Takes::text, "AGE",
     "Only runs that ended at least this long ago: 30d, 12h."},
    [](RecordDraft& d, const Typed& t) { return store(read_age(t), d.request.filter.older_than); }};
constexpr Row kTooOld = {
    {"--older-than", kRuns, Takes::text, "AGE",
     "Also remove the records of runs that ended at least this long ago: 30d, 12h."},
    [](RecordDraft& d, const Typed& t) { return store(read_age(t), d.request.filter.older_than); }};
constexpr Row kMaxSize = {
    {"--max-size", kRuns, Takes::text, "SIZE",
     "Also remove the oldest records until all take at most this much: 50GB."},
    [](RecordDraft& d, const Typed& t) { return store(read_size(t), d.request.max_size); }};
constexpr Row kHosts = {{"-H --host",
                         kRuns,
                         Takes::hosts,
                         "LIST",
                         "Also remove what errands of runs that have ended left on these hosts: "
                         "node1,node2. Repeatable.",
                         {.repeatable = true}},
                        join_hosts<RecordDraft>};
constexpr Row kTarget = {
    {"--target", kRuns, Takes::text, "NAME",
     "Also the runs in the cluster that is this target of muster.yml, which other machines may "
     "have begun."},
    [](RecordDraft& d, const Typed& t) { return store(read_text(t), d.target); }};
constexpr Row kYes = {{"-y --yes", kRuns, Takes::nothing, "", "Do not ask first."},
                      [](RecordDraft& d, const Typed&) { return raise(d.request.unasked); }};
constexpr Row kForeign = {
    {"--foreign", kRuns, Takes::nothing, "", "Also act on runs of other users."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.foreign); }};
constexpr Row kDryRun = {
    {"--dry-run", kSee, Takes::nothing, "", "List what would be removed, without removing it."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.dry_run); }};
constexpr Row kFollow = {
    {"-f --follow", kOutput, Takes::nothing, "",
     "Keep printing new output until the run has ended, then exit with the run's code."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.follow); }};
constexpr Row kRank = {
    {"--rank", kOutput, Takes::number, "N",
     "Only the output of rank N, without labels (default: all ranks, with labels)."},
    [](RecordDraft& d, const Typed& t) {
      return store(read_count(t, {0, model::kRanksMax}), d.request.rank);
    }};
constexpr Row kTail = {
    {"--tail", kOutput, Takes::number, "N",
     "Begin with the last N lines of each rank's stdout and stderr (default: all lines)."},
    [](RecordDraft& d, const Typed& t) {
      return store(read_count(t, {0, kListMax}), d.request.tail);
    }};
constexpr Row kSince = {
    {"--since", kOutput, Takes::text, "TIME",
     "Only what was written since then, to ten seconds: 10m, 2h, 14:30, 2026-11-28T14:30:00Z."},
    [](RecordDraft& d, const Typed& t) {
      return store(spec::read_moment(t.option, t.value), d.request.since);
    }};
constexpr Row kErrors = {
    {"--err", kOutput, Takes::nothing, "", "Only the ranks' stderr, printed to stdout."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.only_errors); }};
constexpr Row kSvg = {
    {"--svg", kOutput, Takes::nothing, "", "Write SVG (default: text for Mermaid)."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.svg); }};
constexpr Row kDetach = {{"-d --detach", kRuns, Takes::nothing, "",
                          "Run in the background, even if the recorded run did not."},
                         [](RecordDraft& d, const Typed&) { return raise(d.request.detach); }};
constexpr Row kForce = {{"--force", kRuns, Takes::nothing, "",
                         "Write where outputs have a path even if files that no run of muster has "
                         "written lie there."},
                        [](RecordDraft& d, const Typed&) { return raise(d.request.force); }};
constexpr Row kFreshCode = {
    {"--fresh-code", kRuns, Takes::nothing, "",
     "Take the code from its folder again, as it is now."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.fresh_code); }};
constexpr Row kFreshCheckpoints = {
    {"--fresh-checkpoints", kRuns, Takes::nothing, "",
     "Begin without the checkpoints of the run, which keeps them."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.fresh_checkpoints); }};
constexpr Row kJson = {
    {"--json", kSee, Takes::nothing, "", "Print JSON; docs/RECORD.md describes the format."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.json); }};
constexpr Row kJsonLines = {{"--json-lines", kSee, Takes::nothing, "",
                             "Print one JSON object per line, with no list around them."},
                            [](RecordDraft& d, const Typed&) {
                              d.request.json = true;
                              return raise(d.request.lines);
                            }};
constexpr Row kWatch = {{"-w --watch", kOutput, Takes::nothing, "",
                         "Show the list on the terminal and keep it up to date; Ctrl-C ends it."},
                        [](RecordDraft& d, const Typed&) { return raise(d.request.watch); }};
constexpr Row kColor = color_row<RecordDraft>(kSee);
constexpr Row kQuiet = quiet_row<RecordDraft>(kSee);
constexpr Row kVersion = version_row<RecordDraft>(kSee);
constexpr Row kHelp = {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
                       [](RecordDraft& d, const Typed&) { return raise(d.help); }};

// Those of the recorded command line are read later.
template <Reach Which>
Result<void> wish_reach(RecordDraft& draft, const Typed& typed) {
  const ReachSetting& setting = reach_setting(Which);
  model::JobSpec tried;
  return setting.set(typed, tried).map([&] {
    draft.request.reach_wishes.push_back({setting.text.names, std::string(typed.value)});
  });
}

template <Reach Which>
constexpr Row reach_row_of_rerun() {
  OptionText text = reach_setting(Which).text;
  text.group = kReach;
  return {text, wish_reach<Which>};
}

// Of commands that only look.
constexpr Row kForeignThere = {
    {"--foreign", kRuns, Takes::nothing, "", "With --target: also runs that other users began."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.foreign); }};

constexpr Row kListRows[] = {kMost,      kAll,    kExperiment,   kTag,     kState,
                             kOlderThan, kTarget, kForeignThere, kWatch,   kJson,
                             kJsonLines, kColor,  kQuiet,        kVersion, kHelp};
constexpr Row kRemoveRows[] = {kExperiment, kTag,  kState, kOlderThan, kTarget,  kYes, kForeign,
                               kDryRun,     kJson, kColor, kQuiet,     kVersion, kHelp};
constexpr Row kCollectRows[] = {kTooOld,
                                kMaxSize,
                                kHosts,
                                reach_row<RecordDraft, Reach::ssh_command>(kReach),
                                reach_row<RecordDraft, Reach::ssh_port>(kReach),
                                reach_row<RecordDraft, Reach::ssh_identity>(kReach),
                                reach_row<RecordDraft, Reach::agent_path>(kReach),
                                reach_row<RecordDraft, Reach::patience>(kReach),
                                reach_row<RecordDraft, Reach::most_open>(kReach),
                                reach_row<RecordDraft, Reach::lease>(kReach),
                                kDryRun,
                                kJson,
                                kColor,
                                kQuiet,
                                kVersion,
                                kHelp};
constexpr Row kLogsRows[] = {kFollow,       kTail, kSince, kRank,  kErrors,  kTarget,
                             kForeignThere, kJson, kColor, kQuiet, kVersion, kHelp};
constexpr Row kRerunRows[] = {kDetach,
                              kFreshCode,
                              kFreshCheckpoints,
                              kForce,
                              kTarget,
                              kForeign,
                              reach_row_of_rerun<Reach::ssh_command>(),
                              reach_row_of_rerun<Reach::ssh_port>(),
                              reach_row_of_rerun<Reach::ssh_identity>(),
                              reach_row_of_rerun<Reach::agent_path>(),
                              reach_row_of_rerun<Reach::patience>(),
                              reach_row_of_rerun<Reach::most_open>(),
                              reach_row_of_rerun<Reach::lease>(),
                              kJson,
                              kColor,
                              kQuiet,
                              kVersion,
                              kHelp};
constexpr Row kStopRows[] = {kTarget, kForeign, kJson, kColor, kQuiet, kVersion, kHelp};
constexpr Row kGraphRows[] = {kSvg, kColor, kQuiet, kVersion, kHelp};
constexpr Row kEachRows[] = {kTarget, kForeignThere, kJson, kColor, kQuiet, kVersion, kHelp};
constexpr Row kJsonRows[] = {kJson, kColor, kQuiet, kVersion, kHelp};

}  // namespace

std::span<const Row> record_table(RecordVerb verb) {
  switch (verb) {
    case RecordVerb::list:
      return kListRows;
    case RecordVerb::remove:
      return kRemoveRows;
    case RecordVerb::collect:
      return kCollectRows;
    case RecordVerb::logs:
      return kLogsRows;
    case RecordVerb::rerun:
      return kRerunRows;
    case RecordVerb::stop:
      return kStopRows;
    case RecordVerb::graph:
      return kGraphRows;
    case RecordVerb::show:
    case RecordVerb::wait:
    case RecordVerb::report:
      return kEachRows;
    case RecordVerb::reindex:
      return kJsonRows;
  }
  CHECK(false);
}

}  // namespace muster::front
