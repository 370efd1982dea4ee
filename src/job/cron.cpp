// Recurrences as Azure ML's schedules write them.
#include "job/cron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <set>

#include "base/words.hpp"
#include "job/cron_expression.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

// What start_time gives where the pattern does not say it.
struct Start {
  std::uint32_t month = 1;
  std::uint32_t day = 1;
  std::uint32_t week_day = 0;  // 0: Sunday
  std::uint32_t hour = 0;
  std::uint32_t minute = 0;
};

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "2022-07-10T10:00:00", also with a blank in place of T, and without seconds.
std::optional<Start> start_of(std::string_view text) {
  if (text.size() < 16 || text[4] != '-' || text[7] != '-' || text[13] != ':') return std::nullopt;
  if (text[10] != 'T' && text[10] != ' ') return std::nullopt;
  const auto year = number_in(text.substr(0, 4));
  const auto month = number_in(text.substr(5, 2));
  const auto day = number_in(text.substr(8, 2));
  const auto hour = number_in(text.substr(11, 2));
  const auto minute = number_in(text.substr(14, 2));
  if (!year || !month || !day || !hour || !minute || *hour > 23 || *minute > 59) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day));
  if (!date.ok()) return std::nullopt;
  const std::chrono::weekday week_day{std::chrono::sys_days(date)};
  return Start{*month, *day, week_day.c_encoding(), *hour, *minute};
}

// An hour of another zone than time_zone would be.
bool has_offset(std::string_view text) {
  return text.size() > 16 && text.substr(16).find_first_of("Zz+-") != std::string_view::npos;
}

