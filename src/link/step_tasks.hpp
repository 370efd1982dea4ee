// What the tasks of a Slurm step say to each other (head/step_tasks.hpp), and where. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/step_place.hpp"

namespace muster::link {

inline constexpr std::size_t kStepLineMax = 128;
inline constexpr std::size_t kStepPorts = 4;

// One of these is free on the host of task 0, as a rule the first. Below those that Linux gives out
// by itself (net.ipv4.ip_local_port_range). No two are the same.
[[nodiscard]] std::array<std::uint16_t, kStepPorts> step_ports(std::string_view step);

// With their newline.
[[nodiscard]] std::string step_greeting(const model::StepPlace& place, std::int32_t pid);
[[nodiscard]] std::string step_end(const model::StepPlace& place, int code);

// A process of a task: a script may call muster again and again in one.
struct StepVisitor {
  std::uint32_t task = 0;
  std::uint32_t pid = 0;
  bool operator==(const StepVisitor&) const = default;
};
// Of a line without its newline. Nothing: it is not of this step, or no such task has one to say.
[[nodiscard]] std::optional<StepVisitor> who_greets(const model::StepPlace& place,
                                                    std::string_view line);
// 0 to 255.
[[nodiscard]] std::optional<int> code_of_end(const model::StepPlace& place, std::string_view line);

}  // namespace muster::link
