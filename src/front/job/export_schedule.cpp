// A schedule is a line for cron: it submits the job as a person would.
#include "front/job/export_schedule.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "front/job/export.hpp"
#include "front/job/front.hpp"
#include "front/job/known_names.hpp"
#include "front/targets.hpp"
#include "job/complaints.hpp"
#include "job/schedule.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

std::string in_shell_quotes(std::string_view text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? "'\\''" : std::string(1, c);
  return made + "'";
}

bool is_plain(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-_./=:,@+").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, fits);
}

// How a value is written in which expressions may stand: what Azure ML knows when a job is due. It
// calls the job SCHEDULE-TIME.
struct Writing {
  std::string (*text)(std::string_view);
  std::string_view time;
  std::string_view compact_time;
};

constexpr Writing kForShell = {in_shell_quotes, R"sh("$(date -u +%Y-%m-%dT%H:%M:%SZ)")sh",
                               R"sh("$(date -u +%Y%m%dT%H%M%SZ)")sh"};
// As it may be on some day.
constexpr Writing kForNow = {[](std::string_view text) { return std::string(text); },
                             "2000-01-01T00:00:00Z", "20000101T000000Z"};

// Nothing: nobody replaces one of its expressions.
std::optional<std::string> written(std::string_view text, const std::string& schedule,
                                   const Writing& writing) {
  std::string made;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("${{"), text.size());
    if (begin > 0) made += writing.text(text.substr(0, begin));
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.find("}}");
    if (end == std::string_view::npos) return std::nullopt;
    std::string name(text.substr(3, end - 3));
    std::erase(name, ' ');
    text.remove_prefix(end + 2);
    if (name == "creation_context.trigger_time") {
      made += writing.time;
    } else if (name == "name") {
      made += writing.text(schedule + "-") + std::string(writing.compact_time);
    } else {
      return std::nullopt;
    }
  }
  return made;
}

// Words of a shell.
std::optional<std::string> shell_word(std::string_view text, const std::string& schedule) {
  if (is_plain(text)) return std::string(text);
  auto made = written(text, schedule, kForShell);
  if (made && made->empty()) made = "''";
  return made;
}

bool is_typed(const JobDraft& draft, const std::string& key) {
  return std::ranges::count(draft.typed_settings, key, &job::Setting::key) > 0;
}

// The options of muster submit: each behind a blank, as a shell reads them, and as they are.
struct Submission {
  std::string options;
  std::vector<std::string> words;
};

class SubmitOptions {
 public:
  SubmitOptions(const job::Schedule& schedule, std::string name, job::Complaints& complaints)
      : schedule_(schedule), name_(std::move(name)), complaints_(complaints) {}

  Submission take(const JobDraft& draft) {
    for (const job::Named& one : schedule_.inputs) set(draft, "inputs." + one.name, one.value);
    for (const job::Named& one : schedule_.tags) set(draft, "tags." + one.name, one.value);
    if (schedule_.experiment) add("--experiment", schedule_.experiment->text, {});
    for (const job::Setting& one : draft.settings) add("--set", one.key + "=" + one.value, {});
    for (const std::string& one : words_for_set(draft.leads)) add("--set", one, {});
    for (const model::Tag& one : draft.tags) {
      add("--set", "tags." + one.name + "=" + one.value, {});
    }
    if (draft.counts.nodes) add("--nodes", std::to_string(*draft.counts.nodes), {});
    if (draft.counts.per_node) add("--per-node", std::to_string(*draft.counts.per_node), {});
    return std::move(made_);
  }

 private:
  // Unless the call sets it.
  void set(const JobDraft& draft, const std::string& key, const job::Text& value) {
    if (is_typed(draft, key)) return;
    add("--set", key + "=" + value.text, value.begin);
  }

  void add(std::string_view option, const std::string& value, job::Mark mark) {
    const auto word = shell_word(value, name_);
    if (!word) {
      complaints_.add(mark,
                      fmt::format("nothing replaces an expression in {}", spec::in_quotes(value)),
                      "a schedule knows ${{name}} and ${{creation_context.trigger_time}}");
    }
    made_.options += fmt::format(" {} {}", option, word.value_or(""));
    made_.words.emplace_back(option);
    made_.words.push_back(written(value, name_, kForNow).value_or(""));
  }

  const job::Schedule& schedule_;
  std::string name_;
  job::Complaints& complaints_;
  Submission made_;
};

