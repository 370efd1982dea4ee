// Draw: a number between 0 and 1 becomes a value of a parameter, as Azure ML documents its laws.
#pragma once

#include "sweep/space.hpp"

namespace muster::sweep {

// How a parameter that is a number is drawn: from a uniform or a normal distribution, then perhaps
// as the exponent of e, then perhaps rounded to a multiple of a quantum.
struct Recipe {
  bool is_normal = false;
  double first = 0;     // lowest value, or mean
  double second = 0;    // highest value, or standard deviation
  double log_base = 0;  // natural logarithm of the base; 0: no exponent
  double quantum = 0;   // 0: not rounded
};
// Of no choice. A randint is a rounded uniform one.
[[nodiscard]] Recipe recipe_of(const Parameter& parameter, double log_base);

// What the recipe makes of a number that its distribution gave, and the way back (of rounded ones
// approximately).
[[nodiscard]] double finished(const Recipe& recipe, double raw);
[[nodiscard]] double raw_of(const Recipe& recipe, double value);

// Whether all that can be drawn, far into the tails of a normal distribution, are numbers that a
// double can tell from 0 and from infinity. Of no choice.
[[nodiscard]] bool can_be_drawn(const Parameter& parameter, double log_base);

// The value at this share of the law's distribution; 0 < share < 1.
[[nodiscard]] double value_at(const Parameter& parameter, double share, double log_base);

}  // namespace muster::sweep
