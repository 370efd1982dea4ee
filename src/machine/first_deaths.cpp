// Joins the hosts' first deaths.
#include "machine/first_deaths.hpp"

#include <algorithm>
#include <csignal>
#include <tuple>

#include "base/check.hpp"

namespace muster::machine {

using base::Instant;

void FirstDeaths::add(Death death) {
  const bool is_sooner =
      death.told && (!told_first_ || death.told->latest < told_first_->told->latest);
  if (is_sooner) told_first_ = death;
  if (std::ranges::find(of_host_, death.node, &Death::node) != of_host_.end()) return;
  of_host_.push_back(std::move(death));
}

std::vector<const Death*> FirstDeaths::first() const {
  if (of_host_.empty()) return {};
  if (!std::ranges::all_of(of_host_, [](const Death& one) { return one.when.has_value(); })) {
    return {&of_host_.front()};
  }
  const auto latest = [](const Death& death) { return death.when->latest; };
  const Instant over = latest(*std::ranges::min_element(of_host_, {}, latest));
  std::vector<const Death*> found;
  for (const Death& death : of_host_) {
    if (death.when->earliest - kNoticeTime <= over) found.push_back(&death);
  }
  std::ranges::sort(found, {}, [](const Death* death) {
    return std::tuple(-death->exit.exit_code(), death->exit.rank.value);
  });
  const Death* cause = who_told_before(*found.front());
  return cause == nullptr ? found : std::vector{cause};
}

const Death* FirstDeaths::who_told_before(const Death& first) const {
  if (!told_first_ || told_first_->exit.rank == first.exit.rank) return nullptr;
  const Instant told = told_first_->told->latest;
  if (first.told) return told < first.told->earliest ? &*told_first_ : nullptr;
  const bool gave_up = first.exit.signal == SIGABRT && first.when;
  return gave_up && told < first.when->earliest - kNoticeTime ? &*told_first_ : nullptr;
}

std::chrono::microseconds FirstDeaths::spread(const std::vector<const Death*>& deaths) {
  CHECK(deaths.size() > 1);  // then all their times are known
  Instant earliest = Instant::max(), latest = Instant::min();
  for (const Death* death : deaths) {
    CHECK(death->when);
    earliest = std::min(earliest, death->when->earliest - kNoticeTime);
    latest = std::max(latest, death->when->latest);
  }
  return std::chrono::ceil<std::chrono::microseconds>(latest - earliest);
}

}  // namespace muster::machine
