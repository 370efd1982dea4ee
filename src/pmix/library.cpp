// dlopen, and one look-up for each function.
#include "pmix/library.hpp"

#include <dlfcn.h>

namespace muster::pmix {

namespace {

constexpr const char* kHint =
    "install PMIx 4 or newer on that host (Debian: apt-get install libpmix2), "
    "or start programs that are not MPI with muster run --wireup none";

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

}  // namespace

base::Result<Library> load_library(const char* soname) {
  void* handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return base::fail(base::Fault::cannot_start, kHint, "an MPI program needs PMIx: {}",
                      ::dlerror());
  }
  Library l;
  const bool all = find(handle, "PMIx_server_init", l.server_init) &&
                   find(handle, "PMIx_server_register_nspace", l.register_nspace) &&
                   find(handle, "PMIx_server_register_client", l.register_client) &&
                   find(handle, "PMIx_server_setup_fork", l.setup_fork) &&
                   find(handle, "PMIx_server_dmodex_request", l.dmodex_request) &&
                   find(handle, "PMIx_generate_regex", l.generate_regex) &&
                   find(handle, "PMIx_generate_ppn", l.generate_ppn) &&
                   find(handle, "PMIx_Data_pack", l.data_pack) &&
                   find(handle, "PMIx_Data_unpack", l.data_unpack) &&
                   find(handle, "PMIx_Notify_event", l.notify_event) &&
                   find(handle, "PMIx_Error_string", l.error_string) &&
                   find(handle, "PMIx_Get_version", l.get_version);
  if (!all) {
    return base::fail(base::Fault::cannot_start, kHint, "{} is too old: {}", soname, ::dlerror());
  }
  return l;
}

}  // namespace muster::pmix
