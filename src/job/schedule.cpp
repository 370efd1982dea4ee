// Reads schedules along a table of keys, as azure-ai-ml's folder _schema/schedule has them.
#include "job/schedule.hpp"

#include <fmt/format.h>

#include "base/words.hpp"
#include "job/complaints.hpp"
#include "job/cron.hpp"
#include "job/key.hpp"
#include "job/read_map.hpp"
#include "job/table_reader.hpp"
#include "job/yaml.hpp"

namespace muster::job {
namespace {

using ScheduleKey = Key<Schedule>;

template <auto Member>
void into_trigger(Schedule& schedule, const Found& found) {
  store(schedule.trigger.*Member, found);
}

void begin_trigger(Schedule& schedule, const Found& found) {
  schedule.trigger.mark = found.key_mark;
}

constexpr ScheduleKey kPatternKeys[] = {
    {{"hours", Form::text, "At which hours: 0 to 23.", {.listed = true, .required = true}},
     into_trigger<&Trigger::hours>},
    {{"minutes",
      Form::text,
      "At which minutes of them: 0 to 59.",
      {.listed = true, .required = true}},
     into_trigger<&Trigger::minutes>},
    {{"week_days", Form::text, "On which days of a week: monday.", {.listed = true}},
     into_trigger<&Trigger::week_days>},
    {{"month_days", Form::text, "On which days of a month: 1 to 31.", {.listed = true}},
     into_trigger<&Trigger::month_days>},
};

constexpr ScheduleKey kTriggerKeys[] = {
    {{"type",
      Form::choice,
      "cron or recurrence.",
      {.choices = "cron recurrence", .any_case = true, .required = true}},
     into_trigger<&Trigger::type>},
    {{"expression", Form::text, "Of cron: its five fields."}, into_trigger<&Trigger::expression>},
    {{"frequency",
      Form::choice,
      "Of a recurrence: minute, hour, day, week or month.",
      {.choices = "minute hour day week month", .any_case = true}},
     into_trigger<&Trigger::frequency>},
    {{"interval", Form::count, "Of a recurrence: every how many of them."},
     into_trigger<&Trigger::interval>},
    {{"schedule", Form::none, "Of a recurrence: hours, minutes and days."}, nullptr, kPatternKeys},
    {{"start_time", Form::text, "The first time at which it may be due."},
     into_trigger<&Trigger::start>},
    {{"end_time", Form::text, "After that it is not due any more."}, into_trigger<&Trigger::end>},
    {{"time_zone", Form::text, "Of these times (default: UTC)."}, into_trigger<&Trigger::zone>},
};

constexpr Traits kOfTheJob = {.support = no_effect("the job's own file says it")};
constexpr Traits kOfAzure = {.support = no_effect("Azure ML keeps it beside the schedule")};

constexpr ScheduleKey kScheduledSettings[] = {
    {{"default_compute", Form::text, "Where the job runs."}, into<Schedule, &Schedule::target>},
    {{"default_datastore", Form::anything, "Where outputs go.", kOfTheJob}},
    {{"continue_on_step_failure", Form::anything, "Of a pipeline.", kOfTheJob}},
    {{"continue_run_on_step_failure", Form::anything, "Of a pipeline.", kOfTheJob}},
    {{"force_rerun", Form::anything, "Of a pipeline.", kOfTheJob}},
};

constexpr ScheduleKey kCreateJobKeys[] = {
    {{"type", Form::text, "The kind of the job."}},
    {{"job", Form::text, "The file of the job.", {.required = true}},
     into<Schedule, &Schedule::job>},
    {{"inputs", Form::text, "Values of its inputs.", {.each = true}},
     into<Schedule, &Schedule::inputs>},
    {{"outputs", Form::anything, "Of its outputs.", kOfTheJob}},
    {{"tags", Form::text, "Names and values to find its runs by.", {.each = true}},
     into<Schedule, &Schedule::tags>},
    {{"experiment_name", Form::text, "The experiment of its runs."},
     into<Schedule, &Schedule::experiment>},
    {{"compute", Form::text, "Where the job runs."}, into<Schedule, &Schedule::target>},
    {{"settings", Form::none, "Of a pipeline."}, nullptr, kScheduledSettings},
    {{"name", Form::anything, "Of the job in Azure ML.", kOfAzure}},
    {{"display_name", Form::anything, "Of the job in Azure ML.", kOfAzure}},
    {{"description", Form::anything, "Of the job in Azure ML."}},
    {{"properties", Form::anything, "Of the job in Azure ML.", kOfAzure}},
};

constexpr ScheduleKey kScheduleKeys[] = {
    {{"$schema", Form::anything, "For editors."}},
    {{"name", Form::text, "Its name."}, into<Schedule, &Schedule::name>},
    {{"display_name", Form::anything, "Its title."}},
    {{"description", Form::anything, "What it is for."}},
    {{"tags", Form::anything, "Names and values to find the schedule by.", kOfAzure}},
    {{"properties", Form::anything, "For Azure ML.", kOfAzure}},
    {{"trigger", Form::none, "When.", {.required = true}}, begin_trigger, kTriggerKeys},
    {{"create_job", Form::text, "The file of the job, or a map.", {.required = true}},
     [](Schedule& schedule, const Found& found) { store(schedule.job, found); },
     kCreateJobKeys},
};

void check_trigger(Schedule& schedule, Complaints& complaints) {
  Trigger& trigger = schedule.trigger;
  const bool is_cron = trigger.type && base::lower(trigger.type->text) == "cron";
  const auto& other = is_cron ? trigger.frequency : trigger.expression;
  if (other) {
    complaints.add(other->begin,
                   fmt::format("trigger.{} has no meaning with type: {}",
                               is_cron ? "frequency" : "expression", trigger.type->text),
                   is_cron ? "write type: recurrence, or an expression" : "write type: cron");
  }
  if (is_cron && !trigger.expression) {
    complaints.add(trigger.mark, "trigger.expression is missing", "for example: '30 4 * * 1-5'");
  }
  if (!is_cron && !trigger.frequency) {
    complaints.add(trigger.mark, "trigger.frequency is missing", "for example: frequency: day");
  }
  const std::string& zone = trigger.zone ? trigger.zone->text : "UTC";
  schedule.zone = tz_name(zone);
  if (schedule.zone.empty()) {
    complaints.add(trigger.zone->begin,
                   fmt::format("trigger.time_zone: unknown time zone {}", spec::in_quotes(zone)),
                   "for example: UTC, W. Europe Standard Time, Europe/Berlin");
  }
}

// A job that only a workspace knows cannot be started anywhere else.
void check_job(Schedule& schedule, Complaints& complaints) {
  if (!schedule.job) return;
  std::string& path = schedule.job->text;
  if (path.starts_with("azureml:")) {
    return complaints.add(schedule.job->begin,
                          fmt::format("only the workspace knows the job {}", spec::in_quotes(path)),
                          "name its file: create_job: ./job.yml");
  }
  constexpr std::string_view kFile = "file:";
  if (path.starts_with(kFile)) path.erase(0, kFile.size());
}

void tell_limits(const Schedule& schedule, std::vector<std::string>& notices) {
  const Trigger& trigger = schedule.trigger;
  if (trigger.start) {
    notices.emplace_back(
        "trigger.start_time: cron has no first day: it begins when the schedule is installed");
  }
  if (trigger.end) {
    notices.push_back(fmt::format(
        "trigger.end_time: cron has no last day: remove the schedule at {}", trigger.end->text));
  }
}

}  // namespace

bool is_schedule(std::string_view text) {
  const Document document = read_yaml(text, "");
  return document.root && find(*document.root, "trigger") != nullptr &&
         find(*document.root, "create_job") != nullptr;
}

ScheduleReading read_schedule(std::string_view text, const std::string& source) {
  ScheduleReading reading;
  Complaints complaints(source);
  const SharedNode root = read_map(text, {"a schedule", "trigger:"}, complaints);
  if (root) {
    TableReader<Schedule> reader(reading.schedule, complaints);
    reader.read(*root, kScheduleKeys);
    reading.notices = std::move(reader).notices();
    if (complaints.empty()) check_trigger(reading.schedule, complaints);
    check_job(reading.schedule, complaints);
    if (complaints.empty()) {
      reading.schedule.times = cron_times(reading.schedule.trigger, complaints);
    }
    tell_limits(reading.schedule, reading.notices);
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

}  // namespace muster::job
