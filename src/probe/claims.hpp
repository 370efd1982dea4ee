// Claims of cpus and devices among the jobs of muster on one machine, as ports are claimed: by the
// names of abstract sockets, which are gone with the process that holds them, whatever kills it.
// Jobs in different network namespaces (most containers) do not see each other's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/cpu_set.hpp"
#include "model/inventory.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {

// Who holds which name, as far as this process must know. What one of our ancestors holds, as a
// launcher does that has bound us to a cpu, is ours to hand on: its claims nest one level deeper.
class ClaimNames {
 public:
  // `names`: text of /proc/net/unix. `inherited`: inodes of the sockets that ancestors hold.
  ClaimNames(std::string_view names, std::set<std::uint64_t> inherited);
  [[nodiscard]] static ClaimNames of_this_process();

  // The name by which a thing ("cpu-3", as `claim_of` calls devices) is claimed here.
  [[nodiscard]] std::string name_of(std::string_view thing) const;
  // The inode of the socket by which somebody holds it, or what it is a part of
  // ("device-nvidia-0000:00:06.0" of ".../7/0"), or a part of it.
  [[nodiscard]] std::optional<std::uint64_t> holder_of(std::string_view thing) const;
  [[nodiscard]] bool is_taken(std::string_view thing) const { return holder_of(thing).has_value(); }

 private:
  std::map<std::string, std::uint64_t, std::less<>> inodes_;  // of each name that is taken
  std::set<std::uint64_t> inherited_;
};

// What a job claims on this machine.
struct Claimed {
  model::CpuSet cpus = {};
  std::vector<model::Devices> devices = {};
};

// Those of these cpus that other jobs of muster hold.
[[nodiscard]] model::CpuSet claimed_by_others(const model::CpuSet& cpus);

// Those of these devices that other jobs of muster hold, with their holders; makers of whom they
// hold none are left out. `listing`: as in DeviceNames. Without it a part of a GPU may seem free
// that is not; whoever claims it then finds out.
[[nodiscard]] std::vector<model::Devices> claimed_by_others(std::span<const model::Devices> devices,
                                                            const std::string& listing = {});

class Claims {
 public:
  // Claims all of these that are not held yet, until this object goes. True unless another job
  // holds one of them, or a part of one: then nothing more is held than before. A claim that cannot
  // be made for other reasons (no descriptor is left) is done without: claims are advice.
  [[nodiscard]] bool claim(const Claimed& wanted, const std::string& listing = {});

 private:
  [[nodiscard]] bool holds_of(std::string_view thing) const;

  std::map<std::string, process::UniqueFd, std::less<>> held_;  // by thing
};

}  // namespace muster::probe
