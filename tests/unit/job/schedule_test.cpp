// Schedules of Azure ML as cron's times: what cron can say, and what it cannot.
#include "job/schedule.hpp"

#include <gtest/gtest.h>

#include "job/cron.hpp"

namespace muster::job {
namespace {

ScheduleReading schedule_of(const std::string& trigger, const std::string& job = "./job.yml") {
  return read_schedule("trigger: " + trigger + "\ncreate_job: " + job + "\n", "s");
}

// The times, or what is wrong.
std::string times_of(const std::string& trigger) {
  const ScheduleReading read = schedule_of(trigger);
  if (read.complaints.empty()) return read.schedule.times;
  return base::to_string(read.complaints.front());
}

std::string recurs(const std::string& keys) {
  return times_of("{type: recurrence, start_time: '2022-07-10T10:05:00', " + keys + "}");
}

TEST(Schedule, IsKnownByItsKeys) {
  EXPECT_TRUE(is_schedule("trigger: {type: cron}\ncreate_job: x\n"));
  EXPECT_FALSE(is_schedule("command: x\n"));
  EXPECT_FALSE(is_schedule(": ["));
}

TEST(Schedule, CronIsTakenAsItIs) {
  EXPECT_EQ(times_of("{type: cron, expression: '30  4 * * 1-5'}"), "30 4 * * 1-5");
  EXPECT_EQ(times_of("{type: cron, expression: '30 4 * *'}"),
            "s:1:35: trigger.expression must be cron's five fields, not '30 4 * *'\n"
            "  hint: minute, hour, day, month and day of the week: '30 4 * * 1-5'");
  for (const std::string expression :
       {"*/15 0-6,22-23 1,31 jan-mar,DEC 0-7/2", "0 0 * * Mon-Fri", "0 0 * * sun,7"}) {
    EXPECT_EQ(times_of("{type: cron, expression: '" + expression + "'}"), expression);
  }
  EXPECT_EQ(times_of("{type: cron, expression: '5/15 4/6 * * *'}"), "5-59/15 4-23/6 * * *");
  EXPECT_EQ(times_of("{type: cron, expression: '75 4 * * *'}"),
            "s:1:35: trigger.expression: the minute must be 0 to 59, a list or a range of them, or "
            "*, not '75'\n  hint: the fields are minute, hour, day, month and day of the week");
  EXPECT_EQ(times_of("{type: cron, expression: '0 4 * smarch *'}").substr(0, 84),
            "s:1:35: trigger.expression: the month must be 1 to 12, jan to dec, a list or a range");
  for (const std::string field :
       {"60", "-1", "a", "*/0", "*/60", "1-", "-", "9-3", "1,,2", ",", "1/", "*5", "1-2-3"}) {
    EXPECT_NE(times_of("{type: cron, expression: '" + field + " 4 * * *'}")
                  .find("the minute must be 0 to 59"),
              std::string::npos)
        << field;
  }
  for (const std::string fields : {"0 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *",
                                   "0 0 * 0 *", "0 0 * * 8", "0 0 mon * *"}) {
    EXPECT_NE(times_of("{type: cron, expression: '" + fields + "'}").find("must be"),
              std::string::npos)
        << fields;
  }
  EXPECT_EQ(times_of("{type: cron}"),
            "s:1:1: trigger.expression is missing\n  hint: for example: '30 4 * * 1-5'");
  EXPECT_EQ(times_of("{type: cron, expression: '* * * * *', frequency: day}"),
            "s:1:59: trigger.frequency has no meaning with type: cron\n"
            "  hint: write type: recurrence, or an expression");
}

TEST(Schedule, RecurrencesAreCronsSteps) {
  EXPECT_EQ(recurs("frequency: minute, interval: 1"), "* * * * *");
  EXPECT_EQ(recurs("frequency: minute, interval: 15"), "5-59/15 * * * *");
  EXPECT_EQ(recurs("frequency: minute, interval: 120"), "5 */2 * * *");
  EXPECT_EQ(recurs("frequency: hour, interval: 1"), "5 * * * *");
  EXPECT_EQ(recurs("frequency: hour, interval: 6"), "5 4-23/6 * * *");
  EXPECT_EQ(recurs("frequency: day, interval: 1"), "5 10 * * *");
  EXPECT_EQ(recurs("frequency: week, interval: 1"), "5 10 * * 0");  // a Sunday
  EXPECT_EQ(recurs("frequency: month, interval: 1"), "5 10 10 * *");
  EXPECT_EQ(recurs("frequency: month, interval: 3"), "5 10 10 */3 *");
  EXPECT_EQ(recurs("frequency: month, interval: 4"), "5 10 10 3-12/4 *");
}

TEST(Schedule, APatternSaysHoursAndDays) {
  EXPECT_EQ(recurs("frequency: day, interval: 1, schedule: {hours: [10, 4, 5], minutes: [0, 30]}"),
            "0,30 4,5,10 * * *");
  EXPECT_EQ(recurs("frequency: week, interval: 1, schedule: {hours: 4, minutes: 0, "
                   "week_days: [Friday, monday]}"),
            "0 4 * * 1,5");
  EXPECT_EQ(recurs("frequency: month, interval: 1, schedule: {hours: 4, minutes: 0, "
                   "month_days: [1, 15]}"),
            "0 4 1,15 * *");
  EXPECT_EQ(times_of("{type: recurrence, frequency: day, interval: 1}"),
            "s:1:1: neither trigger.schedule nor trigger.start_time says at what time\n"
            "  hint: for example: schedule: {hours: [4], minutes: [0]}");
}

TEST(Schedule, WhatCronCannotSayIsRefused) {
  const auto refused = [](const std::string& keys, const std::string& part) {
    const std::string said = recurs(keys);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  refused("frequency: day, interval: 3", "cron cannot say every 3 days: it counts them anew in");
  refused("frequency: minute, interval: 7", "cron cannot say every 7 minutes");
  refused("frequency: hour, interval: 5", "cron cannot say every 5 hours");
  refused("frequency: month, interval: 5", "cron cannot say every 5 months");
  refused("frequency: week, interval: 2", "cron cannot say every 2 weeks");
  refused("frequency: hour, interval: 1, schedule: {hours: 1, minutes: 0}",
          "trigger.schedule.hours has no meaning with frequency: hour");
  refused("frequency: day, interval: 1, schedule: {hours: 24, minutes: 0}",
          "trigger.schedule.hours must be a whole number from 0 to 23, not '24'");
  refused("frequency: week, interval: 1, schedule: {hours: 1, minutes: 0, week_days: [Mo]}",
          "trigger.schedule.week_days must be a day, not 'Mo'");
  refused("frequency: year, interval: 1", "must be one of minute, hour, day, week, month");
  EXPECT_NE(times_of("{type: recurrence, frequency: day, start_time: 2022-13-10T10:00:00}")
                .find("must be a time such as"),
            std::string::npos);
  EXPECT_NE(times_of("{type: recurrence, frequency: day, start_time: '2022-07-10T10:00:00+02:00'}")
                .find("without an offset"),
            std::string::npos);
}

TEST(Schedule, ZonesOfWindowsAreThoseOfTz) {
  EXPECT_EQ(tz_name("Pacific Standard Time"), "America/Los_Angeles");
  EXPECT_EQ(tz_name("w. europe standard time"), "Europe/Berlin");
  EXPECT_EQ(tz_name("UTC"), "Etc/UTC");
  EXPECT_EQ(tz_name("Asia/Tokyo"), "Asia/Tokyo");
  EXPECT_EQ(tz_name("Middle Earth Time"), "");
  const ScheduleReading none = schedule_of("{type: cron, expression: '* * * * *'}");
  EXPECT_EQ(none.schedule.zone, "Etc/UTC");
  EXPECT_EQ(times_of("{type: cron, expression: '* * * * *', time_zone: Nowhere}"),
            "s:1:59: trigger.time_zone: unknown time zone 'Nowhere'\n"
            "  hint: for example: UTC, W. Europe Standard Time, Europe/Berlin");
}

TEST(Schedule, TheJobIsAFile) {
  const std::string cron = "{type: cron, expression: '* * * * *'}";
  EXPECT_EQ(schedule_of(cron, "file:./a.yml").schedule.job->text, "./a.yml");
  const ScheduleReading map = schedule_of(
      cron,
      "{type: pipeline, job: a.yml, inputs: {lr: 0.1}, tags: {a: b}, experiment_name: e, "
      "settings: {default_compute: 'azureml:c', continue_on_step_failure: true}}");
  EXPECT_TRUE(map.complaints.empty());
  EXPECT_EQ(map.schedule.inputs.front().value.text, "0.1");
  EXPECT_EQ(map.schedule.target->text, "azureml:c");
  ASSERT_EQ(map.notices.size(), 1U);
  const ScheduleReading known = schedule_of(cron, "azureml:job:1");
  ASSERT_EQ(known.complaints.size(), 1U);
  EXPECT_EQ(base::to_string(known.complaints.front()),
            "s:2:13: only the workspace knows the job 'azureml:job:1'\n"
            "  hint: name its file: create_job: ./job.yml");
}

TEST(Schedule, DaysOnWhichItBeginsAndEndsAreTold) {
  const ScheduleReading read = schedule_of(
      "{type: cron, expression: '* * * * *', start_time: 2022-07-10T10:00:00, "
      "end_time: 2023-01-01T00:00:00}");
  EXPECT_TRUE(read.complaints.empty());
  ASSERT_EQ(read.notices.size(), 2U);
  EXPECT_NE(read.notices.back().find("remove the schedule at 2023-01-01T00:00:00"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::job
