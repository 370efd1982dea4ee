// On a host that does not see the head's records: the folders of runs that errands have made there.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace muster::cli {

// Says in the folder of a run that an errand made it, for a head on `owner`, and that it is used
// now.
void note_sent(const std::string& folder, const std::string& owner);

struct HostFolderRules {
  std::string owner = {};             // only those of heads there; empty: of all
  std::set<std::string> stay = {};    // runs
  std::set<std::string> go = {};      // runs that have ended: however young they are
  std::chrono::seconds untouched{0};  // of others, nothing was changed for so long
  bool really = true;
};

struct HostFolders {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Removes folders of runs, except those that a process has to do with, or that are records.
[[nodiscard]] HostFolders remove_host_folders(const std::string& records,
                                              const HostFolderRules& rules);

// What nobody has touched for so long goes by itself.
inline constexpr std::chrono::seconds kHostFoldersStay = std::chrono::days(7);

}  // namespace muster::cli
