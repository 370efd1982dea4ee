// Tries the extreme values of each law.
#include "job/sweep_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "job/input_type.hpp"
#include "sweep/draw.hpp"

namespace muster::job {
namespace {

using sweep::Law;

class Bounds {
 public:
  Bounds(const Input& input, InputType type, Complaints& complaints)
      : input_(input), type_(type), complaints_(complaints) {}

  // What a map among the values holds has inputs of its own.
  void check_choice(const Node& values) {
    for (const SharedNode& item : values.items) {
      if (item->kind == Kind::text && !fits(item->text, item->begin)) return;
    }
  }

  void check_range(const ParameterKeys& keys, const sweep::Parameter& parameter, double log_base) {
    const bool is_random = parameter.law == Law::randint;
    const Mark least = is_random ? keys.upper->begin : keys.least->begin;
    const Mark most = is_random ? keys.upper->begin : keys.most->begin;
    const auto end = [&](double share) {
      return sweep::number_text(value_at(parameter, share, log_base));
    };
    // Whoever writes a logarithm rounds it: 1e-6 of the range is forgiven.
    const bool is_log = sweep::word(parameter.law).find("log") != std::string_view::npos;
    const double within = is_log ? 1e-6 : 0;
    if (misfit(input_, type_, end(within)) && !fits(end(0), least)) return;
    if (misfit(input_, type_, end(1 - within))) (void)fits(end(1), most);
  }

  // Nobody knows how far they reach.
  void check_type_only(const ParameterKeys& keys) {
    if (type_ == InputType::boolean) (void)fits("0.5", keys.mark);
  }

  // Whether all values of the law are whole where the input wants that.
  bool check_whole(const ParameterKeys& keys, const sweep::Parameter& parameter) {
    const bool quantum =
        parameter.quantum > 0 && parameter.quantum == std::floor(parameter.quantum);
    const bool whole = parameter.law == Law::randint || quantum;
    if (type_ != InputType::integer || whole) return true;
    complaints_.add(keys.type->begin,
                    fmt::format("the input {} takes whole numbers, and type {} gives others",
                                input_.name, sweep::word(parameter.law)),
                    "write type: randint, a choice, or a law with a whole q");
    return false;
  }

 private:
  bool fits(std::string_view value, Mark mark) {
    const auto wrong = misfit(input_, type_, value);
    if (!wrong) return true;
    complaints_.add(mark, fmt::format("the input {} {}", input_.name, wrong->what), wrong->hint);
    return false;
  }

  const Input& input_;
  InputType type_;
  Complaints& complaints_;
};

}  // namespace

void check_bounds(const ParameterKeys& keys, const sweep::Parameter& parameter,
                  const JobFile& component, double log_base, Complaints& complaints) {
  const auto input = std::ranges::find(component.inputs, keys.name, &Input::name);
  if (input == component.inputs.end()) return;
  const auto type = type_of(*input, component.dialect);
  if (!type) return;
  Bounds bounds(*input, *type, complaints);
  if (parameter.law == Law::choice) return bounds.check_choice(*keys.values);
  if (!bounds.check_whole(keys, parameter)) return;
  if (sweep::word(parameter.law).ends_with("normal")) return bounds.check_type_only(keys);
  bounds.check_range(keys, parameter, log_base);
}

}  // namespace muster::job
