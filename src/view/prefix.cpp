// Formats the prefix of a line by hand: it stands before every line of up to 1 GB/s of output.
#include "view/prefix.hpp"

#include <algorithm>
#include <array>

namespace muster::view {
namespace {

// Writes the lowest `count` digits of a number so that they end just before `end`.
void put_digits(char* end, std::uint32_t number, int count) {
  for (; count > 0; --count, number /= 10) *--end = static_cast<char>('0' + number % 10);
}

[[nodiscard]] int digits_of(std::uint32_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

void append_time(std::string& out, std::chrono::system_clock::time_point now) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const auto of_day = static_cast<std::uint32_t>(floor<base::Duration>(now - day).count());
  std::array<char, 25> text{"2026-11-21T10:00:00.123Z"};
  char* const at = text.data();
  put_digits(at + 4, static_cast<std::uint32_t>(static_cast<int>(date.year())), 4);
  put_digits(at + 7, static_cast<unsigned>(date.month()), 2);
  put_digits(at + 10, static_cast<unsigned>(date.day()), 2);
  put_digits(at + 13, of_day / 3'600'000, 2);
  put_digits(at + 16, of_day / 60'000 % 60, 2);
  put_digits(at + 19, of_day / 1000 % 60, 2);
  put_digits(at + 23, of_day % 1000, 3);
  at[24] = ' ';
  out.append(at, text.size());
}

void append_rank(std::string& out, std::uint32_t rank, const model::World& world) {
  std::array<char, 24> text{'['};
  char* at = text.data() + 1;
  if (world.number > 1) {
    const int width = digits_of(world.number);
    put_digits(at + width, world.number, width);
    at += width;
    *at++ = ':';
  }
  const int width = digits_of(std::max(world.size == 0 ? rank : world.size - 1, rank));
  put_digits(at + width, rank, width);
  at += width;
  *at++ = ']';
  *at++ = ' ';
  out.append(text.data(), static_cast<std::size_t>(at - text.data()));
}

}  // namespace

void append_prefix(std::string& out, const model::OutputSpec& output, base::Rank rank,
                   const model::World& world, std::chrono::system_clock::time_point now) {
  if (output.timestamp) append_time(out, now);
  if (output.tag) append_rank(out, world.own(rank), world);
}

}  // namespace muster::view
