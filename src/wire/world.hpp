// World: what all hosts of a world need to know, encoded once for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/meeting_point.hpp"
#include "model/plan.hpp"

namespace muster::wire {

struct NameValue {
  std::string name;
  std::string value;
  bool operator==(const NameValue&) const = default;
};

// Variables of an app's ranks that muster does not make: indexes in World::variables, ascending.
struct KeptIndexes {
  std::vector<std::uint32_t> from_shell;  // of the launching shell
  std::vector<std::uint32_t> added;       // by the rank that spawned them; laid over the others
  bool operator==(const KeptIndexes&) const = default;
};

[[nodiscard]] inline model::JobSpec without_apps() {
  model::JobSpec spec;
  spec.apps.clear();
  return spec;
}

// From this and from its own Prepare, each agent makes the environments of its ranks with the
// functions of `plan` that a dry run uses.
struct World {
  std::uint32_t number = 1;  // as in model::World
  base::Rank first;          // likewise
  std::string job;           // as in Hello
  // Only the names of exports; nothing about hosts, or about what only the head does.
  model::JobSpec spec = without_apps();
  model::Plan plan;  // its ranks count from 0; of hosts names and slots, and no bindings
  std::vector<KeptIndexes> kept;     // index: app
  std::vector<NameValue> variables;  // each once; sorted

  model::MeetingPoint point;
  std::vector<std::uint16_t> rank_ports;  // index: rank; empty: they need none

  std::string kvs;      // name of its PMI key-value space
  std::string mapping;  // PMI_process_mapping
  std::string nspace;   // its name for PMIx; empty: AddJob tells of it, or there is no PMIx
  std::string spawner;  // `kvs` of the world that spawned this one; empty: none
  std::vector<NameValue> preput;  // what the key-value space holds from the start
  std::uint32_t window = 0;       // first credit of each output stream, bytes
  bool operator==(const World&) const = default;
};

}  // namespace muster::wire
