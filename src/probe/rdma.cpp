// Whether this machine has InfiniBand or RoCE adapters.
#include <filesystem>

#include "probe/probe.hpp"

namespace muster::probe {

// The kernel's folder of such devices is there, and empty, when only its module is loaded.
bool has_rdma(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator devices(folder, error);
  return !error && devices != std::filesystem::directory_iterator();
}

}  // namespace muster::probe
