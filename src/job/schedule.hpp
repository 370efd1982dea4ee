// Schedule: a file of Azure ML's that starts a job again and again, as cron understands it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/job_file.hpp"
#include "job/text.hpp"

namespace muster::job {

// When, as it is written.
struct Trigger {
  Mark mark;
  std::optional<Text> type;        // cron or recurrence
  std::optional<Text> expression;  // of cron
  std::optional<Text> frequency;   // of a recurrence: minute, hour, day, week or month
  std::optional<Count> interval;
  std::vector<Text> hours;
  std::vector<Text> minutes;
  std::vector<Text> week_days;
  std::vector<Text> month_days;
  std::optional<Text> start;
  std::optional<Text> end;
  std::optional<Text> zone;  // as Windows calls it
};

struct Schedule {
  std::optional<Text> name;
  Trigger trigger;
  std::optional<Text> job;  // the file of the job; as seen from that of the schedule, once checked
  std::vector<Named> inputs;
  std::vector<Named> tags;
  std::optional<Text> experiment;
  std::optional<Text> target;

  // Made of the trigger:
  std::string times;  // cron's five fields
  std::string zone;   // as tz calls it; "Etc/UTC" where the file names none
};

struct ScheduleReading {
  Schedule schedule;
  std::vector<base::Error> complaints;
  std::vector<std::string> notices;
};

// Whether a file that is no job may be one.
[[nodiscard]] bool is_schedule(std::string_view text);

[[nodiscard]] ScheduleReading read_schedule(std::string_view text, const std::string& source);

}  // namespace muster::job
