// Hostfiles: the one that was typed, and that of the job around.
#include "spec/hosts.hpp"
#include "spec/sources.hpp"

namespace muster::spec {
namespace {

base::Result<std::optional<HostsFound>> in_file(const std::string& path, const HostQuery& asked) {
  return asked.read_file(path, kHostTextMax)
      .and_then([&](const std::string& text) { return read_hostfile(text, path); })
      .map([&](auto hosts) {
        return std::optional(HostsFound{model::kHostsInFile, path, std::move(hosts)});
      });
}

}  // namespace

base::Result<std::optional<HostsFound>> typed_hostfile(const HostQuery& asked) {
  if (asked.file.empty()) return std::nullopt;
  return in_file(asked.file, asked);
}

std::optional<std::string> path_around(const Variable& variable) {
  const auto path = variable(kHostfile);
  if (!path || path->empty() || !variable(kStartsRanks)) return std::nullopt;
  return std::string(*path);
}

base::Result<std::optional<HostsFound>> hostfile_around(const HostQuery& asked) {
  const auto path = asked.variable ? path_around(asked.variable) : std::nullopt;
  const bool counts = asked.manager.empty() || asked.manager == "user";
  if (!path || !counts) return std::nullopt;
  return in_file(*path, asked);
}

}  // namespace muster::spec
