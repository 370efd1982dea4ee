// Search spaces: nested ones, what a trial is given, and values drawn by each law.
#include "sweep/space.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "sweep/dice.hpp"
#include "sweep/draw.hpp"
#include "sweep/steady_math.hpp"

namespace muster::sweep {
namespace {

Parameter number(Law law, double first, double second, double quantum = 0) {
  return {"x", law, first, second, quantum, 0, {}};
}

Parameter choice(std::string name, const std::vector<std::string>& texts) {
  Parameter parameter{std::move(name), Law::choice, 0, 1, 0, 0, {}};
  for (const std::string& text : texts) parameter.options.push_back({text, {}});
  return parameter;
}

// A model that is "small" with a rate, or "large" with a depth and a rate, and a flag beside it.
Space nested() {
  Parameter rate = number(Law::uniform, 0, 1);
  rate.name = "rate";
  Parameter model{"model", Law::choice, 0, 1, 0, 0, {}};
  model.options.push_back({"", {choice("name", {"small"}), rate}});
  model.options.push_back({"", {choice("name", {"large"}), choice("depth", {"2", "3"}), rate}});
  return {model, choice("flag", {"true", "say \"no\""})};
}

TEST(SearchSpace, LawsHaveTheirWords) {
  for (const char* name : {"choice", "randint", "uniform", "quniform", "loguniform", "qloguniform",
                           "normal", "qnormal", "lognormal", "qlognormal"}) {
    ASSERT_TRUE(law_of(name)) << name;
    EXPECT_EQ(word(*law_of(name)), name);
    EXPECT_NE(law_words().find(name), std::string::npos);
  }
  EXPECT_FALSE(law_of("Uniform"));
}

TEST(SearchSpace, OnlyTheChosenOptionsMembersHaveValues) {
  const Space space = nested();
  EXPECT_EQ(dimensions(space), 7U);
  const Point point = point_of(space, [](const Parameter& parameter, std::size_t) {
    return parameter.name == "rate" ? 0.25 : parameter.name == "model" ? 0 : 1 - 1.0;
  });
  EXPECT_EQ(point, (Point{0, 0, 0.25, {}, {}, {}, 0}));
  const std::vector<Assignment> given = {{"model", R"({"name": "small", "rate": 0.25})"},
                                         {"name", "small"},
                                         {"rate", "0.25"},
                                         {"flag", "true"}};
  EXPECT_EQ(assignments(space, point), given);
}

TEST(SearchSpace, AMapIsJson) {
  const Space space = nested();
  const std::vector<Assignment> given = assignments(space, {1, {}, {}, 0, 1, 1e-5, 1});
  EXPECT_EQ(given.front().text, R"({"name": "large", "depth": 3, "rate": 1e-05})");
  EXPECT_EQ(given.back().text, "say \"no\"");
  EXPECT_EQ(names(space), (std::vector<std::string>{"model", "name", "rate", "depth", "flag"}));
}

TEST(SearchSpace, NumbersShowNoErrorOfTheirLastDigit) {
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(-0.5), "-0.5");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(900'000'000'000), "900000000000");
  EXPECT_EQ(number_text(1e300), "1e+300");
}

TEST(Draw, LogsAndRoundingAreAsDocumented) {
  constexpr double kE = 1;  // the logarithm of the base e
  EXPECT_DOUBLE_EQ(value_at(number(Law::uniform, 2, 4), 0.25, kE), 2.5);
  EXPECT_DOUBLE_EQ(value_at(number(Law::quniform, 0, 10, 3), 0.4, kE), 3);   // round(4 / 3) * 3
  EXPECT_DOUBLE_EQ(value_at(number(Law::quniform, 0, 10, 3), 0.99, kE), 9);  // round(9.9 / 3) * 3
  EXPECT_NEAR(value_at(number(Law::loguniform, -6, -2), 0.5, kE), std::exp(-4), 1e-15);
  EXPECT_NEAR(value_at(number(Law::loguniform, -6, -2), 0.5, std::log(10)), 1e-4, 1e-15);
  EXPECT_DOUBLE_EQ(value_at(number(Law::qloguniform, 0, 4, 5), 0.5, kE), 5);  // e^2 = 7.39
  EXPECT_NEAR(value_at(number(Law::normal, 3, 2), 0.5, kE), 3, 1e-15);
  EXPECT_NEAR(value_at(number(Law::normal, 3, 2), 0.975, kE), 3 + 2 * 1.959963984540054, 1e-12);
  EXPECT_DOUBLE_EQ(value_at(number(Law::qnormal, 3, 2, 0.5), 0.975, kE), 7);  // 6.92
  EXPECT_NEAR(value_at(number(Law::lognormal, 1, 0.5), 0.5, kE), std::exp(1), 1e-14);
  EXPECT_DOUBLE_EQ(value_at(number(Law::qlognormal, 1, 0.5, 2), 0.5, kE), 2);  // 2.718
}

TEST(Draw, ARandintTakesEachNumberBelowItsUpperOneEquallyOften) {
  Parameter parameter{"x", Law::randint, 0, 1, 0, 4, {}};
  std::vector<int> seen(4, 0);
  Dice dice(1);
  for (int i = 0; i < 4000; ++i) {
    ++seen.at(static_cast<std::size_t>(value_at(parameter, dice.share(), 1)));
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 120);
  EXPECT_EQ(value_at(parameter, 1e-300, 1), 0);
  EXPECT_EQ(value_at(parameter, 1 - 0x1p-53, 1), 3);
}

TEST(SteadyMath, IsAsExactAsTheLibrary) {
  for (double x = -700; x < 700; x += 0.7310585) {
    EXPECT_NEAR(exp_of(x) / std::exp(x), 1, 2e-15) << x;
    EXPECT_NEAR(log_of(std::exp(x)), x, 2e-15 * std::max(1.0, std::fabs(x))) << x;
  }
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(log_of(1), 0);
  EXPECT_TRUE(std::isinf(exp_of(800)));
  EXPECT_EQ(exp_of(-800), 0);
}

TEST(SteadyMath, NormalQuantilesAreThoseOfTables) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-14);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-13);
  EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-12);
  for (double x = -5; x < 5; x += 0.1) {
    EXPECT_NEAR(normal_share(x), std::erfc(-x / std::sqrt(2)) / 2, 1e-7) << x;
  }
}

