// The laws of search spaces.
#include "sweep/draw.hpp"

#include <algorithm>
#include <cmath>

#include "sweep/steady_math.hpp"

namespace muster::sweep {
namespace {

// Halves go to the even neighbour, as Python rounds them.
double rounded(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

}  // namespace

Recipe recipe_of(const Parameter& parameter, double log_base) {
  Recipe recipe{false, parameter.first, parameter.second, 0, 0};
  switch (parameter.law) {
    case Law::choice:
    case Law::uniform:
      break;
    case Law::randint:
      return {false, -0.5, static_cast<double>(parameter.upper) - 0.5, 0, 1};
    case Law::quniform:
      recipe.quantum = parameter.quantum;
      break;
    case Law::loguniform:
      recipe.log_base = log_base;
      break;
    case Law::qloguniform:
      recipe.log_base = log_base;
      recipe.quantum = parameter.quantum;
      break;
    case Law::normal:
      recipe.is_normal = true;
      break;
    case Law::qnormal:
      recipe.is_normal = true;
      recipe.quantum = parameter.quantum;
      break;
    case Law::lognormal:
      recipe.is_normal = true;
      recipe.log_base = log_base;
      break;
    case Law::qlognormal:
      recipe.is_normal = true;
      recipe.log_base = log_base;
      recipe.quantum = parameter.quantum;
      break;
  }
  return recipe;
}

double finished(const Recipe& recipe, double raw) {
  const double value = recipe.log_base != 0 ? exp_of(raw * recipe.log_base) : raw;
  return recipe.quantum > 0 ? rounded(value / recipe.quantum) * recipe.quantum + 0.0 : value;
}

double raw_of(const Recipe& recipe, double value) {
  if (recipe.log_base == 0) return value;
  // What has been rounded to 0 was below half of the quantum.
  const double least = recipe.quantum > 0 ? recipe.quantum / 4 : 0x1p-1000;
  return log_of(std::max(value, least)) / recipe.log_base;
}

bool can_be_drawn(const Parameter& parameter, double log_base) {
  const Recipe recipe = recipe_of(parameter, log_base);
  // As far as a search goes: see Density.
  const double reach = recipe.is_normal ? 8 * recipe.second : 0;
  const double low = recipe.first - reach;
  const double high = (recipe.is_normal ? recipe.first : recipe.second) + reach;
  if (!std::isfinite(high - low)) return false;
  const double one = finished(recipe, low);
  const double other = finished(recipe, high);
  const bool may_vanish = recipe.log_base == 0 || recipe.quantum > 0;
  return std::isfinite(one) && std::isfinite(other) && (may_vanish || (one != 0 && other != 0));
}

double value_at(const Parameter& parameter, double share, double log_base) {
  if (parameter.law == Law::choice) {
    const auto count = static_cast<double>(parameter.options.size());
    return std::min(std::floor(share * count), count - 1);
  }
  const Recipe recipe = recipe_of(parameter, log_base);
  const double raw = recipe.is_normal ? recipe.first + recipe.second * normal_quantile(share)
                                      : recipe.first + (recipe.second - recipe.first) * share;
  const double value = finished(recipe, raw);
  if (parameter.law != Law::randint) return value;
  return std::clamp(value, 0.0, static_cast<double>(parameter.upper) - 1);
}

}  // namespace muster::sweep
