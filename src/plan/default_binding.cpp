// default_binding: what Open MPI binds to if it is not told.
#include <optional>

#include "plan/binding.hpp"

namespace muster::plan {

using model::Level;

namespace {

std::optional<Level> widest(const Hardware& hardware) {
  for (const Level level : {Level::numa, Level::package}) {
    if (!hardware.at(level).empty()) return level;
  }
  return std::nullopt;
}

}  // namespace

model::Mapping default_binding(model::Mapping mapping, std::uint64_t ranks, bool oversubscribed,
                               const Hardware& hardware) {
  const bool listed =
      mapping.map_by == model::MapBy::rankfile || mapping.map_by == model::MapBy::pe_list;
  if (mapping.bind_given || oversubscribed || listed) return mapping;
  const bool by_object = mapping.map_given && mapping.map_by == model::MapBy::object;
  const bool by_cpu = mapping.cpus_per_rank > 1 || (!by_object && ranks <= 2);
  Level level = mapping.hwthread_cpus ? Level::hwthread : Level::core;
  if (!by_cpu) {
    const std::optional<Level> wider = by_object ? mapping.level : widest(hardware);
    if (!wider) return mapping;
    level = *wider;
  }
  if (!mapping.map_given) {
    mapping.map_by = model::MapBy::object;
    mapping.level = level;
  }
  mapping.bind_to = model::BindTo::object;
  mapping.bind_level = level;
  return mapping;
}

}  // namespace muster::plan
