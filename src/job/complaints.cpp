// Gathers complaints and puts them in order.
#include "job/complaints.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace muster::job {

void Complaints::add(Mark mark, std::string what, std::string hint) {
  if (full()) return;
  all_.push_back(
      {base::Fault::bad_file, std::move(what), std::move(hint), {source_, mark.line, mark.column}});
}

void Complaints::add(std::vector<base::Error> more) {
  all_.insert(all_.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

std::vector<base::Error> Complaints::take() && {
  std::ranges::stable_sort(all_, {}, [](const base::Error& error) {
    return std::tuple(error.place.line, error.place.column);
  });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  return std::move(all_);
}

}  // namespace muster::job
