// flux_job_around: the hosts of the Flux job, or instance, that muster runs in.
//
// flux-core doc/man7/flux-environment.rst: a batch script or a shell of `flux alloc` has FLUX_URI
// of an instance of its own, and no FLUX_JOB_ID; a task of `flux run` has both.
#include "model/agent_words.hpp"
#include "model/head_above.hpp"
#include "spec/flux_resources.hpp"
#include "spec/sources.hpp"

namespace muster::spec {
namespace {

using base::Result;
using Words = std::vector<std::string>;

// Its cores are slots, as for PRRTE (ras/flux).
std::uint32_t slots_of(const FluxHost& host, const HostForm& form) {
  const bool are_devices = form.slots == HostSlots::devices;
  return std::max(1U, are_devices ? host.gpus : host.cores);
}

std::vector<model::HostEntry> entries_of(const std::vector<FluxHost>& hosts,
                                         const std::string& command, const HostForm& form) {
  std::vector<model::HostEntry> entries;
  entries.reserve(hosts.size());
  for (const FluxHost& host : hosts) {
    model::HostEntry& one = entries.emplace_back();
    one.name = host.name;
    one.slots = slots_of(host, form);
    one.place.source = command;
    one.component = host.rank;
  }
  return entries;
}

// Each of them would start the job anew.
Result<void> check_alone(const Variable& variable) {
  const auto tasks = variable("FLUX_JOB_SIZE");
  if (!variable("FLUX_TASK_RANK") || !tasks || *tasks == "1") return {};
  return base::fail(base::Fault::usage,
                    "start it once (flux batch, flux alloc, or flux run -n 1); with localhost "
                    "named as its only host, it keeps to this one",
                    "this muster is one of {} tasks of a Flux job, and each would start all ranks",
                    *tasks);
}

}  // namespace

Words flux_question(const Variable& variable) {
  const std::string job(variable("FLUX_JOB_ID").value_or(""));
  // Nodes that are down are resources, too.
  if (job.empty()) return {"flux", "resource", "R", "--states=up"};
  return {"flux", "job", "info", job, "R"};
}

// flux-exec(1): the words are no shell's. The agent goes where its ranks are to start by itself.
BatchReach flux_reach() {
  const std::string lines(model::kSpeaksLines);
  return {.command = {"/proc/self/exe", "agent", std::string(model::kReadsLines), "/bin/sh", "-c",
                      R"(exec flux exec --rank="$1" --dir=/ /bin/sh -c "$2")", "flux exec"},
          .wrapper = {"/bin/sh", "-c", R"(exec "$@" )" + lines, "agent"},
          .by_component = true};
}

Result<std::optional<HostsFound>> flux_job_around(const HostQuery& asked) {
  if (!asked.variable || !asked.ask || asked.variable(model::kHeadAbove)) return std::nullopt;
  if (!asked.manager.empty()) return std::nullopt;
  if (asked.variable("FLUX_URI").value_or("").empty()) return std::nullopt;
  if (auto alone = check_alone(asked.variable); !alone) return tl::unexpected(alone.error());
  const Words question = flux_question(asked.variable);
  const std::string command = "flux " + question[1] + " " + question[2];
  return asked.ask(question)
      .and_then([&](const std::string& answer) { return read_flux_resources(answer, command); })
      .map([&](const std::vector<FluxHost>& hosts) {
        const auto job = asked.variable("FLUX_JOB_ID");
        return std::optional(HostsFound{model::kHostsOfFlux,
                                        job ? fmt::format("Flux job {}", *job) : "Flux instance",
                                        entries_of(hosts, command, asked.form)});
      });
}

}  // namespace muster::spec
