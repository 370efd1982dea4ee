// Random bits of the system.
#include "app/nonce.hpp"

#include <fmt/format.h>
#include <random>

namespace muster::app {

std::string nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace muster::app
