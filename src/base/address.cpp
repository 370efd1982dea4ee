// Looks for "://"; the rest of a text stays as it is.
#include "base/address.hpp"

#include <algorithm>

namespace muster::base {
namespace {

constexpr std::string_view kMark = "://";
constexpr std::string_view kEnds = " \t\r\n'\"`<>()[]{}|";

// What is behind the mark.
std::string shown(std::string_view address) {
  const std::size_t host_end = std::min(address.find_first_of("/?#"), address.size());
  const std::size_t at = address.substr(0, host_end).rfind('@');
  const std::size_t begin = at == std::string_view::npos ? 0 : at + 1;
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
    result += shown(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return result.append(text);
}

}  // namespace muster::base
