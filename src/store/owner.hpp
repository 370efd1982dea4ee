// Whose runs are on record, in a folder that several users write to, as one of mode 1777, or of a
// cluster that they share. What another user has put there is not done in this user's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

// "uid 1001", of a record or of one that it lies in, or who began the run, as its mark says (see
// store/foreign.hpp); empty: all are this user's. Links do not count as what they lead to.
[[nodiscard]] std::string other_owner(const std::string& records, const std::string& folder);

// Whether what muster keeps beside the records, `name` below `records`, is this user's alone: a
// folder, no link, to which no other user can add anything. Not: one that is not there.
[[nodiscard]] bool own_below(const std::string& records, std::string_view name);
// "PATH is not a folder of yours alone", of such a one that is not, or "PATH cannot be made".
[[nodiscard]] std::string not_own_below(const std::string& records, std::string_view name);

// As run_names() has them.
[[nodiscard]] std::vector<std::string> own_run_names(const std::string& records);
// Of such names, those of this user's runs.
[[nodiscard]] std::vector<std::string> own_among(const std::string& records,
                                                 std::vector<std::string> names);

}  // namespace muster::store
