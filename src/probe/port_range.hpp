// The ports from which a job's rendezvous port is chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::probe {

// Ports above 10000 outside the kernel's range for outgoing connections, given as the text of
// /proc/sys/net/ipv4/ip_local_port_range. When the range leaves none, all above 10000: a claimed
// port may then be taken by an outgoing connection, which is rare, and better than no port.
class PortRange {
 public:
  explicit PortRange(const std::string& kernels_range);
  [[nodiscard]] std::uint32_t size() const;
  [[nodiscard]] std::uint16_t at(std::uint32_t index) const;  // index below size()

 private:
  std::uint32_t below_;       // ports from the lowest up to the kernel's range
  std::uint32_t above_from_;  // first port after the kernel's range
};

}  // namespace muster::probe
