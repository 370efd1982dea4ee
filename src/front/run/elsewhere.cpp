// The options of mpirun, mpiexec, horovodrun, torchrun and srun that people bring along.
#include "front/run/elsewhere.hpp"

#include <array>

namespace muster::front {
namespace {

struct Foreign {
  std::string_view name;     // without dashes
  std::string_view instead;  // empty: there is no such need in muster
};

constexpr Foreign kForeign[] = {
    {"ppn", "--per-node"},
    {"perhost", "--per-node"},
    {"npernode", "--per-node"},
    {"nproc_per_node", "--per-node"},
    {"nproc-per-node", "--per-node"},
    {"ntasks-per-node", "--per-node"},
    {"ntasks", "-n"},
    {"c", "-n"},
    {"hosts", "-H"},
    {"nodelist", "-H"},
    {"f", "--hostfile"},
    {"machinefile", "--hostfile"},
    {"env", "-x"},
    {"genv", "-x"},
    {"wd", "--workdir"},
    {"chdir", "--workdir"},
    {"l", "--tag"},
    {"label", "--tag"},
    {"prepend-rank", "--tag"},
    {"tag-output", "--tag"},
    {"timestamp-output", "--timestamp"},
    {"output-filename", "--logs"},
    {"log_dir", "--logs"},
    {"log-dir", "--logs"},
    {"bynode", "--map-by node"},
    {"byslot", "--map-by slot"},
    {"bycore", "--map-by core"},
    {"bind-to-core", "--bind-to core"},
    {"bind-to-socket", "--bind-to package"},
    {"cpus-per-proc", "--map-by :PE=N"},
    {"local-ranks-filter", "--show"},
    {"display-map", "--dry-run"},
    {"do-not-launch", "--dry-run"},
    {"launcher-exec", "--ssh-command"},
    {"bootstrap-exec", "--ssh-command"},
    {"launch-agent", "--agent-path"},
    {"allow-run-as-root", ""},
    {"nooversubscribe", ""},
    {"mca", ""},
};

}  // namespace

std::string elsewhere(std::string_view name) {
  const std::size_t dashes = name.starts_with("--") ? 2 : 1;
  for (const Foreign& foreign : kForeign) {
    if (name.size() <= dashes || foreign.name != name.substr(dashes)) continue;
    if (foreign.instead.empty())
      return "leave it out, and its value if it has one: muster run needs no such option";
    return "muster run calls it " + std::string(foreign.instead);
  }
  return {};
}

}  // namespace muster::front
