// The table of all variables that muster sets: name, dialect, value, and when it yields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "plan/dialects.hpp"

namespace muster::plan {

// What all ranks of an app have in common.
struct AboutApp {
  const model::Plan& plan;
  const Rendezvous& where;
  const Forwarded& kept;
  const std::string& job;
  const model::JobSpec& spec;
  std::uint32_t index;

  [[nodiscard]] const model::App& app() const { return spec.apps[index]; }
};

struct About : AboutApp {
  std::uint32_t rank;
  std::uint32_t node;
  std::uint32_t local_rank;
  const Twins& twins;

  [[nodiscard]] const model::PlannedNode& planned() const { return plan.nodes[node]; }
};

// When a variable is left to the user, besides -x.
enum class Yields : std::uint8_t {
  never,       // the launching shell's value is stale
  to_own,      // to a value under the same name
  to_threads,  // to a value of any of the four thread counts
};

struct Word {
  std::string_view name;
  std::string_view dialect;
  // What a value is made of tells whether all ranks of an app have the same. Empty: the variable is
  // not set. Last: it is set, to nothing, where this is true.
  std::variant<std::string (*)(const AboutApp&), std::string (*)(const About&),
               bool (*)(const About&)>
      value;
  Yields yields = Yields::never;
};

// Sorted by name.
[[nodiscard]] std::span<const Word> variable_table();

// The variable of this name that goes along from the launching shell, or null.
[[nodiscard]] const model::Variable* find(const Forwarded& kept, std::string_view name);

[[nodiscard]] bool is_exported(const AboutApp& about, std::string_view name);

}  // namespace muster::plan
