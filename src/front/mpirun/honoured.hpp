// The MCA parameters of mpirun's own work that muster has a meaning for.
#pragma once

#include <optional>
#include <string_view>

#include "front/mpirun/draft.hpp"

namespace muster::front {

// Carries the parameter out; nothing for one without a meaning here. Names of 4.1 ("orte_",
// "plm_rsh_") and of 5 ("prte_", "plm_ssh_") alike.
[[nodiscard]] std::optional<base::Result<void>> honour(MpirunDraft& draft, std::string_view key,
                                                       std::string_view value);

// Whether a parameter speaks to mpirun and its daemons rather than to the MPI library.
[[nodiscard]] bool is_of_the_launcher(std::string_view key);

// Whether Open MPI's mpirun, when it starts ranks, sets the parameter for them: found in the
// environment, it says nothing about what is started now (by trial, 4.1.4).
[[nodiscard]] bool is_of_another_launch(std::string_view key);

}  // namespace muster::front
