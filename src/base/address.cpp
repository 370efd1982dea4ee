// Looks for "://"; the rest of a text stays as it is.
#include "base/address.hpp"

#include <algorithm>
#include <array>

namespace muster::base {
namespace {

constexpr std::string_view kMark = "://";
constexpr std::string_view kEnds = " \t\r\n'\"`<>()[]{}|";

// Whether the word in front of the host is part of the place, as in wasbs://CONTAINER@ACCOUNT and
// abfss://FILESYSTEM@ACCOUNT (Azure's storage); elsewhere it may be a token.
bool names_a_container(std::string_view before_mark) {
  return std::ranges::any_of(
      std::array{"wasb", "wasbs", "abfs", "abfss"},
      [=](std::string_view scheme) { return before_mark.ends_with(scheme); });
}

// What is behind the mark.
std::string shown(std::string_view address, bool with_container) {
  const std::size_t host_end = std::min(address.find_first_of("/?#"), address.size());
  const std::size_t at = address.substr(0, host_end).rfind('@');
  const bool whole = at == std::string_view::npos ||
                     (with_container && address.substr(0, at).find(':') == std::string_view::npos);
  const std::size_t begin = whole ? 0 : at + 1;
  const std::size_t query = address.find('?', begin);
  std::string text(address.substr(begin, std::min(query, address.size()) - begin));
  return query == std::string_view::npos ? text : text + "?...";
}

}  // namespace

std::string without_secrets(std::string_view text) {
  std::string result;
  for (std::size_t mark = text.find(kMark); mark != std::string_view::npos;
       mark = text.find(kMark)) {
    const std::size_t begin = mark + kMark.size();
    const std::size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
    result += text.substr(0, begin);
    result += shown(text.substr(begin, end - begin), names_a_container(text.substr(0, mark)));
    text.remove_prefix(end);
  }
  return result.append(text);
}

}  // namespace muster::base
