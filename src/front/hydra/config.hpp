// The configuration file of mpiexec: further options; the command line takes precedence.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

// The words of each line, none for no file: that of -configfile, of HYDRA_CONFIG_FILE, or
// ~/.mpiexec.hydra.conf. Only the last one may be missing.
struct HydraConfig {
  std::string path;
  std::vector<std::vector<std::string>> lines;
  std::vector<base::Place> places;  // of each line
};
[[nodiscard]] base::Result<HydraConfig> read_hydra_config(const HydraDraft& draft);

}  // namespace muster::front
