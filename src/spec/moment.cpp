// Takes numbers off a text, one after the other.
#include "spec/moment.hpp"

#include <algorithm>
#include <charconv>

#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

namespace chrono = std::chrono;

// A text that is read from its front.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool takes(std::string_view chars) {
    if (rest_.empty() || chars.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A number of `least` to `digits` digits, no greater than `most`.
  [[nodiscard]] std::optional<int> number(std::size_t least, std::size_t digits, int most) {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (count < least || count > digits) return std::nullopt;
    int value = 0;
    std::from_chars(rest_.data(), rest_.data() + count, value);
    rest_.remove_prefix(count);
    return value <= most ? std::optional(value) : std::nullopt;
  }
  [[nodiscard]] std::string_view digits() {
    const std::string_view all = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    rest_.remove_prefix(all.size());
    return all;
  }
  [[nodiscard]] std::optional<char> letter() {
    if (rest_.empty()) return std::nullopt;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }

 private:
  std::string_view rest_;
};

std::optional<chrono::seconds> span_of(int count, char unit) {
  if (unit == 's') return chrono::seconds(count);
  if (unit == 'm') return chrono::minutes(count);
  if (unit == 'h') return chrono::hours(count);
  if (unit == 'd') return chrono::days(count);
  if (unit == 'w') return chrono::weeks(count);
  return std::nullopt;
}

std::optional<chrono::seconds> read_span(TimeText text) {
  chrono::seconds all{0};
  do {
    const auto count = text.number(1, 4, 9999);
    const auto unit = count ? text.letter() : std::nullopt;
    const auto span = unit ? span_of(*count, *unit) : std::nullopt;
    if (!span) return std::nullopt;
    all += *span;
  } while (!text.empty());
  return all;
}

// "14:30", "14:30:05", "14:30:05.25"
bool take_time(TimeText& text, Moment& moment) {
  const auto hour = text.number(2, 2, 23);
  if (!hour || !text.takes(":")) return false;
  const auto minute = text.number(2, 2, 59);
  if (!minute) return false;
  moment.time_of_day = chrono::hours(*hour) + chrono::minutes(*minute);
  if (!text.takes(":")) return true;
  const auto second = text.number(2, 2, 60);
  if (!second) return false;
  moment.time_of_day += chrono::seconds(*second);
  if (!text.takes(".")) return true;
  const std::string_view digits = text.digits();
  int weight = 100;  // milliseconds
  for (const char digit : digits) {
    moment.time_of_day += chrono::milliseconds((digit - '0') * weight);
    weight /= 10;
  }
  return !digits.empty();
}

bool take_zone(TimeText& text, Moment& moment) {
  if (text.empty()) return true;
  if (text.takes("Zz")) {
    moment.east = chrono::minutes(0);
    return text.empty();
  }
  const bool is_east = text.takes("+");
  if (!is_east && !text.takes("-")) return false;
  const auto hour = text.number(2, 2, 23);
  if (!hour || !text.takes(":")) return false;
  const auto minute = text.number(2, 2, 59);
  if (!minute) return false;
  const chrono::minutes off = chrono::hours(*hour) + chrono::minutes(*minute);
  moment.east = is_east ? off : -off;
  return text.empty();
}

std::optional<Moment> read_date(TimeText text) {
  const auto y = text.number(4, 4, 9999);
  if (!y || !text.takes("-")) return std::nullopt;
  const auto m = text.number(2, 2, 12);
  if (!m || !text.takes("-")) return std::nullopt;
  const auto d = text.number(2, 2, 31);
  if (!d) return std::nullopt;
  Moment moment;
  moment.date = chrono::year_month_day{chrono::year(*y), chrono::month(static_cast<unsigned>(*m)),
                                       chrono::day(static_cast<unsigned>(*d))};
  if (!moment.date->ok()) return std::nullopt;
  if (text.empty()) return moment;
  const bool fine = text.takes("Tt ") && take_time(text, moment) && take_zone(text, moment);
  return fine ? std::optional(moment) : std::nullopt;
}

std::optional<Moment> read_time(TimeText text) {
  Moment moment;
  const bool fine = take_time(text, moment) && text.empty();
  return fine ? std::optional(moment) : std::nullopt;
}

// Twice, since the zone may have another offset where the first guess leads.
UtcTime utc_of_local(UtcTime as_if_utc, const ZoneAt& zone) {
  return as_if_utc - zone(as_if_utc - zone(as_if_utc));
}

}  // namespace

base::Result<Moment> read_moment(std::string_view option, std::string_view text) {
  if (const auto ago = read_span(TimeText(text))) return Moment{.ago = ago};
  if (const auto date = read_date(TimeText(text))) return *date;
  if (const auto time = read_time(TimeText(text))) return *time;
  return base::fail(base::Fault::usage,
                    "for example 10m, 2h, 14:30, '2026-11-28 14:30' or 2026-11-28T14:30:00Z",
                    "{} must be a time or how long ago, not {}", option, in_quotes(text));
}

UtcTime utc_of(const Moment& moment, UtcTime now, const ZoneAt& zone) {
  if (moment.ago) return now - *moment.ago;
  const auto local_now = now + zone(now);
  const chrono::sys_days today = chrono::floor<chrono::days>(local_now);
  const chrono::sys_days day = moment.date ? chrono::sys_days(*moment.date) : today;
  const UtcTime typed = day + moment.time_of_day;
  if (moment.east) return typed - *moment.east;
  const UtcTime utc = utc_of_local(typed, zone);
  if (moment.date || utc <= now) return utc;
  return utc_of_local(typed - chrono::days(1), zone);
}

}  // namespace muster::spec
