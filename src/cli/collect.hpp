// muster gc: removes what nobody needs any more beside the records, and, when told how much may
// stay, the oldest records.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/retention.hpp"
#include "view/collection.hpp"

namespace muster::cli {

struct CollectRules {
  model::Bounds bounds = {};
  bool dry_run = false;
  bool measures_anew = true;  // else what was measured once is believed
  std::string spared = {};    // a run whose record may not go
  // Hears how far it is: a piece of work, how many are done, and of how many.
  std::function<void(std::string_view work, std::size_t done, std::size_t all)> told = {};
};

// In such a folder of records, which must be there.
[[nodiscard]] view::Collection collect_in(const std::string& records, const CollectRules& rules);

// A run has ended: the oldest records go while all take more than MUSTER_RECORDS_BUDGET says, but
// never its own. Nothing is looked up without that.
void keep_to_budget(const std::string& record, const std::vector<std::string>& environment);

// The command.
[[nodiscard]] int collect(const std::string& records, const front::RecordRequest& request,
                          const Invocation& invocation);

}  // namespace muster::cli
