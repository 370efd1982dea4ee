// Lines of words, which begin with the step's name.
#include "link/step_tasks.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/hash.hpp"

namespace muster::link {
namespace {

constexpr std::uint32_t kFirstPort = 10'000;
constexpr std::uint32_t kPorts = 22'000;
constexpr std::uint32_t kStride =
    7'919;  // a prime that does not divide kPorts: no port comes twice

std::string head_of(const model::StepPlace& place) {
  return fmt::format("muster-step {} ", place.step);
}

std::optional<std::uint32_t> number_after(std::string_view head, std::string_view line) {
  if (!line.starts_with(head)) return std::nullopt;
  line.remove_prefix(head.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return number;
}

}  // namespace

std::array<std::uint16_t, kStepPorts> step_ports(std::string_view step) {
  std::array<std::uint16_t, kStepPorts> ports{};
  std::uint32_t offset = base::hash(step) % kPorts;
  for (std::uint16_t& port : ports) {
    port = static_cast<std::uint16_t>(kFirstPort + offset);
    offset = (offset + kStride) % kPorts;
  }
  return ports;
}

std::string step_greeting(const model::StepPlace& place, std::int32_t pid) {
  return fmt::format("{}{} {}\n", head_of(place), place.number, pid);
}

std::string step_end(const model::StepPlace& place, int code) {
  return fmt::format("{}ended {}\n", head_of(place), code);
}

std::optional<StepVisitor> who_greets(const model::StepPlace& place, std::string_view line) {
  const std::size_t blank = std::min(line.rfind(' '), line.size());
  const auto task = number_after(head_of(place), line.substr(0, blank));
  const auto pid = number_after(" ", line.substr(blank));
  if (!task || !pid || *task == 0 || *task >= place.tasks) return std::nullopt;
  return StepVisitor{*task, *pid};
}

std::optional<int> code_of_end(const model::StepPlace& place, std::string_view line) {
  const auto code = number_after(head_of(place) + "ended ", line);
  return code && *code <= 255 ? std::optional(static_cast<int>(*code)) : std::nullopt;
}

}  // namespace muster::link
