// Claims of cpus among the jobs of muster on one machine, as ports are claimed: by the names of
// abstract sockets, which are gone with the process that holds them, whatever kills it. Jobs in
// different network namespaces (most containers) do not see each other's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/cpu_set.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {

// Who holds which name, as far as this process must know. A cpu that one of our ancestors holds, as
// a launcher does that has bound us to it, is ours to hand on: its claims nest one level deeper.
class CpuNames {
 public:
  // `names`: text of /proc/net/unix. `inherited`: inodes of the sockets that ancestors hold.
  CpuNames(std::string_view names, std::set<std::uint64_t> inherited);
  [[nodiscard]] static CpuNames of_this_process();

  // The name by which a cpu is claimed here.
  [[nodiscard]] std::string name_of(std::uint32_t cpu) const;
  [[nodiscard]] bool is_taken(std::uint32_t cpu) const { return inodes_.contains(name_of(cpu)); }

 private:
  std::map<std::string, std::uint64_t, std::less<>> inodes_;  // of each name that is taken
  std::set<std::uint64_t> inherited_;
};

// Those of these cpus that other jobs of muster hold.
[[nodiscard]] model::CpuSet claimed_by_others(const model::CpuSet& cpus);

class CpuClaims {
 public:
  // Claims all of these that are not held yet, until this object goes. True unless another job
  // holds one of them: then nothing more is held than before. A claim that cannot be made for other
  // reasons (no descriptor is left) is done without: claims are advice.
  [[nodiscard]] bool claim(const model::CpuSet& cpus);

 private:
  std::map<std::uint32_t, process::UniqueFd> held_;
};

}  // namespace muster::probe
