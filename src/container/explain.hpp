// Why there is no container, in the words of its runtime: made one line, with what to do.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "model/container.hpp"

namespace muster::container {

// How a runtime ended before muster ran in its container.
struct RuntimeEnd {
  std::int32_t code = 0;
  std::int32_t signal = 0;
  std::string errors;  // what it said on stderr, the end of it
  std::string noise;   // and on stdout
};

[[nodiscard]] base::Error explain(const model::ContainerSpec& spec, const RuntimeEnd& end);

// No runtime, or not the one that was asked for, is on the host.
[[nodiscard]] base::Error no_runtime(model::ContainerRuntime wanted);

}  // namespace muster::container
