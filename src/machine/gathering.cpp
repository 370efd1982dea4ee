// Numbers nodes and finds contradictions.
#include "machine/gathering.hpp"

#include <algorithm>

#include "view/first_few.hpp"

namespace muster::machine {

using base::fail;
using base::Fault;

Gathering::Gathering(std::uint32_t nodes, bool numbered, const Company& company)
    : company_(company), numbered_(numbered), there_(nodes) {
  if (!company_.called) there_.front() = wire::Join{};
}

base::Result<std::uint32_t> Gathering::admit(wire::Join join) {
  if (join.protocol != wire::kProtocol) {
    return fail(Fault::unreachable, "install the same muster on every node",
                "muster {} there speaks protocol {}, {} {}", join.version, join.protocol,
                company_.head, wire::kProtocol);
  }
  if (auto fine = check_kind(join); !fine) return tl::unexpected(fine.error());
  const bool is_told = !company_.called || join.nodes != 0;
  if (is_told && join.nodes != there_.size()) {
    return fail(Fault::usage, std::string(company_.same_count),
                "it was started for {} {}s, {} for {}", join.nodes, company_.each, company_.head,
                there_.size());
  }
  return number_of(join).map([&](std::uint32_t node) {
    there_[node] = std::move(join);
    return node;
  });
}

base::Result<void> Gathering::check_kind(const wire::Join& join) const {
  if (join.called == company_.called) return {};
  if (join.called) {
    return fail(Fault::usage, "start the job there as it was started here",
                "muster join has been started there, which brings no ranks; here a job waits for "
                "nodes of its own");
  }
  return fail(Fault::usage, "start muster join there",
              "a job has been started there; here muster lead waits for hosts");
}

base::Result<std::uint32_t> Gathering::number_of(const wire::Join& join) const {
  if (!numbered_ || !join.node) {
    const auto vacant = std::ranges::find(there_, false, &std::optional<wire::Join>::has_value);
    if (vacant != there_.end()) return static_cast<std::uint32_t>(vacant - there_.begin());
    return fail(Fault::usage, "", "all {} {}s have already joined", there_.size(), company_.each);
  }
  if (*join.node >= there_.size()) {
    return fail(Fault::usage, fmt::format("{}s are numbered from 0", company_.each),
                "there is no {} {}: {} has {} {}s", company_.each, *join.node,
                company_.called ? company_.head : "the job", there_.size(), company_.each);
  }
  if (!there_[*join.node]) return *join.node;
  return fail(Fault::usage, std::string(company_.other_number), "{} {} has already joined{}",
              company_.each, *join.node,
              *join.node < first() ? "" : ": " + there_[*join.node]->hostname);
}

bool Gathering::complete() const {
  return std::ranges::all_of(there_, [](const auto& one) { return one.has_value(); });
}

std::vector<std::uint32_t> Gathering::missing() const {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t node = 0; node < there_.size(); ++node) {
    if (!there_[node]) missing.push_back(node);
  }
  return missing;
}

std::string Gathering::missing_in_words() const { return nodes_in_words(missing(), company_.each); }

std::string nodes_in_words(const std::vector<std::uint32_t>& nodes, std::string_view each) {
  return fmt::format("{}{} {}", each, nodes.size() == 1 ? "" : "s",
                     view::first_few(nodes.size(), [&](std::size_t i) { return nodes[i]; }));
}

}  // namespace muster::machine
