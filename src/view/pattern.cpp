// Writes patterns by hand: they stand before every line of up to 1 GB/s of output.
#include "view/pattern.hpp"

#include <algorithm>
#include <array>

namespace muster::view {
namespace {

using model::Field;
using model::Width;
using std::chrono::floor;

// Writes the lowest `count` digits of a number so that they end just before `end`.
void put_digits(char* end, std::uint32_t number, int count, char fill = '0') {
  for (; count > 0; --count, number /= 10) {
    *--end = number == 0 ? fill : static_cast<char>('0' + number % 10);
  }
}

[[nodiscard]] int digits_of(std::uint32_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

void append_number(std::string& out, std::uint32_t number, int width = 1) {
  std::array<char, 16> text{};
  width = std::max(width, digits_of(number));
  put_digits(text.data() + width, number, width);
  out.append(text.data(), static_cast<std::size_t>(width));
}

[[nodiscard]] int width_of(Width width, const model::World& world) {
  if (width == Width::own) return 1;
  if (width == Width::size) return digits_of(world.size);
  return digits_of(world.size == 0 ? 0 : world.size - 1);
}

struct Moment {
  std::chrono::year_month_day date;
  unsigned weekday;
  std::uint32_t of_day;  // milliseconds
};

[[nodiscard]] Moment moment(std::chrono::system_clock::time_point time) {
  const auto day = floor<std::chrono::days>(time);
  const auto of_day = floor<std::chrono::milliseconds>(time - day).count();
  return {std::chrono::year_month_day(day), std::chrono::weekday(day).c_encoding(),
          static_cast<std::uint32_t>(of_day)};
}

void put_clock(char* at, std::uint32_t of_day) {
  put_digits(at + 2, of_day / 3'600'000, 2);
  put_digits(at + 5, of_day / 60'000 % 60, 2);
  put_digits(at + 8, of_day / 1000 % 60, 2);
}

[[nodiscard]] std::uint32_t year_of(const Moment& now) {
  return static_cast<std::uint32_t>(static_cast<int>(now.date.year()));
}

void append_utc(std::string& out, const WallTime& time) {
  const Moment now = moment(time.utc);
  std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                            '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
  char* const at = text.data();
  put_digits(at + 4, year_of(now), 4);
  put_digits(at + 7, static_cast<unsigned>(now.date.month()), 2);
  put_digits(at + 10, static_cast<unsigned>(now.date.day()), 2);
  put_clock(at + 11, now.of_day);
  put_digits(at + 23, now.of_day % 1000, 3);
  out.append(at, text.size());
}

// ctime(3) fills the day of the month with a blank.
void append_local(std::string& out, const WallTime& time) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const Moment now = moment(time.utc + time.east);
  std::string text = "Sat Nov 21 10:00:00 2026";
  text.replace(0, 3, kDays, std::size_t{3} * now.weekday, 3);
  text.replace(4, 3, kMonths, std::size_t{3} * (static_cast<unsigned>(now.date.month()) - 1), 3);
  put_digits(text.data() + 10, static_cast<unsigned>(now.date.day()), 2, ' ');
  put_clock(text.data() + 11, now.of_day);
  put_digits(text.data() + 24, year_of(now), 4);
  out += text;
}

void append_piece(std::string& out, const model::Piece& piece, const Speaker& speaker,
                  model::Stream stream, const WallTime& time) {
  switch (piece.field) {
    case Field::text:
      out += piece.text;
      break;
    case Field::world:
      append_number(out, speaker.world.number);
      break;
    case Field::group:
      append_number(out, speaker.world.number - 1);
      break;
    case Field::spawned:
      if (speaker.world.number == 1) break;
      append_number(out, speaker.world.number);
      out += piece.text;
      break;
    case Field::rank:
      append_number(out, speaker.rank, width_of(piece.width, speaker.world));
      break;
    case Field::local_rank:
      append_number(out, speaker.local_rank);
      break;
    case Field::node:
      append_number(out, speaker.node);
      break;
    case Field::other_node:
      if (speaker.node == 0) break;
      out += piece.text;
      append_number(out, speaker.node);
      break;
    case Field::host:
      out += speaker.host;
      break;
    case Field::role:
      out += speaker.role;
      break;
    case Field::stream:
      out += stream == model::Stream::out ? "stdout" : "stderr";
      break;
    case Field::attempt:
      append_number(out, speaker.attempt);
      break;
    case Field::utc:
      append_utc(out, time);
      break;
    case Field::local_time:
      append_local(out, time);
      break;
  }
}

}  // namespace

void append_pattern(std::string& out, const model::Pattern& pattern, const Speaker& speaker,
                    model::Stream stream, const WallTime& time) {
  for (const model::Piece& piece : pattern) append_piece(out, piece, speaker, stream, time);
}

bool tells_time(const model::Pattern& pattern) {
  return std::ranges::any_of(pattern, [](const model::Piece& piece) {
    return piece.field == Field::utc || piece.field == Field::local_time;
  });
}

}  // namespace muster::view
