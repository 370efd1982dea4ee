// Any bytes as an appfile and as a tune file: lines, or one complaint with its place.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/word_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto programs = muster::spec::read_appfile(text, "file");
  if (!programs) CHECK(programs.error().place.source == "file");
  const auto settings = muster::spec::read_tune_file(text, "file");
  if (!settings) CHECK(settings.error().place.source == "file");
  return 0;
}
