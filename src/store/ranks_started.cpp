// Reads on where it stopped.
#include "store/ranks_started.hpp"

#include "store/reader.hpp"
#include "view/record_json.hpp"

namespace muster::store {

bool RanksStarted::look(Allowance& left) {
  if (have_) return true;
  const process::UniqueFd events = open_events(folder_);
  if (!events) return false;
  std::vector<std::string> lines;
  (void)lines_.read(events.get(), left, lines);
  for (const std::string& line : lines) {
    have_ = have_ || view::time_of_event(line, "running").has_value();
  }
  return have_;
}

}  // namespace muster::store
