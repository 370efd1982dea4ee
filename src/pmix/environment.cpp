// The names follow the versions of the protocol; a client reads the newest that it knows.
#include "pmix/environment.hpp"

#include <fmt/format.h>

namespace muster::pmix {

std::string server_nspace(const std::string& nspace) { return nspace + "-server"; }

Variables client_variables(const ClientIdentity& client) {
  const std::string uri = fmt::format("{}.{};tcp4://127.0.0.1:{}", server_nspace(client.server),
                                      client.node, client.port);
  return {
      {"PMIX_NAMESPACE", client.nspace},
      {"PMIX_RANK", std::to_string(client.rank)},
      {"PMIX_SERVER_URI41", uri},
      {"PMIX_SERVER_URI4", uri},
      {"PMIX_SERVER_URI3", uri},
      {"PMIX_SERVER_URI21", uri},
      {"PMIX_SERVER_URI2", uri},
      {"PMIX_SECURITY_MODE", "native"},
      {"PMIX_BFROP_BUFFER_TYPE", "PMIX_BFROP_BUFFER_NON_DESC"},
      {"PMIX_GDS_MODULE", "hash"},
      {"PMIX_HOSTNAME", client.host},
      // Clients only ask whether their server is older than they are able to speak to.
      {"PMIX_VERSION", "4.2.2"},
      {"PMIX_SERVER_TMPDIR", client.scratch},
      {"PMIX_SYSTEM_TMPDIR", client.scratch},
  };
}

Variables open_mpi_variables(const ClientIdentity& client) {
  return {
      // The one sign of a direct launch that leaves no trace: without a sign, Open MPI 4 believes
      // itself alone, whatever PMIx says. OMPI_MCA_schizo=jsm would do too, but then no mpirun
      // inside a task takes its options.
      {"JSM_JSRUN_PORT", "1"},
      // Of the PMI libraries that might be there, only PMIx.
      {"OMPI_MCA_pmix", "^s1,s2,cray,isolated"},
      // Segments of killed ranks would stay in /dev/shm for ever.
      {"OMPI_MCA_btl_vader_backing_directory", client.scratch},
      {"OMPI_MCA_orte_tmpdir_base", client.scratch},
      {"OMPI_MCA_mpi_oversubscribe", client.crowded ? "1" : "0"},
  };
}

}  // namespace muster::pmix
