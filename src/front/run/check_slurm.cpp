// Options of salloc that a run cannot have, or has by a name of its own.
#include "front/run/check_slurm.hpp"

#include <algorithm>
#include <array>

#include "model/job_spec.hpp"

namespace muster::front {
namespace {

using base::Fault;
using base::Result;
using SlurmOption = batch::Wish::Named;

struct Refused {
  std::string_view name;
  const char* instead;
};

// A run reads what salloc says, and ends with it.
constexpr std::array<Refused, 9> kRefused = {{
    {"no-shell", "hosts that outlive the run are held by salloc: call muster run in its job"},
    {"quiet", "muster reads what salloc says, and shows what matters"},
    {"kill-command", "muster gives it: ranks are ended in order when their hosts are taken away"},
    {"no-kill", "muster gives it: a host that is lost ends the run, which names it"},
    {"clusters", "call muster on a login node of that cluster"},
    {"chdir", "--workdir says where ranks start"},
    {"help", "salloc --help lists its options"},
    {"usage", "salloc --usage lists its options"},
    {"version", "salloc --version tells it"},
}};

// salloc takes the begin of a name for the whole.
Result<void> check_name(const SlurmOption& option) {
  const auto is_meant = [&](const Refused& one) { return one.name.starts_with(option.first); };
  const auto* const found = std::ranges::find_if(kRefused, is_meant);
  if (found == kRefused.end()) return {};
  return base::fail(Fault::usage, found->instead, "--slurm-option {} cannot be given",
                    option.first);
}

struct Twin {
  std::string_view name;
  const char* ours;
  bool is_given;
};

// muster's own word, if there is one as well.
const char* other_word(const RunDraft& draft, std::string_view name) {
  const model::JobSpec& spec = draft.request.spec;
  const std::array<Twin, 4> twins = {
      {{"nodes", "-N", draft.nodes.has_value()},
       {"ntasks", "-n", model::ranks_given(spec) > 0},
       {"ntasks-per-node", "--per-node", spec.per_node.has_value()},
       {"gpus-per-task", "--gpus-per-rank", spec.gpus_per_rank > 0}}};
  const auto is_meant = [&](const Twin& one) { return one.is_given && one.name == name; };
  const auto* const found = std::ranges::find_if(twins, is_meant);
  return found == twins.end() ? nullptr : found->ours;
}

Result<void> check_option(const RunDraft& draft, const SlurmOption& option) {
  constexpr const char* kHint = "keep one of them";
  if (const char* other = other_word(draft, option.first); other != nullptr) {
    return base::fail(Fault::usage, kHint, "{} and --slurm-option {} cannot be combined", other,
                      option.first);
  }
  if (std::ranges::count(draft.slurm_options, option.first, &SlurmOption::first) > 1) {
    return base::fail(Fault::usage, kHint, "{} is asked of Slurm more than once", option.first);
  }
  return check_name(option);
}

Result<void> check_options(const RunDraft& draft) {
  for (const SlurmOption& option : draft.slurm_options) {
    if (auto fine = check_option(draft, option); !fine) return fine;
  }
  return {};
}

}  // namespace

Result<void> check_slurm(const RunDraft& draft) {
  if (!draft.slurm && draft.nodes) {
    return base::fail(Fault::usage, "--per-node K is for ranks on each host, -n for all ranks",
                      "-N counts the nodes that --slurm asks for, and works only with it");
  }
  if (!draft.slurm && !draft.slurm_options.empty()) {
    return base::fail(Fault::usage, "add --slurm", "--{} works only with --slurm",
                      draft.slurm_options.front().first);
  }
  if (!draft.slurm) return {};
  if (!draft.hosts.empty() || draft.request.spec.fake_nodes > 0) {
    return base::fail(Fault::usage, "--slurm-option nodelist=node1,node2 asks for certain hosts",
                      "--slurm cannot be combined with -H, --hostfile or --fake-nodes");
  }
  if (draft.request.dry_run && draft.request.json) {
    return base::fail(Fault::usage, "without --json, --dry-run shows what Slurm would be asked",
                      "there is no plan before Slurm has given hosts");
  }
  return check_options(draft);
}

}  // namespace muster::front
