// answer_queries: what PMIx_Query_info asks beyond the data that the library itself keeps.
#pragma once

#include <cstddef>
#include <pmix_server.h>

namespace muster::pmix {

// MPI 4 sessions ask for process sets (Open MPI 5, ompi/instance/instance.c; the types of the
// answers as in PRRTE, src/prted/pmix/pmix_server_queries.c). Calls back at once, or returns
// PMIX_ERR_NOT_SUPPORTED when none of the keys is known.
[[nodiscard]] pmix_status_t answer_queries(const pmix_query_t* queries, std::size_t count,
                                           pmix_info_cbfunc_t call, void* given);

}  // namespace muster::pmix
