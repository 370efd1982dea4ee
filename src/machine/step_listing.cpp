// Reads a listing line by line.
#include "machine/step_listing.hpp"

#include <algorithm>

#include "spec/slurm_words.hpp"

namespace muster::machine {
namespace {

struct Step {
  std::string_view id;
  std::string_view name;
  std::string_view hosts;
};

Step step_in(std::string_view line) {
  const std::size_t first = line.find('|');
  const std::size_t last = line.rfind('|');
  if (first == last) return {};  // one bar or none
  return {line.substr(0, first), line.substr(first + 1, last - first - 1), line.substr(last + 1)};
}

bool is_on(const Step& step, std::string_view host) {
  const auto hosts = spec::read_slurm_nodes(step.hosts, "squeue");
  return hosts && std::ranges::count(*hosts, host) > 0;
}

bool is_slurms(const Step& step) {
  return step.id.ends_with(".batch") || step.id.ends_with(".extern") ||
         step.id.ends_with(".interactive");
}

}  // namespace

std::optional<std::vector<std::string>> holders_of(std::string_view host, std::string_view listing,
                                                   std::string_view own) {
  std::vector<std::string> holders;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\n'), listing.size());
    const Step step = step_in(listing.substr(0, end));
    listing.remove_prefix(std::min(end + 1, listing.size()));
    if (step.id.empty() || is_slurms(step) || !is_on(step, host)) continue;
    if (step.name == own) return std::nullopt;
    holders.push_back(fmt::format("{} ({})", step.id, step.name));
  }
  return holders;
}

}  // namespace muster::machine
