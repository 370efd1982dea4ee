// The helper's answer comes as text.
#include "probe/topology.hpp"

#include "model/topology_text.hpp"
#include "process/helper_program.hpp"

namespace muster::probe {

base::Result<model::Topology> read_topology() {
  return process::ask_helper({"topology"}).and_then([](const std::string& text) {
    return model::decode_topology(text);
  });
}

}  // namespace muster::probe
