// The names of levels.
#include "front/levels.hpp"

#include <algorithm>
#include <span>

namespace muster::front {
namespace {

using model::Level;

struct NamedLevel {
  std::string_view name;
  Level level;
};

// In the order in which Open MPI tries prefixes.
constexpr NamedLevel kLevels[] = {
    {"core", Level::core},       {"l1cache", Level::l1cache},   {"l2cache", Level::l2cache},
    {"l3cache", Level::l3cache}, {"socket", Level::package},    {"numa", Level::numa},
    {"board", Level::machine},   {"hwthread", Level::hwthread}, {"package", Level::package}};

// What Hydra knows besides.
constexpr NamedLevel kHydraLevels[] = {{"machine", Level::machine},  {"l1dcache", Level::l1cache},
                                       {"l1ucache", Level::l1cache}, {"l2dcache", Level::l2cache},
                                       {"l2ucache", Level::l2cache}, {"l3dcache", Level::l3cache},
                                       {"l3ucache", Level::l3cache}};

std::optional<Level> find_level(std::span<const NamedLevel> levels, std::string_view word) {
  const auto found = std::ranges::find(levels, word, &NamedLevel::name);
  return found == levels.end() ? std::nullopt : std::optional(found->level);
}

}  // namespace

std::optional<Level> level_by_prefix(std::string_view word) {
  for (const NamedLevel& known : kLevels) {
    if (known.name.starts_with(word)) return known.level;
  }
  return std::nullopt;
}

std::optional<Level> level_in_full(std::string_view word) { return find_level(kLevels, word); }

std::optional<Level> hydra_level(std::string_view word) {
  const auto level = find_level(kLevels, word);
  return level ? level : find_level(kHydraLevels, word);
}

}  // namespace muster::front
