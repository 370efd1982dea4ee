// Numbers at the places where each form has them.
#include "batch/answer_time.hpp"

#include <charconv>

namespace muster::batch {
namespace {

using std::chrono::sys_seconds;

// -1: there is no number; a blank may stand in its first place.
int digits(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return -1;
  if (text[from] == ' ') ++from, --count;
  int number = -1;
  const char* end = text.data() + from + count;
  const auto read = std::from_chars(text.data() + from, end, number);
  return read.ec == std::errc() && read.ptr == end ? number : -1;
}

// "17:08:45", in seconds.
std::optional<std::chrono::seconds> time_of_day(std::string_view text) {
  const int hours = digits(text, 0, 2);
  const int minutes = digits(text, 3, 2);
  const int seconds = digits(text, 6, 2);
  if (hours < 0 || minutes < 0 || seconds < 0) return std::nullopt;
  return std::chrono::seconds(((hours * 60) + minutes) * 60 + seconds);
}

std::optional<sys_seconds> at(int year, int month, int day, std::string_view time) {
  using namespace std::chrono;
  const auto since_midnight = time_of_day(time);
  if (year < 0 || month < 0 || day < 0 || !since_midnight) return std::nullopt;
  const year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                            std::chrono::day(unsigned(day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date) + *since_midnight;
}

}  // namespace

std::optional<model::Utc> zoned_time(std::string_view text) {
  constexpr std::size_t kSize = 24;
  if (text.size() != kSize || (text[19] != '+' && text[19] != '-')) return std::nullopt;
  const auto local =
      at(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), text.substr(11, 8));
  const int hours = digits(text, 20, 2);
  const int minutes = digits(text, 22, 2);
  if (!local || hours < 0 || minutes < 0) return std::nullopt;
  const auto ahead = std::chrono::minutes(hours * 60 + minutes);
  return text[19] == '+' ? *local - ahead : *local + ahead;
}

std::optional<model::Utc> ctime_time(std::string_view text) {
  constexpr std::size_t kSize = 24;
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != kSize) return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(4, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  const int number = static_cast<int>(month / 3) + 1;
  return at(digits(text, 20, 4), number, digits(text, 8, 2), text.substr(11, 8));
}

std::string minute_in(std::string_view text) {
  constexpr std::size_t kMinutes = 16;
  constexpr std::size_t kBetween = 10;
  if (text.size() < kMinutes || text[kBetween] != 'T') return {};
  std::string minute(text.substr(0, kMinutes));
  minute[kBetween] = ' ';
  return minute;
}

}  // namespace muster::batch
