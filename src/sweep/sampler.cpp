// Grid, random and Sobol points; bayesian ones are in tpe.cpp.
#include "sweep/sampler.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sweep/dice.hpp"
#include "sweep/draw.hpp"
#include "sweep/sobol.hpp"
#include "sweep/tpe.hpp"

namespace muster::sweep {
namespace {

constexpr std::uint64_t kGridMost = std::uint64_t{1} << 53;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kGridMost / b ? kGridMost : std::min(a * b, kGridMost);
}

std::uint64_t ways_of(const Option& option) { return grid_size(option.members); }

std::uint64_t ways_of(const Parameter& parameter) {
  CHECK(parameter.law == Law::choice);
  std::uint64_t ways = 0;
  for (const Option& option : parameter.options) {
    ways = std::min(ways + ways_of(option), kGridMost);
  }
  return ways;
}

std::uint64_t ways_of(std::span<const Parameter> parameters) {
  std::uint64_t ways = 1;
  for (const Parameter& parameter : parameters) ways = times(ways, ways_of(parameter));
  return ways;
}

// The last parameter changes from each point to the next; `at` counts the points.
void put_grid(const Space& space, std::uint64_t at, bool counts, Point& point) {
  for (std::size_t p = 0; p < space.size(); ++p) {
    const Parameter& parameter = space[p];
    const std::uint64_t below = ways_of(std::span(space).subspan(p + 1));
    std::uint64_t own = at / below % ways_of(parameter);
    const std::size_t mine = point.size();
    point.emplace_back();
    bool found = !counts;
    for (std::size_t i = 0; i < parameter.options.size(); ++i) {
      const Option& option = parameter.options[i];
      const std::uint64_t part = ways_of(option);
      const bool chosen = !found && own < part;
      if (chosen) point[mine] = double(i);
      put_grid(option.members, chosen ? own : 0, chosen, point);
      found = found || chosen;
      own -= found ? 0 : part;
    }
  }
}

Point random_point(const Settings& settings, std::uint64_t trial) {
  Dice dice(settings.sampling.seed, trial);
  const double base = settings.sampling.log_base;
  return point_of(settings.space, [&](const Parameter& parameter, std::size_t) {
    return value_at(parameter, dice.share(), base);
  });
}

// The seed shifts the whole sequence, bit by bit, which keeps it as even as it is.
Point sobol_point(const Settings& settings, std::uint64_t trial) {
  const double base = settings.sampling.log_base;
  return point_of(settings.space, [&](const Parameter& parameter, std::size_t dimension) {
    const std::uint64_t shift = Dice(settings.sampling.seed, dimension).next();
    const std::uint32_t bits = sobol(trial, dimension) ^ static_cast<std::uint32_t>(shift);
    return value_at(parameter, (bits + 0.5) * 0x1p-32, base);
  });
}

}  // namespace

std::uint64_t grid_size(const Space& space) { return ways_of(std::span(space)); }

std::uint64_t trials_of(const Settings& settings) {
  if (settings.sampling.method != Method::grid) return settings.limits.trials;
  return std::min(settings.limits.trials, grid_size(settings.space));
}

Point sample(const Settings& settings, std::uint64_t trial, std::span<const Tried> tried) {
  switch (settings.sampling.method) {
    case Method::grid: {
      Point point;
      put_grid(settings.space, trial, true, point);
      return point;
    }
    case Method::sobol:
      return sobol_point(settings, trial);
    case Method::bayesian:
      if (tried_enough(tried)) return tpe_point(settings, trial, tried);
      break;
    case Method::random:
      break;
  }
  return random_point(settings, trial);
}

}  // namespace muster::sweep
