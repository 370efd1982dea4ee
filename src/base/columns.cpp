// Counts characters by what terminals draw.
#include "base/columns.hpp"

#include <algorithm>
#include <numeric>

namespace muster::base {
namespace {

struct Characters {
  char32_t first;
  char32_t last;
};

// From Unicode's EastAsianWidth.txt (W and F), in large pieces.
constexpr Characters kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
                                {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                {0x20000, 0x2fffd}, {0x30000, 0x3fffd}};

// Marks that are drawn over the character before them, joiners and selectors of variants.
constexpr Characters kCombining[] = {
    {0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

bool is_in(std::span<const Characters> ranges, char32_t character) {
  return std::ranges::any_of(ranges, [&](const Characters& one) {
    return one.first <= character && character <= one.last;
  });
}

// Takes the first character off UTF-8.
char32_t take(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0xc0) return lead;
  char32_t character = lead >= 0xf0 ? lead & 0x07u : lead >= 0xe0 ? lead & 0x0fu : lead & 0x1fu;
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0u) == 0x80u) {
    character = character << 6 | (static_cast<unsigned char>(text.front()) & 0x3fu);
    text.remove_prefix(1);
  }
  return character;
}

std::size_t columns_of(char32_t character) {
  if (character < 0x300) return 1;
  if (is_in(kCombining, character)) return 0;
  return is_in(kWide, character) ? 2 : 1;
}

// Columns of a row; a column of width 0 is not there.
std::size_t taken(std::span<const std::size_t> widths, std::size_t gap) {
  const std::size_t sum = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const auto there = std::ranges::count_if(widths, [](std::size_t one) { return one > 0; });
  return there == 0 ? 0 : sum + (static_cast<std::size_t>(there) - 1) * gap;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) columns += columns_of(take(text));
  return columns;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (columns_of(text) <= most) return std::string(text);
  const std::string_view dots = std::string_view("...").substr(0, most);
  std::string_view rest = text;
  std::size_t columns = dots.size();
  std::size_t size = 0;
  while (!rest.empty()) {
    columns += columns_of(take(rest));
    if (columns > most) break;
    size = text.size() - rest.size();
  }
  return std::string(text.substr(0, size)).append(dots);
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t own = columns_of(text);
  return std::string(text) + std::string(columns - std::min(own, columns), ' ');
}

std::string padded_before(std::string_view text, std::size_t columns) {
  const std::size_t own = columns_of(text);
  return std::string(columns - std::min(own, columns), ' ') + std::string(text);
}

std::string folded(std::string_view words, std::size_t indent, std::size_t width) {
  if (width == 0 || indent + columns_of(words) <= width) return std::string(words);
  std::string text;
  std::size_t column = indent;
  std::size_t blanks = 0;  // before the word; those at the end of a line go
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    const std::size_t own = columns_of(word);
    if (own > 0 && column > indent && column + blanks + own > width) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
      blanks = 0;
    }
    if (own > 0) {
      text.append(blanks, ' ') += word;
      column += blanks + own;
      blanks = 0;
    }
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    ++blanks;
  }
  return text;
}

std::vector<std::size_t> fitted(const std::vector<std::size_t>& wanted, std::size_t gap,
                                std::size_t width, std::span<const Yield> yields) {
  std::vector<std::size_t> widths = wanted;
  for (const auto& [column, least, at_once] : yields) {
    const std::size_t row = taken(widths, gap);
    if (row <= width) break;
    std::size_t& own = widths[column];
    const bool is_whole = least == 0 || at_once;
    own = is_whole ? std::min(own, least)
                   : std::min(own, std::max(least, own - std::min(own, row - width)));
  }
  for (auto one = yields.rbegin(); one != yields.rend(); ++one) {
    std::size_t& own = widths[one->column];
    const std::size_t row = taken(widths, gap);
    if (own > 0 && !one->at_once && row < width) {
      own = std::min(wanted[one->column], own + width - row);
    }
  }
  return widths;
}

}  // namespace muster::base
