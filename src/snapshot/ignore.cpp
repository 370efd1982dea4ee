// Lines of an ignore file to rules.
#include "snapshot/ignore.hpp"

#include <algorithm>

namespace muster::snapshot {
namespace {

constexpr std::size_t kLineMax = 4096;  // no path is longer

// Blanks at the end are none of the pattern's, unless a backslash stands before them.
std::string_view without_blanks(std::string_view line) {
  std::size_t end = 0;  // of what is kept
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size())
      ++i;
    else if (line[i] == ' ')
      continue;
    end = i + 1;
  }
  return line.substr(0, end);
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::optional<IgnoreRules::Rule> IgnoreRules::rule_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with('#') || line.size() > kLineMax) return std::nullopt;
  line = without_blanks(line);
  Rule rule;
  rule.negated = line.starts_with('!');
  if (rule.negated) line.remove_prefix(1);
  rule.only_folders = line.ends_with('/');
  if (rule.only_folders) line.remove_suffix(1);
  rule.whole_path = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  rule.pattern = Pattern(line);
  return rule;
}

IgnoreRules::IgnoreRules(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto rule = rule_of(text.substr(0, end))) rules_.push_back(std::move(*rule));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::optional<bool> IgnoreRules::leaves_out(std::string_view path, bool is_folder) const {
  const std::string_view name = last_name(path);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->only_folders && !is_folder) continue;
    if (rule->pattern.matches(rule->whole_path ? path : name)) return !rule->negated;
  }
  return std::nullopt;
}

}  // namespace muster::snapshot
