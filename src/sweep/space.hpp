// Space: what a sweep's trials may try, and one point of it. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::sweep {

// As Azure ML's search spaces name them.
enum class Law : std::uint8_t {
  choice,
  randint,
  uniform,
  quniform,
  loguniform,
  qloguniform,
  normal,
  qnormal,
  lognormal,
  qlognormal,
};

// "qloguniform"
[[nodiscard]] std::string_view word(Law law);
// Of all laws, with blanks between.
[[nodiscard]] std::string_view law_words();
[[nodiscard]] std::optional<Law> law_of(std::string_view word);

struct Parameter;

// A value of a choice: a text, or a map that is a search space of its own.
struct Option {
  std::string text;
  std::vector<Parameter> members;
  bool operator==(const Option&) const = default;
};

struct Parameter {
  std::string name;
  Law law = Law::choice;
  double first = 0;         // min_value, or mu
  double second = 1;        // max_value, or sigma
  double quantum = 0;       // q
  std::uint64_t upper = 0;  // of randint: the first number that it does not take
  std::vector<Option> options = {};
  bool operator==(const Parameter&) const = default;
};

using Space = std::vector<Parameter>;

// The parameters of a space, nested ones too, each before its members: this is their order in a
// Point.
[[nodiscard]] std::size_t dimensions(const Space& space);

// A value for each parameter: an option's index, or a number. None for those of options that were
// not chosen.
using Point = std::vector<std::optional<double>>;

// Asks for a value of each parameter that counts in this point.
using Chooser = std::function<double(const Parameter&, std::size_t dimension)>;
[[nodiscard]] Point point_of(const Space& space, const Chooser& choose);

struct Assignment {
  std::string name;
  std::string text;
  bool operator==(const Assignment&) const = default;
};

// What a trial is given: the point's values as texts, those of nested parameters under their own
// names. An option that is a map is JSON text.
[[nodiscard]] std::vector<Assignment> assignments(const Space& space, const Point& point);

// The point that has these assignments; nothing when the space has none such, or when names are
// left over. Numbers are as exact as their texts.
[[nodiscard]] std::optional<Point> point_with(const Space& space,
                                              const std::vector<Assignment>& values);

// All names that assignments may have, each once, in the order of the space.
[[nodiscard]] std::vector<std::string> names(const Space& space);

// "0.25", "3", "1e-05": with 15 digits at most, of which a sum of tenths shows no error.
[[nodiscard]] std::string number_text(double number);

}  // namespace muster::sweep
