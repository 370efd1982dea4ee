// What is on record about the head tells which of the hosts is this one.
#include "cli/other_hosts.hpp"

namespace muster::cli {

std::set<std::string> other_hosts(const model::RunRecord& record) {
  std::set<std::string> hosts;
  for (const std::string& host : record.hosts) {
    const bool is_here = host == record.head.host || host == "localhost";
    if (!is_here && !host.starts_with("fake-")) hosts.insert(host);
  }
  return hosts;
}

}  // namespace muster::cli