std::string name_of_schedule(const JobDraft& draft, const job::Schedule& schedule,
                             const std::string& file) {
  if (!draft.name.empty()) return draft.name;
  if (schedule.name) return schedule.name->text;
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

// cron takes '%' for the end of the line.
std::string for_crontab(std::string_view line) {
  std::string made;
  for (const char c : line) made += c == '%' ? "\\%" : std::string(1, c);
  return made;
}

Result<void> check_line(const std::string& line) {
  if (line.find('\n') == std::string::npos) return {};
  return fail(Fault::bad_file, "remove the line break", "a crontab has no value of several lines");
}

// What a schedule is, and what it submits.
struct DueJob {
  job::Schedule schedule;
  std::string file;  // of the schedule
  Submission submission;
  std::string job;  // its file, absolute
};

// What submit has to say of the job: it is found out now, and not by cron at night.
Result<std::vector<base::Error>> complaints_of(const Call& call, std::vector<std::string> words,
                                               const std::string& job) {
  Call submit = call;
  submit.called = "submit";
  submit.words = std::move(words);
  submit.words.push_back(job);
  return read_submit(submit).map([](Reading reading) { return std::move(reading.complaints); });
}

Result<Reading> crontab_of(const Call& call, const JobDraft& draft, const DueJob& due) {
  std::string options = due.submission.options;
  std::vector<std::string> words = due.submission.words;
  const std::string target = !draft.target.empty() ? draft.target
                             : due.schedule.target ? due.schedule.target->text
                                                   : "";
  if (!target.empty()) {
    options += " --target " + shell_word(target, "").value_or("''");
    words.insert(words.end(), {"--target", target});
  }
  auto complaints = complaints_of(call, std::move(words), due.job);
  if (!complaints) return tl::unexpected(std::move(complaints.error()));
  if (!complaints->empty()) return Reading{.complaints = std::move(*complaints)};
  const std::string line =
      for_crontab(fmt::format("{} submit{} {}", in_shell_quotes(call.own_name), options,
                              is_plain(due.job) ? due.job : in_shell_quotes(due.job)));
  if (auto fine = check_line(line); !fine) return tl::unexpected(fine.error());
  Reading reading;
  reading.text =
      fmt::format("# {}, written by muster export; cron mails what it prints\n", due.file);
  reading.text += fmt::format("CRON_TZ={}\n", due.schedule.zone);
  reading.text += fmt::format("{} {}\n", due.schedule.times, line);
  reading.notices.push_back(fmt::format(
      "CRON_TZ={} is for cronie's cron; Debian's does not know it, and takes the machine's zone",
      due.schedule.zone));
  return reading;
}

// A CronJob has no other client: it is for the job's own target.
Result<Reading> cron_job_of(const Call& call, JobDraft draft, const DueJob& due,
                            const std::string& name) {
  auto text = call.read_file(due.job, job::kFileMax);
  if (!text) return tl::unexpected(std::move(text.error()));
  draft.name = name;
  draft.as = "job";  // whatever operator the target has: muster runs in the pod
  std::vector<job::Setting> settings;
  for (const job::Named& one : due.schedule.inputs) {
    const std::string key = "inputs." + one.name;
    if (!is_typed(draft, key)) settings.push_back({key, one.value.text});
  }
  draft.settings.insert(draft.settings.begin(), settings.begin(), settings.end());
  kubernetes::Cron cron{due.schedule.times, due.schedule.zone, due.submission.options};
  return export_file(call, draft, "kubernetes",
                     {due.job, std::move(*text), std::move(cron), due.schedule.target});
}

std::string path_of_job(const Call& call, const std::string& file, std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with('/')) return std::string(path);
  return folder_of(absolute(call, file)) + "/" + std::string(path);
}

Result<void> check_words(const JobDraft& draft, const std::string& engine) {
  if (engine != "crontab" && engine != "kubernetes") {
    return fail(Fault::usage, "write: muster export crontab, or kubernetes",
                "a schedule cannot be exported for {}", engine);
  }
  if (draft.as.empty()) return {};
  return fail(Fault::usage, "leave --as out", "a schedule becomes a CronJob, and no other kind");
}

}  // namespace

Result<Reading> export_schedule(const Call& call, const JobDraft& draft, const std::string& engine,
                                const std::string& file, const std::string& text) {
  if (auto fine = check_words(draft, engine); !fine) return tl::unexpected(fine.error());
  job::ScheduleReading read = job::read_schedule(text, file);
  if (!read.complaints.empty()) return Reading{.complaints = std::move(read.complaints)};
  job::Complaints complaints(file);
  const std::string name = name_of_schedule(draft, read.schedule, file);
  Submission submission = SubmitOptions(read.schedule, name, complaints).take(draft);
  if (!complaints.empty()) return Reading{.complaints = std::move(complaints).take()};
  const std::string job = path_of_job(call, file, read.schedule.job->text);
  const DueJob due{std::move(read.schedule), file, std::move(submission), job};
  auto reading =
      engine == "crontab" ? crontab_of(call, draft, due) : cron_job_of(call, draft, due, name);
  if (!reading) return reading;
  reading->notices.insert(reading->notices.begin(), read.notices.begin(), read.notices.end());
  if (!draft.output_file.empty()) reading->text_file = absolute(call, draft.output_file);
  return reading;
}

}  // namespace muster::front
