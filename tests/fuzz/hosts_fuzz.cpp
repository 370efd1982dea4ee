// Any bytes as a hostfile: hosts within their bounds, or one complaint with its place.
#include <cstdint>

#include "base/check.hpp"
#include "spec/hosts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto hosts = muster::spec::read_hostfile({reinterpret_cast<const char*>(data), size}, "f");
  if (!hosts) {
    CHECK(hosts.error().what.find('\n') == std::string::npos);
    CHECK(hosts.error().place.source == "f");
    return 0;
  }
  CHECK(!hosts->empty());
  for (const auto& host : *hosts) {
    CHECK(!host.name.empty() && host.name.front() != '-');
    CHECK(host.slots.value_or(1) > 0 && host.port < 65536);
  }
  return 0;
}
