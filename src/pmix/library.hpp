// Library: libpmix, loaded when it is wanted and not before; muster runs without it.
#pragma once

#include <pmix.h>
#include <pmix_server.h>
#include <string>

#include "base/error.hpp"

namespace muster::pmix {

// The functions of the library that we call, under their names without the prefix.
struct Library {
  decltype(&PMIx_server_init) server_init = nullptr;
  decltype(&PMIx_server_register_nspace) register_nspace = nullptr;
  decltype(&PMIx_server_register_client) register_client = nullptr;
  decltype(&PMIx_server_setup_fork) setup_fork = nullptr;
  decltype(&PMIx_server_dmodex_request) dmodex_request = nullptr;
  decltype(&PMIx_generate_regex) generate_regex = nullptr;
  decltype(&PMIx_generate_ppn) generate_ppn = nullptr;
  decltype(&PMIx_Data_pack) data_pack = nullptr;
  decltype(&PMIx_Data_unpack) data_unpack = nullptr;
  decltype(&PMIx_Notify_event) notify_event = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;
  decltype(&PMIx_Get_version) get_version = nullptr;
};

// The same library for the rest of the process; it cannot be unloaded once its threads have run.
// Debian's package with that soname, which is the same from PMIx 3 to 6, is libpmix2.
[[nodiscard]] base::Result<Library> load_library(const char* soname = "libpmix.so.2");

}  // namespace muster::pmix
