// default_binding: what Open MPI binds to when nobody says.
#include "plan/binding.hpp"

namespace muster::plan {

using model::Level;

model::Mapping default_binding(model::Mapping mapping, std::uint64_t ranks, bool oversubscribed,
                               const Hardware& hardware) {
  if (mapping.bind_given || oversubscribed) return mapping;
  Level level = Level::core;
  if (mapping.cpus_per_rank > 1) {
    if (mapping.hwthread_cpus) level = Level::hwthread;
  } else if (mapping.map_given && mapping.map_by == model::MapBy::object) {
    level = mapping.level;
  } else if (ranks <= 2) {
    if (mapping.hwthread_cpus) level = Level::hwthread;
  } else if (!hardware.at(Level::numa).empty()) {
    level = Level::numa;
  } else if (!hardware.at(Level::package).empty()) {
    level = Level::package;
  } else {
    return mapping;
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
