// Keeps the end of a stream.
#include "machine/tail.hpp"

namespace muster::machine {
namespace {

// "    @     0x7f97d4a40634  absl::...": a frame of a stack as glog and absl print it.
[[nodiscard]] bool is_native_frame(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || line[at] != '@') return false;
  const std::size_t address = line.find_first_not_of(' ', at + 1);
  return address != std::string_view::npos && line.substr(address).starts_with("0x");
}

}  // namespace

void Tail::take(std::string_view bytes) {
  if (bytes.size() > kBytes) {
    bytes.remove_prefix(bytes.size() - kBytes);
    bytes_.clear();
    cut_ = true;
  }
  bytes_.append(bytes);
  // Cut rarely: at twice the size, back to the size.
  if (bytes_.size() > 2 * kBytes) {
    bytes_.erase(0, bytes_.size() - kBytes);
    cut_ = true;
  }
}

std::vector<std::string> Tail::lines() const {
  std::string_view rest = bytes_;
  if (rest.size() > kBytes) rest.remove_prefix(rest.size() - kBytes);
  const bool cut = cut_ || rest.size() < bytes_.size();
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r')) rest.remove_suffix(1);
  std::vector<std::string> reversed;
  bool reached_start = rest.empty();
  while (!reached_start && reversed.size() < kLines) {
    const std::size_t newline = rest.rfind('\n');
    reached_start = newline == std::string_view::npos;
    const std::string_view line = reached_start ? rest : rest.substr(newline + 1);
    if (reached_start && cut && !reversed.empty()) break;
    if (!is_native_frame(line)) reversed.emplace_back(line);
    if (!reached_start) rest = rest.substr(0, newline);
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace muster::machine
