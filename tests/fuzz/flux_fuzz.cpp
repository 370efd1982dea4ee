// Any bytes as Flux's R: hosts with cores, or one complaint; and as a set of ids.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/flux_resources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto hosts = muster::spec::read_flux_resources(text, "R")) {
    CHECK(!hosts->empty());
    for (const auto& one : *hosts) CHECK(!one.name.empty() && one.cores > 0);
  } else {
    CHECK(hosts.error().what.find('\n') == std::string::npos);
  }
  if (const auto ids = muster::spec::read_idset(text)) {
    CHECK(!ids->empty() && std::ranges::is_sorted(*ids));
  }
  return 0;
}
