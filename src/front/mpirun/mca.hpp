// MCA parameters, from wherever they come: they reach the ranks, and muster itself uses those that
// concern what it does.
#pragma once

#include "front/mpirun/draft.hpp"

namespace muster::front {

// -mca: for the program being read; the same key twice is an error (orte/mca/schizo/ompi).
[[nodiscard]] base::Result<void> set_parameter(MpirunDraft& draft, const Typed& typed);
// -gmca: for all programs.
[[nodiscard]] base::Result<void> set_global_parameter(MpirunDraft& draft, const Typed& typed);
// Parameters of PMIx, which ranks under muster do not read.
[[nodiscard]] base::Result<void> set_pmix_parameter(MpirunDraft& draft, const Typed& typed);
// -am, -tune: files with commas between.
[[nodiscard]] base::Result<void> read_tune_files(MpirunDraft& draft, const Typed& typed);
// -x NAME, NAME=VALUE, and PREFIX* of 5. A name that is not set is reported and left out, as in
// 4.1.
[[nodiscard]] base::Result<void> add_export(MpirunDraft& draft, const Typed& typed);

// Files of defaults, Debian's and those of $HOME/.openmpi and $HOME/.prte or the ones that
// mca_base_param_files names, then OMPI_MCA_* and PRTE_MCA_* of the launching environment: to be
// called before options are read, which win.
[[nodiscard]] base::Result<void> read_inherited_parameters(MpirunDraft& draft);

// plm_rsh_args, mca_base_env_list and --prefix, once all arguments are read.
[[nodiscard]] base::Result<void> settle_parameters(MpirunDraft& draft);

}  // namespace muster::front
