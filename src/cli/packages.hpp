// give_packages: an environment of a job's packages on each of its hosts.
#pragma once

#include <optional>
#include <string>

#include "cli/cli.hpp"
#include "cli/prospect.hpp"
#include "model/report.hpp"

namespace muster::cli {

// Has each host make it, unless it is there, and its ranks find it first. Nothing: the job has what
// it needs.
[[nodiscard]] std::optional<model::RunReport> give_packages(const std::string& packages,
                                                            Prospect& job,
                                                            const std::optional<Prospect>& inner,
                                                            const Invocation& invocation);

// Where ranks of the job, and of a launcher in its command, may start: this machine once, as it is
// without a link, and hosts elsewhere.
[[nodiscard]] std::vector<model::Host> hosts_of(const Prospect& job,
                                                const std::optional<Prospect>& inner);

// Variables that the job gives its ranks, and that tools which fetch software want, too.
[[nodiscard]] std::vector<model::EnvSetting> settings_of_tools(const model::JobSpec& spec);

}  // namespace muster::cli
