// Whose runs are on record, in a folder that several users write to, as one of mode 1777, or of a
// cluster that they share. What another user has put there is not done in this user's name.
#pragma once

#include <string>
#include <vector>

namespace muster::store {

// "uid 1001", of a record or of one that it lies in, or who began the run, as its mark says (see
// store/foreign.hpp); empty: all are this user's. Links do not count as what they lead to.
[[nodiscard]] std::string other_owner(const std::string& records, const std::string& folder);

// As run_names() has them.
[[nodiscard]] std::vector<std::string> own_run_names(const std::string& records);
// Of such names, those of this user's runs.
[[nodiscard]] std::vector<std::string> own_among(const std::string& records,
                                                 std::vector<std::string> names);

}  // namespace muster::store
