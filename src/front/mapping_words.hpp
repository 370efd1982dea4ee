// Open MPI's syntax for mapping, ranking and binding.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/table.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// What --map-by says beyond the mapping itself.
struct MapByWords {
  std::optional<bool> oversubscribe;  // :OVERSUBSCRIBE, :NOOVERSUBSCRIBE
  std::string rankfile;               // rankfile:file=PATH
};

// POLICY[:MODIFIERS], as Open MPI 4.1 (orte/mca/rmaps/base/rmaps_base_frame.c) and 5 (prrte
// src/mca/rmaps/base/rmaps_base_frame.c) read them: names by prefix, in any case, modifiers
// separated by ',' or ':'. ":PE=2" keeps the policy. Errors are Fault::usage.
[[nodiscard]] base::Result<MapByWords> read_map_by_words(const Typed& typed,
                                                         model::Mapping& mapping);

// slot, node, an object with :SPAN or :FILL (4.1); fill, span (5).
[[nodiscard]] base::Result<void> read_rank_by_words(const Typed& typed, model::Mapping& mapping);

// TARGET[:QUALIFIERS]; targets in full, in any case (opal/mca/hwloc/base/hwloc_base_frame.c).
// "default" and "gpu", which only muster has, bind as Open MPI does by default, and to the cores
// near a rank's GPU.
[[nodiscard]] base::Result<void> read_bind_to_words(const Typed& typed, model::Mapping& mapping);

// "0,2,4-7" of --cpu-set and of --cpu-list. Without --bind-to the latter is what ranks are bound to
// (opal/mca/hwloc/base/hwloc_base_frame.c).
[[nodiscard]] base::Result<void> read_cpu_set_words(const Typed& typed, model::Mapping& mapping);
[[nodiscard]] base::Result<void> read_cpu_list_words(const Typed& typed, model::Mapping& mapping);

// The rankfile of that path; nothing is done when the path is empty. Where nothing else names
// hosts, it does, with a slot for each of their lines.
[[nodiscard]] base::Result<void> read_rankfile_of(const Call& call, const std::string& path,
                                                  model::JobSpec& spec);

}  // namespace muster::front
