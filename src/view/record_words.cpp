// Lays records out as lines and as a table.
#include "view/record_words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/shell_word.hpp"
#include "view/record_json.hpp"
#include "view/step_words.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using base::columns_of;
using base::fitted;
using base::folded;
using base::padded;
using base::padded_before;
using base::shortened;
using base::Yield;
using model::RunRecord;
using model::RunState;
using model::Utc;

constexpr std::size_t kJobMax = 256;  // columns; a command may be of any length

enum Cell : std::uint8_t { kRun, kState, kCreated, kTook, kRanks, kJob, kCells };

// Much of a name is said by its command's beginning; the name of a run tells when it was created.
constexpr Yield kYields[] = {{kJob, 28},      {kRanks, 14}, {kCreated, 0}, {kJob, 16},
                             {kRun, 6, true}, {kRanks, 10}, {kJob, 8},     {kTook, 0},
                             {kRanks, 0},     {kJob, 0}};
constexpr std::size_t kGap = 2;
constexpr std::size_t kValues = 12;  // the column where values begin in the words of one run

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// Where the command is a launcher, what it starts is what people ask for.
std::string ranks_words(const RunRecord& record) {
  if (!record.steps.empty()) return steps_words(record);
  const std::size_t hosts = record.hosts.size();
  return fmt::format("{} on {}", record.launched > 0 ? record.launched : record.ranks,
                     hosts == 1 ? record.hosts.front() : fmt::format("{} hosts", hosts));
}

std::string what_completed(const RunRecord& record) {
  if (!record.steps.empty()) {
    const std::string steps = steps_words(record);
    return record.ended ? steps + ", " + span_words(seconds_of(record, *record.ended)) : steps;
  }
  const bool one_rank = record.ranks == 1;
  const std::size_t hosts = record.hosts.size();
  std::string text = fmt::format("{} rank{} on ", record.ranks, one_rank ? "" : "s");
  text += hosts == 1 ? record.hosts.front() : fmt::format("{} hosts", hosts);
  if (record.ended) text += ", " + span_words(seconds_of(record, *record.ended));
  return text;
}

std::string line(std::string_view name, const std::string& value) {
  if (value.empty()) return {};
  return fmt::format("{:<11} {}\n", name, one_line(value));
}

std::string line(std::string_view name, const std::optional<Utc>& time) {
  return time ? line(name, utc_text(*time)) : std::string();
}

// What is too long goes on below where values begin.
std::string fold_lines(const std::string& lines, std::size_t width) {
  if (width <= kValues) return lines;
  std::string text;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\n'));
    const std::string_view name = one.substr(0, kValues);
    text.append(name) += folded(one.substr(name.size()), kValues, width) + '\n';
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return text;
}

// Of the words about a state.
std::string_view colour_of(std::string_view words) {
  const RunState state = model::run_state(words).value_or(RunState::failed);
  if (state == RunState::completed) return "\x1b[32m";
  if (state == RunState::running || state == RunState::starting) return "\x1b[1;36m";
  if (state == RunState::queued) return "\x1b[33m";
  return "\x1b[31m";
}

std::string fitting(const RecordCells& row, std::size_t cell, std::size_t width) {
  const std::string& text = row[cell];
  if (cell != kRun || columns_of(text) <= width) return shortened(text, width);
  return shortened(text.substr(text.rfind('-') + 1), width);
}

void append_row(std::string& text, const RecordCells& row, const std::vector<std::size_t>& widths,
                std::string_view colour) {
  std::string line;
  for (std::size_t i = 0; i < kCells; ++i) {
    if (widths[i] == 0) continue;
    if (!line.empty()) line.append(kGap, ' ');
    const std::string shown = fitting(row, i, widths[i]);
    const std::string cell = i == kTook  ? padded_before(shown, widths[i])
                             : i == kJob ? shown
                                         : padded(shown, widths[i]);
    const bool is_coloured = i == kState && !colour.empty();
    line += is_coloured ? fmt::format("{}{}\x1b[0m", colour, cell) : cell;
  }
  text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

std::string scheduler_line(const RunRecord& record) {
  const model::Scheduler& on = record.scheduler;
  if (on.kind.empty()) return {};
  const std::string space = on.space.empty() ? "" : " in " + on.space;
  return line("scheduler", fmt::format("{}: {}{}", on.kind, on.id, space));
}

std::string best_line(const RunRecord& record) {
  const model::BestTrial& best = record.best;
  const auto step = std::ranges::find(record.steps, best.step, &model::StepRecord::name);
  if (step == record.steps.end()) return {};
  std::string text = fmt::format("{}: {} {}", best.step, best.metric, best.value);
  for (const model::Tag& one : step->values) {
    text +=
        fmt::format("{}{}={}", &one == step->values.data() ? " with " : " ", one.name, one.value);
  }
  return line("best", text);
}

std::string logged_lines(const model::Logged& logged) {
  constexpr std::size_t kShown = 50;
  std::string text;
  const auto add_more = [&](std::size_t count) {
    if (count > kShown) text += fmt::format("{:<11} and {} more\n", "", count - kShown);
  };
  for (std::size_t i = 0; i < std::min(kShown, logged.metrics.size()); ++i) {
    const model::Logged::Metric& one = logged.metrics[i];
    text += line("metric", fmt::format("{}={} (step {})", one.name, one.value, one.step));
  }
  add_more(logged.metrics.size());
  for (std::size_t i = 0; i < std::min(kShown, logged.params.size()); ++i) {
    text += line("param", fmt::format("{}={}", logged.params[i].name, logged.params[i].value));
  }
  add_more(logged.params.size());
  return text;
}

bool has_own_title(const RunRecord& record) {
  return !record.title.empty() && record.title != record.name;
}

// What a person calls the job.
std::string job_of(const RunRecord& record) {
  std::string job = record.name.empty() ? base::shell_words(record.command) : record.name;
  if (has_own_title(record)) job += fmt::format(" ({})", record.title);
  if (!record.experiment.empty()) job = record.experiment + "/" + job;
  const std::string owner = record.owner.empty() ? "" : fmt::format("({}) ", record.owner);
  return owner + shortened(one_line(job), kJobMax);
}

std::string state_of(const RunRecord& record) {
  if (record.state == RunState::failed && record.exit_code) {
    return fmt::format("failed {}", *record.exit_code);
  }
  return std::string(word(record.state));
}

std::string created_words(const RunRecord& record) {
  if (!record.created) return "";
  std::string text = utc_text(*record.created).substr(0, 16);
  text[10] = ' ';
  return text;
}

}  // namespace

