// lost: what is known when a link that was up has ended.
#include <string_view>

#include "link/link.hpp"

namespace muster::link {
namespace {

constexpr std::size_t kWordsMax = 200;

// The last line of the carrier's stderr that holds something: ssh says there why it gave up.
std::string_view last_line(std::string_view errors) {
  const std::size_t end = errors.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  errors = errors.substr(0, end + 1);
  const std::size_t newline = errors.find_last_of("\r\n");
  return errors.substr(newline == std::string_view::npos ? 0 : newline + 1).substr(0, kWordsMax);
}

std::string how(const std::string& carrier, const CarrierEnd& end) {
  if (end.signal != 0) return fmt::format("{} was killed by signal {}", carrier, end.signal);
  const std::string_view line = last_line(end.errors);
  if (!line.empty()) return std::string(line);
  if (end.code != 0) return fmt::format("{} ended with code {}", carrier, end.code);
  return "its agent was killed, or the connection was cut";
}

}  // namespace

base::Error lost(const std::string& host, const std::string& carrier, const CarrierEnd& end) {
  return {base::Fault::lost,
          fmt::format("{}: the link to its agent broke: {}", host, how(carrier, end)),
          "ranks on a host that still runs end by themselves, within the grace time",
          {}};
}

}  // namespace muster::link
