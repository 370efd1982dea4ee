// hwloc's objects as plain values.
#include "helper/topology.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include "helper/hwloc_library.hpp"

namespace muster::helper {
namespace {

using base::Fault;
using model::CpuSet;
using model::Level;

// hwloc's kind for each Level, in the order of Level.
constexpr hwloc_obj_type_t kKinds[] = {HWLOC_OBJ_PU,      HWLOC_OBJ_CORE,    HWLOC_OBJ_L1CACHE,
                                       HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_NUMANODE,
                                       HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE};
static_assert(std::size(kKinds) == model::kLevels);

// One loaded topology of hwloc.
class Loaded {
 public:
  explicit Loaded(const HwlocLibrary& hwloc) : hwloc_(hwloc) { hwloc_.topology_init(&topology_); }
  ~Loaded() {
    if (topology_ != nullptr) hwloc_.topology_destroy(topology_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  [[nodiscard]] bool load(const char* xml_file) {
    if (topology_ == nullptr) return false;
    if (xml_file != nullptr && hwloc_.topology_set_xml(topology_, xml_file) != 0) return false;
    return hwloc_.topology_load(topology_) == 0;
  }

  [[nodiscard]] model::Topology values() const {
    model::Topology result;
    for (std::size_t level = 0; level < model::kLevels; ++level) {
      const int depth = hwloc_.get_type_depth(topology_, kKinds[level]);
      const unsigned count = hwloc_.get_nbobjs_by_depth(topology_, depth);
      for (unsigned i = 0; i < count; ++i) {
        const hwloc_obj_t object = hwloc_.get_obj_by_depth(topology_, depth, i);
        CpuSet cpus = set_of(object->cpuset);
        // A package whose cpus a cgroup takes away stays for the sake of its memory.
        if (cpus.empty() && object->type != HWLOC_OBJ_NUMANODE) continue;
        result.objects[level].push_back(std::move(cpus));
        if (object->type != HWLOC_OBJ_NUMANODE) continue;
        result.numa_bytes.push_back(object->attr->numanode.local_memory);
      }
    }
    result.allowed =
        set_of(hwloc_.get_allowed_cpuset(topology_)) & result.at(Level::machine).front();
    return result;
  }

  // Where this process may run; nothing when the kernel does not say.
  [[nodiscard]] CpuSet affinity() const {
    const hwloc_bitmap_t bitmap = hwloc_.bitmap_alloc();
    if (bitmap == nullptr) return {};
    CpuSet set;
    if (hwloc_.get_cpubind(topology_, bitmap, HWLOC_CPUBIND_PROCESS) == 0) set = set_of(bitmap);
    hwloc_.bitmap_free(bitmap);
    return set;
  }

 private:
  [[nodiscard]] CpuSet set_of(hwloc_const_bitmap_t bitmap) const {
    CpuSet set;
    for (int cpu = hwloc_.bitmap_next(bitmap, -1);
         cpu >= 0 && cpu < static_cast<int>(model::kCpusMax);
         cpu = hwloc_.bitmap_next(bitmap, cpu)) {
      set.add(static_cast<std::uint32_t>(cpu));
    }
    return set;
  }

  const HwlocLibrary& hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace

base::Result<model::Topology> read_topology() {
  const auto hwloc = load_hwloc();
  if (!hwloc) return tl::unexpected(hwloc.error());
  Loaded loaded(*hwloc);
  if (!loaded.load(nullptr)) {
    return base::fail(Fault::internal, {}, "hwloc cannot read this machine: {}",
                      std::strerror(errno));
  }
  model::Topology topology = loaded.values();
  const CpuSet ours = topology.allowed & loaded.affinity();
  if (!ours.empty()) topology.allowed = ours;
  return topology;
}

base::Result<model::Topology> read_recorded_topology(const std::string& xml_file) {
  const auto hwloc = load_hwloc();
  if (!hwloc) return tl::unexpected(hwloc.error());
  Loaded loaded(*hwloc);
  if (!loaded.load(xml_file.c_str())) {
    return base::fail_at({xml_file, 0, 0}, Fault::bad_file, "lstopo writes such files",
                         "hwloc cannot read it as a recorded machine: {}", std::strerror(errno));
  }
  return loaded.values();
}

}  // namespace muster::helper
