// Any bytes as a topology: one that writes and reads itself again, or one complaint.
#include <cstdint>

#include "base/check.hpp"
#include "model/topology_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using muster::model::decode_topology;
  const auto topology = decode_topology({reinterpret_cast<const char*>(data), size});
  if (!topology) {
    CHECK(topology.error().what.find('\n') == std::string::npos);
    return 0;
  }
  const auto again = decode_topology(encode(*topology));
  CHECK(again && *again == *topology);
  return 0;
}
