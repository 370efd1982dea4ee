// Contents of a store that no snapshot names any more, and what killed processes left in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace muster::blobs {

using Hashes = std::unordered_set<std::string>;

// What the manifests in some records name.
struct Named {
  Hashes hashes = {};
  // Manifests that cannot be read: nobody knows what they name.
  std::vector<std::string> unread = {};
};

// Adds what the manifests in the folder of a record name, and in those of its steps.
void add_named(int records, const std::string& record, Named& named);

// Of all folders in that of the records, except some. Whoever starts a run has a hold on the store
// until its manifest lies there.
[[nodiscard]] Named all_named(int records, const std::set<std::string>& except = {});

struct StoreEntry {
  std::string path;  // in the store
  std::uint64_t bytes = 0;
  bool is_content = false;  // else what a killed process left
  std::string hash = {};
  std::chrono::sys_time<std::chrono::nanoseconds> used = {};
};

// All contents and leftovers of a store; `strange` gets what is neither.
[[nodiscard]] std::vector<StoreEntry> stored(int store, std::vector<std::string>& strange);

// A link that is in the place of its folder by now is not followed. False: errno says why.
[[nodiscard]] bool remove_stored(int store, const StoreEntry& entry);

struct Dropped {
  std::uint64_t contents = 0;
  std::uint64_t bytes = 0;  // of them
  std::uint64_t leftovers = 0;
  std::uint64_t leftover_bytes = 0;
  std::vector<std::string> strange = {};  // stays
  std::vector<std::string> unread = {};   // manifests: as long as there are any, all contents stay
};

struct DropRules {
  bool really = true;
  const Hashes* only = nullptr;       // contents; null: all that nobody names
  std::set<std::string> except = {};  // records that count as gone
};

// Of the store beside the records in a folder, which the caller holds alone.
[[nodiscard]] Dropped drop_unnamed(const std::string& records, const DropRules& rules);

}  // namespace muster::blobs
