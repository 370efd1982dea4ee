// What processes that were killed left in a folder of records, and what in it is not muster's.
#pragma once

#include <string>
#include <vector>

namespace muster::store {

// In a record that has ended: its size. Whoever changes it later removes that.
inline constexpr std::string_view kBytesFile = ".bytes";

struct Leftovers {
  std::vector<std::string> paths = {};    // below the folder; each may be a folder itself
  std::vector<std::string> strange = {};  // by their names: nobody knows what they are
};

// `ended`: runs of which nothing is written any more. What others own counts as neither.
[[nodiscard]] Leftovers leftovers_in(const std::string& records,
                                     const std::vector<std::string>& ended);

// Whether a folder holds records, or at least what muster keeps beside them; an empty one may.
[[nodiscard]] bool is_of_records(const std::string& folder);

// What a record takes on the disk. That of one that has ended is looked up only once, unless
// `anew`.
[[nodiscard]] std::uint64_t record_bytes(int records, const std::string& run, bool has_ended,
                                         bool anew);

}  // namespace muster::store
