// Any bytes as a host list: hosts within their bounds, or one complaint about -H.
#include <cstdint>

#include "base/check.hpp"
#include "spec/hosts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto hosts = muster::spec::read_host_list({reinterpret_cast<const char*>(data), size});
  if (!hosts) {
    CHECK(hosts.error().what.find('\n') == std::string::npos);
    CHECK(hosts.error().place.source == "-H");
    return 0;
  }
  for (const auto& host : *hosts) {
    CHECK(!host.name.empty() && host.name.front() != '-');
    CHECK(host.user.empty() || host.user.front() != '-');
    CHECK(host.slots.value_or(1) > 0);
  }
  return 0;
}
