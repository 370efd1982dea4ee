// Gathers complaints and puts them in order.
#include "job/complaints.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace muster::job {

std::uint32_t Complaints::add_source(std::string source) {
  sources_.push_back(std::move(source));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

void Complaints::add(Mark mark, std::string what, std::string hint) {
  if (full()) return;
  const std::string& source = sources_[mark.file < sources_.size() ? mark.file : 0];
  all_.push_back(
      {base::Fault::bad_file, std::move(what), std::move(hint), {source, mark.line, mark.column}});
}

void Complaints::add(std::vector<base::Error> more) {
  all_.insert(all_.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

std::vector<base::Error> Complaints::take() && {
  std::map<std::string, std::size_t> number;
  for (const std::string& source : sources_) number.try_emplace(source, number.size());
  std::ranges::stable_sort(all_, {}, [&](const base::Error& error) {
    const auto file = number.try_emplace(error.place.source, number.size()).first->second;
    return std::tuple(file, error.place.line, error.place.column);
  });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  return std::move(all_);
}

}  // namespace muster::job
