// Any bytes as the answers of a batch system's commands: no job without an id, and one-line errors.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "batch/system.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const muster::batch::System* system : muster::batch::systems()) {
    for (const auto& sight : system->listed(text)) CHECK(!sight.id.empty());
    for (const auto& sight : system->passed(text)) CHECK(!sight.id.empty());
    CHECK(system->submitted(text).find('\n') == std::string::npos);
    CHECK(system->refused(text).error.what.find('\n') == std::string::npos);
    (void)system->tested(text);
  }
  return 0;
}
