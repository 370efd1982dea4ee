// hydra_sets: Hydra's sets of cpus, in the order in which local ranks take them.
#include <algorithm>
#include <numeric>

#include "plan/binding.hpp"

namespace muster::plan {
namespace {

using model::CpuSet;
using model::Level;

std::vector<CpuSet> sets_at(const Hardware& hardware, Level level) {
  std::vector<CpuSet> sets;
  for (const Hardware::Object& object : hardware.at(level)) sets.push_back(object.set);
  return sets;
}

base::Result<std::vector<CpuSet>> some_at(const Hardware& hardware, Level level,
                                          const std::string& host) {
  std::vector<CpuSet> sets = sets_at(hardware, level);
  if (!sets.empty()) return sets;
  return base::fail(base::Fault::usage, {}, "{} has no {} to bind to", host, model::name_of(level));
}

// `width` objects in a row from `first` on, going round.
CpuSet some_of(const std::vector<CpuSet>& objects, std::size_t first, std::size_t width) {
  CpuSet set;
  for (std::size_t i = 0; i < width; ++i) set |= objects[(first + i) % objects.size()];
  return set;
}

// A place that ranks are dealt to in turn, with the objects that ranks there are bound to in turn.
struct Place {
  std::vector<CpuSet> objects;
  std::size_t next = 0;
};

// `inside`: the objects within the place; else all of them, as one may need more than the place
// has. The first is that of the place's first cpus.
Place place_of(const CpuSet& cpus, const CpuSet& first, const std::vector<CpuSet>& objects,
               bool inside) {
  Place place;
  for (const CpuSet& object : objects) {
    if (!inside || object.within(cpus)) place.objects.push_back(object);
  }
  const auto is_first = [&](const CpuSet& object) { return object.meets(first); };
  std::rotate(place.objects.begin(), std::ranges::find_if(place.objects, is_first),
              place.objects.end());
  return place;
}

tl::unexpected<base::Error> too_wide(const std::string& host, Level level, std::size_t have,
                                     std::size_t want) {
  return base::fail(base::Fault::usage, {}, "{} has {} {} object{}, fewer than the {} requested",
                    host, have, model::name_of(level), have == 1 ? "" : "s", want);
}

tl::unexpected<base::Error> none_inside(const std::string& host, Level map, Level bind) {
  return base::fail(base::Fault::usage, {}, "on {} a {} does not lie within a {}", host,
                    model::name_of(bind), model::name_of(map));
}

}  // namespace

base::Result<std::vector<CpuSet>> hydra_sets(const Hardware& hardware,
                                             const model::Mapping& mapping,
                                             const std::string& host) {
  const bool mapped = mapping.map_by == model::MapBy::object;
  const Level map_level = mapped ? mapping.level : mapping.bind_level;
  const std::size_t map_width = mapped ? mapping.map_width : mapping.bind_width;
  const auto maps = some_at(hardware, map_level, host);
  if (!maps) return tl::unexpected(maps.error());
  const auto binds = some_at(hardware, mapping.bind_level, host);
  if (!binds) return tl::unexpected(binds.error());
  if (map_width > maps->size()) return too_wide(host, map_level, maps->size(), map_width);
  const std::size_t width = std::min<std::size_t>(mapping.bind_width, binds->size());
  // Widths in objects are compared as shares of the machine: bind < map.
  const bool inside = width * maps->size() < map_width * binds->size();
  std::vector<Place> places;
  std::size_t rounds = 1;
  const std::size_t count = std::lcm(maps->size(), map_width) / map_width;
  for (std::size_t i = 0; i < count; ++i) {
    const CpuSet& first = (*maps)[i * map_width % maps->size()];
    places.push_back(place_of(some_of(*maps, i * map_width, map_width), first, *binds, inside));
    const std::size_t own = places.back().objects.size();
    if (own == 0) return none_inside(host, map_level, mapping.bind_level);
    if (inside) rounds = std::max(rounds, std::lcm(own, width) / width);
  }
  std::vector<CpuSet> sets;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Place& place : places) {
      sets.push_back(some_of(place.objects, place.next, width));
      place.next += width;
    }
  }
  return sets;
}

}  // namespace muster::plan
