// HostForm: what a launcher asks of its hosts beyond what every list and every hostfile may hold.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/job_spec.hpp"

namespace muster::spec {

// Whether an entry says how many ranks fit on its host.
enum class HostSlots : std::uint8_t {
  optional,
  required,  // horovodrun
  devices,   // required, one for each device of the host (DeepSpeed)
};

// What a comma without a host before it means in a list that has hosts.
enum class EmptyEntry : std::uint8_t {
  mistake,
  nothing,  // mpirun, Hydra: "a,,b" is "a,b"
};

struct HostForm {
  std::string_view list_option = "-H";  // of a list, for reports
  HostSlots slots = HostSlots::optional;
  EmptyEntry empty_entry = EmptyEntry::mistake;
  bool each_once = false;  // a second entry for a host is an error, no further slots (DeepSpeed)
};

// `in_file`: entries are lines of a hostfile, NODE slots=N; otherwise words of a list, NODE:N.
[[nodiscard]] base::Result<void> check_form(const std::vector<model::HostEntry>& hosts,
                                            const HostForm& form, bool in_file);

}  // namespace muster::spec
