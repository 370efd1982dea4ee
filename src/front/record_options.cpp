// Tables of options: which runs, what is shown of them.
#include "front/record_options.hpp"

#include "base/check.hpp"
#include "front/rows.hpp"
#include "front/values.hpp"

namespace muster::front {
namespace {

using Row = Option<RecordDraft>;

constexpr std::uint32_t kListMax = 1'000'000'000;

constexpr std::string_view kRuns = "Runs";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kSee = "See";

constexpr Row kMost = {
    {"-n --last", kRuns, Takes::number, "N", "List the last N, and all that run (default: 20)."},
    [](RecordDraft& d, const Typed& t) {
      return store(read_count(t, {1, kListMax}), d.request.most);
    }};
constexpr Row kAll = {{"-a --all", kRuns, Takes::nothing, "", "List all that are on record."},
                      [](RecordDraft& d, const Typed&) { return raise(d.request.all); }};
constexpr Row kExperiment = {
    {"--experiment", kRuns, Takes::text, "NAME", "List those of this experiment alone."},
    [](RecordDraft& d, const Typed& t) { return store(read_text(t), d.request.experiment); }};
constexpr Row kFollow = {{"-f --follow", kOutput, Takes::nothing, "",
                          "Go on as more is written, until the run has ended."},
                         [](RecordDraft& d, const Typed&) { return raise(d.request.follow); }};
constexpr Row kRank = {{"--rank", kOutput, Takes::number, "N",
                        "Only the output of rank N, as it came (default: all, with their ranks)."},
                       [](RecordDraft& d, const Typed& t) {
                         return store(read_count(t, {0, model::kRanksMax}), d.request.rank);
                       }};
constexpr Row kErrors = {
    {"--err", kOutput, Takes::nothing, "", "Only what went to stderr; print it on stdout."},
    [](RecordDraft& d, const Typed&) { return raise(d.request.only_errors); }};
constexpr Row kDetach = {{"-d --detach", kRuns, Takes::nothing, "",
                          "Return once all ranks run, also where the first run did not."},
                         [](RecordDraft& d, const Typed&) { return raise(d.request.detach); }};
constexpr Row kJson = {{"--json", kSee, Takes::nothing, "", "Print JSON, as docs/RECORD.md says."},
                       [](RecordDraft& d, const Typed&) { return raise(d.request.json); }};
constexpr Row kHelp = {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
                       [](RecordDraft& d, const Typed&) { return raise(d.help); }};

constexpr Row kListRows[] = {kMost, kAll, kExperiment, kJson, kHelp};
constexpr Row kLogsRows[] = {kFollow, kRank, kErrors, kHelp};
constexpr Row kRerunRows[] = {kDetach, kJson, kHelp};
constexpr Row kJsonRows[] = {kJson, kHelp};
constexpr Row kPlainRows[] = {kHelp};

}  // namespace

std::span<const Row> record_table(RecordVerb verb) {
  switch (verb) {
    case RecordVerb::list:
      return kListRows;
    case RecordVerb::logs:
      return kLogsRows;
    case RecordVerb::rerun:
      return kRerunRows;
    case RecordVerb::show:
    case RecordVerb::wait:
    case RecordVerb::stop:
    case RecordVerb::remove:
      return kJsonRows;
    case RecordVerb::report:
    case RecordVerb::reindex:
      return kPlainRows;
  }
  CHECK(false);
}

}  // namespace muster::front
