// Cuts the kernel's own ports out of those that a job may use.
#include "probe/port_range.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

namespace muster::probe {
namespace {
constexpr std::uint32_t kLowest = 10'001;
constexpr std::uint32_t kEnd = 65'536;

// Takes the next number off the text; leaves `value` alone when there is none.
void take_number(std::string_view& text, std::uint32_t& value) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  const char* const end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
}

}  // namespace

PortRange::PortRange(const std::string& kernels_range) {
  std::uint32_t first = 32'768;  // the kernel's default, for a system that does not tell
  std::uint32_t last = 60'999;
  std::string_view text = kernels_range;
  take_number(text, first);
  take_number(text, last);
  below_ = std::clamp(first, kLowest, kEnd) - kLowest;
  above_from_ = std::clamp(last + 1, kLowest + below_, kEnd);
  if (size() == 0) above_from_ = kLowest;
}

std::uint32_t PortRange::size() const { return below_ + (kEnd - above_from_); }

std::uint16_t PortRange::at(std::uint32_t index) const {
  const std::uint32_t port = index < below_ ? kLowest + index : above_from_ + (index - below_);
  return static_cast<std::uint16_t>(port);
}

}  // namespace muster::probe
