// job_control: what PMIx_Job_control asks for, as PRRTE carries it out (prrte,
// src/prted/pmix/pmix_server_job_ctrl.c).
#pragma once

#include <cstddef>
#include <optional>
#include <pmix_server.h>

#include "pmix/values.hpp"

namespace muster::pmix {

// PMIX_JOB_CTRL_KILL, and PMIX_JOB_CTRL_TERMINATE without targets: the job ends, as it does
// wherever one of its ranks is killed. PMIX_JOB_CTRL_SIGNAL: the signal, to all ranks of the first
// target's namespace, or of all without targets. The first such directive counts; nothing: none is
// there.
[[nodiscard]] std::optional<Upcall> job_control(const pmix_proc_t& asker,
                                                const pmix_proc_t* targets, std::size_t count,
                                                const pmix_info_t* directives,
                                                std::size_t directive_count);

}  // namespace muster::pmix
