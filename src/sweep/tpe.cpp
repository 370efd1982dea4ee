// Estimates densities and compares them.
#include "sweep/tpe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sweep/dice.hpp"
#include "sweep/draw.hpp"
#include "sweep/steady_math.hpp"

namespace muster::sweep {
namespace {

constexpr std::size_t kFirst = 10;   // random trials
constexpr double kGoodShare = 0.15;  // gamma
constexpr std::size_t kGoodMost = 25;
constexpr int kCandidates = 24;

struct Groups {
  std::vector<const Point*> good;
  std::vector<const Point*> bad;
};

Groups groups_of(std::span<const Tried> tried) {
  std::vector<const Tried*> told;
  Groups groups;
  for (const Tried& one : tried) {
    if (one.loss) {
      told.push_back(&one);
    } else {
      groups.bad.push_back(&one.point);
    }
  }
  std::ranges::stable_sort(told, {}, [](const Tried* one) { return *one->loss; });
  const auto share = static_cast<std::size_t>(std::ceil(kGoodShare * double(told.size())));
  const std::size_t good = std::min(share, kGoodMost);
  for (std::size_t i = 0; i < told.size(); ++i) {
    (i < good ? groups.good : groups.bad).push_back(&told[i]->point);
  }
  return groups;
}

// What a group took for one parameter; points in which it did not count say nothing.
std::vector<double> taken(const std::vector<const Point*>& group, std::size_t dimension) {
  std::vector<double> values;
  for (const Point* point : group) {
    if ((*point)[dimension]) values.push_back(*(*point)[dimension]);
  }
  return values;
}

// ---- numbers ----

struct Bump {
  double mean;
  double width;
};

// A mixture of bumps with the same weight, cut off where a uniform prior ends.
class Density {
 public:
  Density(const Recipe& recipe, std::vector<double> means) : recipe_(recipe) {
    const double span = recipe.is_normal ? 2 * recipe.second : recipe.second - recipe.first;
    const double middle = recipe.is_normal ? recipe.first : recipe.first + span / 2;
    const double prior = recipe.is_normal ? recipe.second : span;
    std::ranges::sort(means);
    const double least = span / std::min(100.0, 1.0 + double(means.size()));
    for (std::size_t i = 0; i < means.size(); ++i) {
      const double left = i > 0 ? means[i] - means[i - 1] : least;
      const double right = i + 1 < means.size() ? means[i + 1] - means[i] : least;
      bumps_.push_back({means[i], std::clamp(std::max(left, right), least, span)});
    }
    bumps_.push_back({middle, prior});
  }

  double draw(Dice& dice) const {
    const auto count = static_cast<double>(bumps_.size());
    const Bump& bump = bumps_[static_cast<std::size_t>(dice.share() * count)];
    const double low = below(bump, lowest());
    const double high = below(bump, highest());
    const double share = std::clamp(low + (high - low) * dice.share(), 1e-12, 1 - 1e-12);
    const double raw = bump.mean + bump.width * normal_quantile(share);
    return std::clamp(raw, lowest(), highest());
  }

  [[nodiscard]] double at(double raw) const {
    double sum = 0;
    for (const Bump& bump : bumps_) {
      const double away = (raw - bump.mean) / bump.width;
      const double mass = below(bump, highest()) - below(bump, lowest());
      sum += exp_of(-away * away / 2) / (bump.width * std::max(mass, 1e-12));
    }
    return sum / static_cast<double>(bumps_.size());
  }

 private:
  [[nodiscard]] double lowest() const {
    return recipe_.is_normal ? recipe_.first - 8 * recipe_.second : recipe_.first;
  }
  [[nodiscard]] double highest() const {
    return recipe_.is_normal ? recipe_.first + 8 * recipe_.second : recipe_.second;
  }
  static double below(const Bump& bump, double raw) {
    return normal_share((raw - bump.mean) / bump.width);
  }

  Recipe recipe_;
  std::vector<Bump> bumps_;
};

std::vector<double> raws_of(const Recipe& recipe, std::vector<double> values) {
  for (double& value : values) value = raw_of(recipe, value);
  return values;
}

double best_number(const Parameter& parameter, const Recipe& recipe,
                   const std::vector<double>& good, const std::vector<double>& bad, Dice& dice) {
  const Density of_good(recipe, raws_of(recipe, good));
  const Density of_bad(recipe, raws_of(recipe, bad));
  double best = 0;
  double best_ratio = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCandidates; ++i) {
    double value = finished(recipe, of_good.draw(dice));
    if (parameter.law == Law::randint) {
      value = std::clamp(value, 0.0, static_cast<double>(parameter.upper) - 1);
    }
    const double raw = raw_of(recipe, value);
    const double ratio = of_good.at(raw) / std::max(of_bad.at(raw), 1e-300);
    if (ratio <= best_ratio) continue;
    best_ratio = ratio;
    best = value;
  }
  return best;
}

// ---- choices ----

// How likely each option is: as if each had been taken once more than it was.
std::vector<double> likelihoods(std::size_t options, const std::vector<double>& taken) {
  std::vector<double> counts(options, 1.0);
  for (const double index : taken) counts[static_cast<std::size_t>(index)] += 1;
  for (double& count : counts) count /= static_cast<double>(options + taken.size());
  return counts;
}

double drawn_option(const Parameter& parameter, const std::vector<double>& good, Dice& dice) {
  const std::vector<double> likely = likelihoods(parameter.options.size(), good);
  double left = dice.share();
  std::size_t drawn = 0;
  while (drawn + 1 < likely.size() && left >= likely[drawn]) left -= likely[drawn++];
  return static_cast<double>(drawn);
}

}  // namespace

bool tried_enough(std::span<const Tried> tried) {
  const auto told =
      std::ranges::count_if(tried, [](const Tried& one) { return one.loss.has_value(); });
  return static_cast<std::size_t>(told) >= kFirst;
}

Point tpe_point(const Settings& settings, std::uint64_t trial, std::span<const Tried> tried) {
  const Groups groups = groups_of(tried);
  Dice dice(settings.sampling.seed, trial);
  return point_of(settings.space, [&](const Parameter& parameter, std::size_t dimension) {
    const std::vector<double> good = taken(groups.good, dimension);
    if (parameter.law == Law::choice) return drawn_option(parameter, good, dice);
    const Recipe recipe = recipe_of(parameter, settings.sampling.log_base);
    return best_number(parameter, recipe, good, taken(groups.bad, dimension), dice);
  });
}

}  // namespace muster::sweep
