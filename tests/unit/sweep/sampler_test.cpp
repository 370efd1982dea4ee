// Samplers: grids in order, seeds that mean the same everywhere, even Sobol points, and a method
// that learns.
#include "sweep/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "sweep/dice.hpp"
#include "sweep/sobol.hpp"

namespace muster::sweep {
namespace {

Parameter options(std::string name, const std::vector<std::string>& texts) {
  Parameter parameter{std::move(name), Law::choice, 0, 1, 0, 0, {}};
  for (const std::string& text : texts) parameter.options.push_back({text, {}});
  return parameter;
}

Parameter uniform(std::string name, double from, double to) {
  return {std::move(name), Law::uniform, from, to, 0, 0, {}};
}

std::string line(const Settings& settings, std::uint64_t trial) {
  std::string text;
  for (const Assignment& one : assignments(settings.space, sample(settings, trial, {}))) {
    text += (text.empty() ? "" : " ") + one.text;
  }
  return text;
}

TEST(Grid, TakesAllCombinationsInOrder) {
  Settings settings{{options("a", {"1", "2"}), options("b", {"x", "y", "z"})}};
  settings.sampling.method = Method::grid;
  EXPECT_EQ(trials_of(settings), 6U);
  std::vector<std::string> lines;
  for (std::uint64_t i = 0; i < 6; ++i) lines.push_back(line(settings, i));
  EXPECT_EQ(lines, (std::vector<std::string>{"1 x", "1 y", "1 z", "2 x", "2 y", "2 z"}));
  settings.limits.trials = 4;
  EXPECT_EQ(trials_of(settings), 4U);
}

TEST(Grid, CountsWhatIsNested) {
  Parameter model = options("model", {"plain"});
  model.options.push_back({"", {options("depth", {"1", "2", "3"}), options("name", {"deep"})}});
  Settings settings{{model, options("b", {"x", "y"})}};
  settings.sampling.method = Method::grid;
  ASSERT_EQ(trials_of(settings), 8U);
  std::set<std::string> lines;
  for (std::uint64_t i = 0; i < 8; ++i) lines.insert(line(settings, i));
  EXPECT_EQ(lines.size(), 8U);
  EXPECT_EQ(line(settings, 0), "plain x");
  EXPECT_EQ(line(settings, 7), R"({"depth": 3, "name": "deep"} 3 deep y)");
}

TEST(Grid, OfHugeSpacesIsStillInOrder) {
  Settings settings;
  for (int i = 0; i < 60; ++i) settings.space.push_back(options("p", {"0", "1", "2", "3"}));
  settings.sampling.method = Method::grid;
  EXPECT_EQ(grid_size(settings.space), std::uint64_t{1} << 53);
  const std::string seven = line(settings, 7);
  EXPECT_TRUE(seven.starts_with("0 0 0 0"));
  EXPECT_TRUE(seven.ends_with(" 0 1 3"));
}

TEST(Random, ASeedMeansTheSameTrialsEverywhere) {
  Settings settings{{uniform("u", 0, 1),
                     {"l", Law::loguniform, -7, -1, 0, 0, {}},
                     {"n", Law::normal, 10, 2, 0, 0, {}},
                     {"r", Law::randint, 0, 1, 0, 1000, {}}}};
  settings.sampling.seed = 42;
  // Written down once: these must never change, on any machine.
  EXPECT_EQ(line(settings, 0), "0.386974276240041 0.22944391694365 7.231178257889 603");
  EXPECT_EQ(line(settings, 1), "0.577125795355946 0.00171027358911768 9.35277457782422 505");
  const std::string first = line(settings, 0);
  settings.sampling.seed = 43;
  EXPECT_NE(line(settings, 0), first);
}

// The points of Joe and Kuo's own program (index 0 to 7), as fractions of 8.
TEST(Sobol, HasTheKnownFirstPoints) {
  const std::vector<std::vector<double>> known = {{0, 0, 0},
                                                  {0.5, 0.5, 0.5},
                                                  {0.75, 0.25, 0.25},
                                                  {0.25, 0.75, 0.75},
                                                  {0.375, 0.375, 0.625},
                                                  {0.875, 0.875, 0.125},
                                                  {0.625, 0.125, 0.875},
                                                  {0.125, 0.625, 0.375}};
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(sobol(i, d) * 0x1p-32, known[i][d]) << i << " " << d;
    }
  }
}

// In each dimension, 2^k points fall into as many equal parts, one into each.
TEST(Sobol, EachDimensionIsEven) {
  constexpr std::size_t kPoints = 1024;
  for (std::size_t d = 0; d < kSobolDimensions; ++d) {
    std::set<std::uint32_t> parts;
    for (std::size_t i = 0; i < kPoints; ++i) parts.insert(sobol(i, d) >> 22);
    EXPECT_EQ(parts.size(), kPoints) << d;
  }
}

