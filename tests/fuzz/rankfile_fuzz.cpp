// Any bytes as a rankfile: entries, or one complaint with its place.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/rankfile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = muster::spec::read_rankfile(text, "ranks");
  if (!read) CHECK(read.error().place.source == "ranks");
  if (read) CHECK(!read->empty());
  return 0;
}
