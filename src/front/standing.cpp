// Reads those variables.
#include "front/standing.hpp"

#include <algorithm>

#include "front/asked.hpp"
#include "front/values.hpp"

namespace muster::front {
namespace {

bool is_fake(const model::HostEntry& host) { return host.name.starts_with("fake-"); }

}  // namespace

std::optional<std::string> standing_hostfile(const Asked& asked, const model::JobSpec& spec) {
  const auto path = variable(asked, "AZUREML_MPI_HOSTFILE");
  const bool rehearses = spec.fake_nodes > 0;
  if (rehearses || !path || path->empty() || !variable(asked, kStartsRanks)) return std::nullopt;
  return std::string(*path);
}

base::Result<void> take_standing_reach(const Asked& asked, model::JobSpec& spec) {
  spec.fake_hosts = variable(asked, kFakeHosts) && std::ranges::all_of(spec.hosts, is_fake);
  const auto words = variable(asked, kSshCommand);
  if (!words || words->empty() || spec.carrier.command != model::CarrierSpec{}.command) return {};
  return read_words({kSshCommand, *words}).map([&](auto read) {
    spec.carrier.command = std::move(read);
  });
}

}  // namespace muster::front
