// Any bytes as the manifest of a snapshot: what is accepted stays inside, and is written back as it
// was.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "snapshot/manifest.hpp"
#include "snapshot/paths.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster::snapshot;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto manifest = read_manifest(text);
  if (!manifest) return 0;
  for (const Entry& entry : manifest->entries) CHECK(is_inside(entry.path));
  const auto again = read_manifest(manifest_text(*manifest));
  CHECK(again && *again == *manifest);
  return 0;
}
