// How the hosts of runs on record were reached, for the command lines that people are offered.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/record.hpp"

namespace muster::cli {

// Of the options by which hosts are reached: the hosts, as -H takes them beside these options.
using Ways = std::map<std::vector<std::string>, std::set<std::string>>;

// Adds these hosts of the run. What is on record of its command line is read once more, and
// nothing else: no file of now is looked at, and no program is asked. Of another user's run, whose
// words nobody should type unseen, and where the words tell nothing, hosts go without options.
void add_ways(const std::set<std::string>& hosts, const model::RunRecord& record, Ways& ways);

}  // namespace muster::cli