// How unevenly points lie, by Warnock's formula for the L2 star discrepancy.
double discrepancy(const std::vector<std::vector<double>>& points) {
  const auto n = static_cast<double>(points.size());
  const auto dimensions = points.front().size();
  double once = 0;
  double twice = 0;
  for (const auto& a : points) {
    double product = 1;
    for (const double x : a) product *= 1 - x * x;
    once += product;
    for (const auto& b : points) {
      product = 1;
      for (std::size_t d = 0; d < dimensions; ++d) product *= 1 - std::max(a[d], b[d]);
      twice += product;
    }
  }
  const auto power = static_cast<double>(dimensions);
  return std::sqrt(std::pow(3, -power) - once * std::pow(2, 1 - power) / n + twice / (n * n));
}

TEST(Sobol, ShiftedPointsAreMoreEvenThanRandomOnes) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Settings settings{{uniform("a", 0, 1), uniform("b", 0, 1), uniform("c", 0, 1)}};
    settings.sampling.seed = seed;
    std::vector<double> uneven;
    for (const Method method : {Method::sobol, Method::random}) {
      settings.sampling.method = method;
      std::vector<std::vector<double>> points;
      for (std::uint64_t i = 0; i < 256; ++i) {
        const Point point = sample(settings, i, {});
        points.push_back({*point[0], *point[1], *point[2]});
      }
      uneven.push_back(discrepancy(points));
    }
    EXPECT_LT(uneven[0] * 3, uneven[1]) << seed;
  }
}

// A bowl in two numbers, with a step for a wrong choice; 0 at its lowest.
double bowl(const Settings& settings, const Point& point) {
  const std::vector<Assignment> given = assignments(settings.space, point);
  const double a = std::stod(given[0].text) - 0.3;
  const double b = std::log10(std::stod(given[1].text)) + 3;
  return a * a * 4 + b * b / 4 + (given[2].text == "right" ? 0 : 0.5);
}

// The lowest that so many trials find, one after the other.
double lowest_found(Method method, std::uint64_t seed, std::uint64_t trials) {
  Settings settings{{uniform("a", -2, 2),
                     {"b", Law::loguniform, -5, -1, 0, 0, {}},
                     options("c", {"wrong", "right", "bad"})}};
  settings.sampling = {method, seed, std::log(10)};
  std::vector<Tried> tried;
  double lowest = 1e9;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const Point point = sample(settings, i, tried);
    tried.push_back({point, bowl(settings, point)});
    lowest = std::min(lowest, *tried.back().loss);
  }
  return lowest;
}

TEST(Bayesian, FindsMoreThanRandomOnAverage) {
  constexpr std::uint64_t kSeeds = 40;
  double random = 0;
  double bayesian = 0;
  std::uint64_t won = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double by_random = lowest_found(Method::random, seed, 50);
    const double by_bayesian = lowest_found(Method::bayesian, seed, 50);
    random += by_random;
    bayesian += by_bayesian;
    won += by_bayesian < by_random ? 1 : 0;
  }
  EXPECT_LT(bayesian * 2, random) << bayesian / kSeeds << " and " << random / kSeeds;
  EXPECT_GE(won * 4, kSeeds * 3) << won;
}

TEST(Bayesian, StaysWithinItsSpaceAndGoesOnWhereTrialsFail) {
  Settings settings{{uniform("a", -2, 2),
                     {"q", Law::quniform, 0, 1, 0.25, 0, {}},
                     {"l", Law::qlognormal, 0, 1, 1, 0, {}},
                     {"r", Law::randint, 0, 1, 0, 5, {}}}};
  settings.sampling = {Method::bayesian, 7, 1};
  std::vector<Tried> tried;
  for (std::uint64_t i = 0; i < 80; ++i) {
    const Point point = sample(settings, i, tried);
    EXPECT_TRUE(*point[0] >= -2 && *point[0] <= 2);
    EXPECT_EQ(*point[1] * 4, std::floor(*point[1] * 4));
    EXPECT_TRUE(*point[1] >= 0 && *point[1] <= 1);
    EXPECT_TRUE(*point[2] >= 0 && *point[2] == std::floor(*point[2]));
    EXPECT_TRUE(*point[3] >= 0 && *point[3] <= 4 && *point[3] == std::floor(*point[3]));
    EXPECT_EQ(sample(settings, i, tried), point);
    tried.push_back({point, i % 3 == 0 ? std::optional<double>() : *point[0] * *point[0]});
  }
}

}  // namespace
}  // namespace muster::sweep