std::string comma_list(const std::set<std::uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

class Recurrence {
 public:
  Recurrence(const Trigger& trigger, Complaints& complaints)
      : trigger_(trigger), complaints_(complaints) {
    if (!trigger.start) return;
    start_ = start_of(trigger.start->text);
    if (!start_ || has_offset(trigger.start->text)) {
      complain(trigger.start->begin,
               fmt::format("trigger.start_time must be a time such as 2022-07-10T10:00:00, without "
                           "an offset, not {}",
                           in_quotes(trigger.start->text)),
               "time_zone: says which zone it is of");
    }
  }

  std::string times() {
    const std::string& frequency = trigger_.frequency->text;
    if (frequency == "minute") return minutely();
    if (frequency == "hour") return hourly();
    if (frequency == "day") return daily();
    return frequency == "week" ? weekly() : monthly();
  }

 private:
  std::string minutely() {
    has_no_pattern();
    const std::uint32_t every = interval();
    if (every >= 60 && every % 60 == 0) return hours_apart(every / 60);
    if (60 % every != 0) not_even(every, "minutes", "an hour");
    return step(every, first().minute % every, 59) + " * * * *";
  }

  std::string hourly() {
    has_no_pattern();
    return hours_apart(interval());
  }

  std::string hours_apart(std::uint32_t every) {
    if (every > 24 || 24 % every != 0) not_even(every, "hours", "a day");
    return fmt::format("{} {} * * *", first().minute,
                       step(every, first().hour % std::max(1U, every), 23));
  }

  std::string daily() {
    only_each("days");
    refuse(trigger_.week_days, "week_days");
    refuse(trigger_.month_days, "month_days");
    return time_of_day() + " * * *";
  }

  std::string weekly() {
    only_each("weeks");
    refuse(trigger_.month_days, "month_days");
    constexpr std::array<std::string_view, 7> kDays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};
    std::set<std::uint32_t> days;
    for (const Text& one : trigger_.week_days) {
      const auto found = std::ranges::find(kDays, base::lower(one.text));
      if (found == kDays.end()) {
        complain(
            one.begin,
            fmt::format("trigger.schedule.week_days must be a day, not {}", in_quotes(one.text)),
            "for example: monday");
      }
      days.insert(static_cast<std::uint32_t>(found - kDays.begin()));
    }
    if (days.empty()) days.insert(from_start("schedule: {week_days: [monday]}").week_day);
    return fmt::format("{} * * {}", time_of_day(), comma_list(days));
  }

  std::string monthly() {
    const std::uint32_t every = interval();
    if (every > 12 || 12 % every != 0) not_even(every, "months", "a year");
    refuse(trigger_.week_days, "week_days");
    std::set<std::uint32_t> days = numbers(trigger_.month_days, "month_days", 1, 31);
    if (days.empty()) days.insert(from_start("schedule: {month_days: [1]}").day);
    const std::uint32_t phase = (first().month - 1) % every;
    const std::string months =
        phase == 0 ? step(every, 0, 12) : fmt::format("{}-12/{}", phase + 1, every);
    return fmt::format("{} {} {} *", time_of_day(), comma_list(days), months);
  }

  // ---- parts ----

  // Minutes and hours, all of them with each other; a pattern has both.
  std::string time_of_day() {
    std::set<std::uint32_t> hours = numbers(trigger_.hours, "hours", 0, 23);
    std::set<std::uint32_t> minutes = numbers(trigger_.minutes, "minutes", 0, 59);
    if (trigger_.hours.empty()) hours.insert(from_start(kClockHint).hour);
    if (trigger_.minutes.empty()) minutes.insert(first().minute);
    return comma_list(minutes) + " " + comma_list(hours);
  }

  static std::string step(std::uint32_t every, std::uint32_t phase, std::uint32_t last) {
    if (every <= 1) return "*";
    return phase == 0 ? fmt::format("*/{}", every) : fmt::format("{}-{}/{}", phase, last, every);
  }

  std::set<std::uint32_t> numbers(const std::vector<Text>& texts, const char* key,
                                  std::uint32_t least, std::uint32_t most) {
    std::set<std::uint32_t> all;
    for (const Text& one : texts) {
      const auto number = number_in(one.text);
      if (number && *number >= least && *number <= most) {
        all.insert(*number);
      } else {
        complain(one.begin,
                 fmt::format("trigger.schedule.{} must be a whole number from {} to {}, not {}",
                             key, least, most, in_quotes(one.text)),
                 "");
      }
    }
    return all;
  }

  [[nodiscard]] std::uint32_t interval() const {
    return trigger_.interval ? trigger_.interval->number : 1;
  }
  [[nodiscard]] Start first() const { return start_.value_or(Start()); }

  // Azure ML would take the time at which the schedule is made.
  Start from_start(const char* hint) {
    if (!trigger_.start) {
      complain(trigger_.mark, "neither trigger.schedule nor trigger.start_time says at what time",
               std::string("for example: ") + hint);
    }
    return first();
  }

  void refuse(const std::vector<Text>& texts, const char* key) {
    if (texts.empty()) return;
    complain(texts.front().begin,
             fmt::format("trigger.schedule.{} has no meaning with frequency: {}", key,
                         trigger_.frequency->text),
             "remove it, or choose another frequency");
  }

  void has_no_pattern() {
    refuse(trigger_.hours, "hours");
    refuse(trigger_.minutes, "minutes");
    refuse(trigger_.week_days, "week_days");
    refuse(trigger_.month_days, "month_days");
  }

  void only_each(const char* units) {
    if (interval() != 1) not_even(interval(), units, "a month");
  }

  void not_even(std::uint32_t every, const char* units, const char* whole) {
    complain(
        trigger_.interval->begin,
        fmt::format("cron cannot say every {} {}: it counts them anew in {}", every, units, whole),
        "choose an interval that fits, or days of the week with frequency: week");
  }

  void complain(Mark mark, std::string what, std::string hint) {
    complaints_.add(mark, std::move(what), std::move(hint));
  }

  static constexpr const char* kClockHint = "schedule: {hours: [4], minutes: [0]}";

  const Trigger& trigger_;
  Complaints& complaints_;
  std::optional<Start> start_;
};

}  // namespace

std::string cron_times(const Trigger& trigger, Complaints& complaints) {
  if (trigger.expression) return expression_times(*trigger.expression, complaints);
  return Recurrence(trigger, complaints).times();
}

}  // namespace muster::job