std::string record_sentence(const RunRecord& record) {
  std::string text =
      fmt::format("{} {}", record.run,
                  record.is_live()                    ? "is " + std::string(word(record.state))
                  : record.state == RunState::unknown ? "is in an unknown state"
                                                      : std::string(word(record.state)));
  if (!record.ended_well() && record.exit_code) {
    text += fmt::format(" with exit code {}", *record.exit_code);
  }
  if (!record.cause.empty()) text += ": " + record.cause;
  if (record.state == RunState::completed) text += ": " + what_completed(record);
  return text;
}

std::string begin_words(const RunRecord& record, bool detached) {
  constexpr std::size_t kShown = 3;
  const std::string word = record.run.substr(record.run.rfind('-') + 1);
  std::string text = fmt::format("muster: run {}, recorded in {}\n", word, one_line(record.folder));
  const std::size_t count = record.outputs.size();
  for (std::size_t i = 0; i < std::min(kShown, count); ++i) {
    const model::NamedPath& one = record.outputs[i];
    text += fmt::format("muster: output {}: {}\n", one_line(one.name), one_line(one.path));
  }
  if (count > kShown) {
    text += fmt::format("muster: and {} more outputs: muster show {}\n", count - kShown, word);
  }
  return text + fmt::format(
                    "  muster logs -f {0}  # follow its output{1}\n"
                    "  muster show {0}     # how it is, or how it ended and why\n"
                    "  muster stop {0}     # stop it{2}\n",
                    word, detached ? "" : " from another terminal",
                    detached ? ", as Ctrl-C would" : ", as Ctrl-C does here");
}

std::string record_words(const RunRecord& record, Utc now, std::size_t width) {
  std::string text = line("run", record.run) + line("owner", record.owner) +
                     line("job", record.name) +
                     line("called", has_own_title(record) ? record.title : "") +
                     line("experiment", record.experiment) +
                     line("state", std::string(word(record.state))) + line("cause", record.cause);
  if (record.exit_code) text += line("exit code", std::to_string(*record.exit_code));
  text += line("created", record.created) + line("started", record.started) +
          line("ended", record.ended) + line("took", span_words(seconds_of(record, now))) +
          line("command", base::shell_words(record.command)) +
          line(record.steps.empty() ? "ranks" : "steps", ranks_words(record)) +
          line("hosts", joined(record.hosts, " ")) + line("folder", record.folder) +
          line("code", record.code) + line("streams", record.streams) + scheduler_line(record);
  text += line("reused from", record.reused_from) + best_line(record) + steps_table(record, now);
  if (record.logged) text += logged_lines(*record.logged);
  for (const model::NamedPath& output : record.outputs) {
    text += line("output", fmt::format("{}: {}", output.name, output.path));
  }
  for (const auto& [name, value] : record.tags) {
    text += line("tag", fmt::format("{}={}", name, value));
  }
  return fold_lines(text, width);
}

std::string warning_words(std::string_view report, std::size_t width) {
  constexpr std::string_view kFrame = "muster: warning: ";
  std::string text;
  while (!report.empty()) {
    const std::string_view words = report.substr(0, report.find('\n'));
    if (words.starts_with(kFrame)) {
      text += line("warning", std::string(words.substr(kFrame.size())));
    }
    report.remove_prefix(std::min(words.size() + 1, report.size()));
  }
  return fold_lines(text, width);
}

RecordCells record_cells(const RunRecord& record, Utc now) {
  return {record.run,
          state_of(record),
          created_words(record),
          span_words(seconds_of(record, now)),
          ranks_words(record),
          job_of(record)};
}

std::string record_table(const std::vector<RecordCells>& rows, Style style) {
  const RecordCells head = {"RUN", "STATE", "CREATED (UTC)", "TOOK", "RANKS, STEPS", "JOB"};
  std::vector<std::size_t> widths(kCells);
  for (std::size_t i = 0; i < kCells; ++i) {
    widths[i] = columns_of(head[i]);
    for (const RecordCells& row : rows) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  if (style.width > 0) widths = fitted(widths, kGap, style.width, kYields);
  std::string text;
  append_row(text, head, widths, "");
  for (const RecordCells& row : rows) {
    append_row(text, row, widths, style.colour ? colour_of(row[kState]) : "");
  }
  return text;
}

}  // namespace muster::view
