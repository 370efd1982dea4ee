// elsewhere: what to write here for an option that another launcher has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::front {

enum class Launcher : std::uint8_t { run, mpirun, hydra, torch, horovod, deepspeed, srun };

// A hint such as "-genv is an option of mpiexec.hydra: mpirun calls it -x NAME=VALUE", or nothing
// for a name that no other launcher has. `name` is without any =VALUE; one dash or two make no
// difference.
[[nodiscard]] std::string elsewhere(std::string_view name, Launcher here);

// The same for a Grammar.
template <Launcher Here>
[[nodiscard]] std::string elsewhere_of(std::string_view name) {
  return elsewhere(name, Here);
}

}  // namespace muster::front
