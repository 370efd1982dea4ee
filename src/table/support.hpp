// Support: what muster does about a name that a table knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::table {

struct Support {
  enum class Kind : std::uint8_t { works, no_effect, refused } kind = Kind::works;
  std::string_view why = {};  // of the last two: goes on after what told() begins with

  [[nodiscard]] constexpr bool works() const { return kind == Kind::works; }
  [[nodiscard]] constexpr bool refused() const { return kind == Kind::refused; }
};

// Accepted, without effect; reported once, in one line.
[[nodiscard]] constexpr Support no_effect(std::string_view why) {
  return {Support::Kind::no_effect, why};
}

// Understood, not possible here: an error.
[[nodiscard]] constexpr Support refused(std::string_view why) {
  return {Support::Kind::refused, why};
}

// "--opt has no effect here: ...", or "--opt: ..." of what is refused.
[[nodiscard]] std::string told(std::string_view name, const Support& support);

}  // namespace muster::table