// SplitMix64's first numbers for the seed 1234567, as its reference implementation gives them.
TEST(Dice, AreTheWellKnownOnes) {
  Dice dice(1234567);
  EXPECT_EQ(dice.next(), 6457827717110365317U);
  EXPECT_EQ(dice.next(), 3203168211198807973U);
  EXPECT_EQ(dice.next(), 9817491932198370423U);
}

// A sweep that goes on knows what its trials were given, not their points.
TEST(Space, APointCanBeFoundByItsAssignments) {
  const Option tree{
      "",
      {{"kind", Law::choice, 0, 1, 0, 0, {{"tree", {}}}}, {"depth", Law::randint, 0, 1, 0, 9, {}}}};
  const Option net{"",
                   {{"kind", Law::choice, 0, 1, 0, 0, {{"net", {}}}},
                    {"width", Law::choice, 0, 1, 0, 0, {{"10", {}}, {"20", {}}}}}};
  const Space space{{"lr", Law::uniform, 0, 1, 0, 0, {}},
                    {"model", Law::choice, 0, 1, 0, 0, {tree, net, {"none", {}}}}};
  const Point points[] = {{0.25, 0, 0, 4, std::nullopt, std::nullopt},
                          {0.5, 1, std::nullopt, std::nullopt, 0, 1},
                          {0.125, 2, std::nullopt, std::nullopt, std::nullopt, std::nullopt}};
  for (const Point& point : points) {
    auto values = assignments(space, point);
    EXPECT_EQ(point_with(space, values), point);
    std::ranges::reverse(values);
    EXPECT_EQ(point_with(space, values), point);
    values.push_back({"more", "1"});
    EXPECT_EQ(point_with(space, values), std::nullopt);
  }
  EXPECT_EQ(point_with(space, {{"lr", "0.5"}, {"model", "gone"}}), std::nullopt);
  EXPECT_EQ(point_with(space, {{"lr", "0.5"}}), std::nullopt);
}

}  // namespace
}  // namespace muster::sweep
