// HwlocLibrary: libhwloc, loaded when it is wanted and not before; muster runs without it.
#pragma once

#include <hwloc.h>

#include "base/error.hpp"

namespace muster::helper {

// The functions of the library that we call, under their names without the prefix.
struct HwlocLibrary {
  decltype(&hwloc_topology_init) topology_init = nullptr;
  decltype(&hwloc_topology_set_xml) topology_set_xml = nullptr;
  decltype(&hwloc_topology_load) topology_load = nullptr;
  decltype(&hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&hwloc_topology_get_allowed_cpuset) get_allowed_cpuset = nullptr;
  decltype(&hwloc_get_type_depth) get_type_depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&hwloc_get_cpubind) get_cpubind = nullptr;
  decltype(&hwloc_bitmap_alloc) bitmap_alloc = nullptr;
  decltype(&hwloc_bitmap_free) bitmap_free = nullptr;
  decltype(&hwloc_bitmap_next) bitmap_next = nullptr;
};

// It stays loaded. The soname is that of all hwloc 2.
[[nodiscard]] base::Result<HwlocLibrary> load_hwloc(const char* soname = "libhwloc.so.15");

}  // namespace muster::helper
