// Any bytes as a hostfile: hosts within their bounds, or one complaint with its place; what a
// launcher's form has against them has a place, too.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/host_form.hpp"
#include "spec/hosts.hpp"

using muster::spec::HostSlots;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hosts = muster::spec::read_hostfile(text, "f");
  if (!hosts) {
    CHECK(hosts.error().what.find('\n') == std::string::npos);
    CHECK(hosts.error().place.source == "f");
    return 0;
  }
  CHECK(!hosts->empty());
  for (const HostSlots slots : {HostSlots::required, HostSlots::devices}) {
    const auto fine = muster::spec::check_form(*hosts, {.slots = slots, .each_once = true}, true);
    CHECK(fine || fine.error().place.source == "f");
  }
  for (const auto& host : *hosts) {
    CHECK(!host.name.empty() && host.name.front() != '-');
    CHECK(host.slots.value_or(1) > 0 && host.port < 65536);
  }
  return 0;
}
