// Reads what Slurm tells each task of its step (srun.1, OUTPUT ENVIRONMENT VARIABLES).
#include "spec/step_place.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/head_above.hpp"
#include "spec/number.hpp"
#include "spec/slurm_words.hpp"

namespace muster::spec {
namespace {

using base::Fault;
using base::Result;
using model::StepPlace;

constexpr std::uint32_t kTasksMax = 1'000'000;

struct Step {
  const Variable& variable;

  [[nodiscard]] std::string_view text(const char* name) const {
    return variable(name).value_or(std::string_view());
  }

  // Its tasks are Flux's brokers, and muster is called in a job of theirs.
  [[nodiscard]] bool is_of_flux() const { return !text("FLUX_URI").empty(); }

  [[nodiscard]] bool has_terminal() const {
    return variable("SLURM_PTY_PORT") && text("SLURM_PROCID") == "0";
  }

  [[nodiscard]] bool has_several_tasks() const {
    const auto tasks = variable("SLURM_STEP_NUM_TASKS");
    return variable("SLURM_STEP_ID") && tasks && *tasks != "1" && !has_terminal();
  }

  [[nodiscard]] Result<std::uint32_t> number(const char* name, std::uint32_t least) const {
    return read_number(name, text(name), {least, kTasksMax}, Fault::usage);
  }

  [[nodiscard]] Result<std::vector<std::string>> hosts() const {
    return read_slurm_nodes(text("SLURM_STEP_NODELIST"), "SLURM_STEP_NODELIST");
  }

  [[nodiscard]] Result<void> check_one_each(std::size_t hosts) const {
    constexpr const char* kName = "SLURM_STEP_TASKS_PER_NODE";
    const auto counts = read_slurm_counts(text(kName), hosts, kName);
    // The list of hosts is then sorted, and does not tell where the tasks are.
    const bool is_in_order = text("SLURM_DISTRIBUTION") != "arbitrary";
    if (is_in_order && counts &&
        std::ranges::all_of(*counts, [](auto count) { return count == 1; }))
      return {};
    return base::fail(
        Fault::usage,
        fmt::format("start it once (in the batch script, or with srun -n 1), or once a host "
                    "(srun -N {0} -n {0} --ntasks-per-node=1 without -m arbitrary); with "
                    "localhost named as its only host, it keeps to this one",
                    hosts),
        "this muster is one of {} tasks of a Slurm step, and each would start all "
        "ranks",
        text("SLURM_STEP_NUM_TASKS"));
  }

  [[nodiscard]] Result<StepPlace> place() const {
    const auto names = hosts();
    if (!names) return tl::unexpected(names.error());
    const bool has_terminal = variable("SLURM_PTY_PORT").has_value();
    const auto fine = has_terminal ? Result<void>() : check_one_each(names->size());
    if (!fine) return tl::unexpected(fine.error());
    const auto tasks = number("SLURM_STEP_NUM_TASKS", 2);
    if (!tasks) return tl::unexpected(tasks.error());
    return number("SLURM_PROCID", 0).map([&](std::uint32_t own) {
      return StepPlace{fmt::format("{}.{}", text("SLURM_JOB_ID"), text("SLURM_STEP_ID")),
                       names->front(), *tasks, own, has_terminal};
    });
  }
};

}  // namespace

Result<std::optional<StepPlace>> step_place(const Variable& variable) {
  if (!variable || variable(model::kHeadAbove)) return std::nullopt;
  const Step step{variable};
  if (step.is_of_flux() || !step.has_several_tasks()) return std::nullopt;
  return step.place().map([](StepPlace place) { return std::optional(std::move(place)); });
}

}  // namespace muster::spec
