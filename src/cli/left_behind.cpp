// Lines out, lines in.
#include "cli/left_behind.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kNamed = 5;
constexpr std::size_t kNameMax = 1000;  // as many bytes of one

std::string text_of(std::string_view word, const LeftBehind::Part& part) {
  std::string text = fmt::format("{} {}\n", word, part.count);
  for (const std::string& name : part.names) text += name + "\n";
  return text;
}

std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::uint64_t> take_count(std::string_view word, std::string_view& text) {
  const auto line = take_line(text);
  if (!line || !line->starts_with(word)) return std::nullopt;
  const std::string_view digits = line->substr(word.size());
  const char* const end = digits.data() + digits.size();
  std::uint64_t count = 0;
  const auto [after, wrong] = std::from_chars(digits.data(), end, count);
  if (wrong != std::errc() || after != end) return std::nullopt;
  return count;
}

std::optional<LeftBehind::Part> take_part(std::string_view word, std::string_view& text) {
  const auto count = take_count(word, text);
  if (!count) return std::nullopt;
  LeftBehind::Part part{*count};
  while (part.names.size() < std::min<std::uint64_t>(part.count, kNamed)) {
    const auto name = take_line(text);
    if (!name) return std::nullopt;
    part.names.push_back(view::one_line(name->substr(0, kNameMax)));
  }
  return part;
}

}  // namespace

void LeftBehind::Part::add(const Part& more, const std::string& host) {
  for (const std::string& name : more.names) names.push_back(fmt::format("{}: {}", host, name));
  count += more.count;
}

std::string LeftBehind::Part::words() const {
  const auto name = [&](std::size_t i) { return names[i]; };
  const std::size_t few = std::min(names.size(), kNamed);
  return view::first_few(count, name, ", ", few);
}

LeftBehind left_behind(const std::vector<blobs::LeftOut>& left_out, std::uint64_t coming) {
  LeftBehind left;
  left.coming = coming;
  for (const blobs::LeftOut& one : left_out) {
    LeftBehind::Part& part = one.holds ? left.lost : left.others;
    if (++part.count > kNamed) continue;
    const std::string name = view::one_line(one.path).substr(0, kNameMax / 2);
    part.names.push_back(fmt::format("{} ({})", name, one.why));
  }
  return left;
}

std::string to_text(const LeftBehind& left) {
  return text_of("lost", left.lost) + text_of("others", left.others) +
         fmt::format("bytes {}\n", left.coming);
}

std::optional<LeftBehind> take_left_behind(std::string_view& text) {
  const auto lost = take_part("lost ", text);
  const auto others = lost ? take_part("others ", text) : std::nullopt;
  const auto coming = others ? take_count("bytes ", text) : std::nullopt;
  if (!coming) return std::nullopt;
  return LeftBehind{*lost, *others, *coming};
}

}  // namespace muster::cli
