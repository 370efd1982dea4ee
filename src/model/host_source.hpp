// HostSource: where the hosts of a job come from, as the properties that others ask for.
#pragma once

#include <string_view>

#include "model/carrier_called.hpp"
#include "model/carrier_opened.hpp"
#include "model/carrier_step.hpp"

namespace muster::model {

struct HostSource {
  std::string_view option = {};  // with which people give it: "-H"; empty: nobody has to
  bool has_list = false;         // without a list: this machine alone
  bool is_file = false;          // the list is the lines of a file
  Carrier carrier = kOpened;     // of its hosts other than this machine
  bool of_batch_job = false;     // nobody named them: a batch system gave them to the job around
  bool by_component = false;     // they are reached by their components, not by their names
  bool operator==(const HostSource&) const = default;
};

inline constexpr HostSource kHostsHere = {};
inline constexpr HostSource kHostsListed = {.option = "-H", .has_list = true};
inline constexpr HostSource kHostsInFile = {
    .option = "--hostfile", .has_list = true, .is_file = true};
// Their agents come to the head.
inline constexpr HostSource kHostsCalled = {.has_list = true, .carrier = kCalled};

// Those of the job of another batch system around.
inline constexpr HostSource kHostsGranted = {.has_list = true, .of_batch_job = true};
// Those of the Flux instance or job around.
inline constexpr HostSource kHostsOfFlux = {
    .has_list = true, .carrier = kOpened, .of_batch_job = true, .by_component = true};
// Those of the Slurm job around.
inline constexpr HostSource kHostsAllocated = {
    .has_list = true, .carrier = kStep, .of_batch_job = true};

}  // namespace muster::model
