// dlopen, and one look-up for each function.
#include "helper/hwloc_library.hpp"

#include <dlfcn.h>

namespace muster::helper {
namespace {

constexpr const char* kHint =
    "install hwloc 2 on that host (Debian: apt-get install libhwloc15), or map by slot or node "
    "and bind to none";

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

}  // namespace

base::Result<HwlocLibrary> load_hwloc(const char* soname) {
  void* handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return base::fail(base::Fault::cannot_start, kHint,
                      "mapping and binding by hardware need hwloc: {}", ::dlerror());
  }
  HwlocLibrary l;
  const bool all = find(handle, "hwloc_topology_init", l.topology_init) &&
                   find(handle, "hwloc_topology_set_xml", l.topology_set_xml) &&
                   find(handle, "hwloc_topology_load", l.topology_load) &&
                   find(handle, "hwloc_topology_destroy", l.topology_destroy) &&
                   find(handle, "hwloc_topology_get_allowed_cpuset", l.get_allowed_cpuset) &&
                   find(handle, "hwloc_get_type_depth", l.get_type_depth) &&
                   find(handle, "hwloc_get_nbobjs_by_depth", l.get_nbobjs_by_depth) &&
                   find(handle, "hwloc_get_obj_by_depth", l.get_obj_by_depth) &&
                   find(handle, "hwloc_get_cpubind", l.get_cpubind) &&
                   find(handle, "hwloc_bitmap_alloc", l.bitmap_alloc) &&
                   find(handle, "hwloc_bitmap_free", l.bitmap_free) &&
                   find(handle, "hwloc_bitmap_next", l.bitmap_next);
  if (!all) {
    return base::fail(base::Fault::cannot_start, kHint, "{} is too old: {}", soname, ::dlerror());
  }
  return l;
}

}  // namespace muster::helper
