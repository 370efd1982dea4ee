// Gathers the words of a plan, and prints them piece by piece.
#include "cli/dry_run.hpp"

#include <algorithm>
#include <unistd.h>

#include "cli/code.hpp"
#include "cli/recording.hpp"
#include "cli/speak.hpp"
#include "plan/environments.hpp"
#include "plan/plan.hpp"
#include "view/plan.hpp"

namespace muster::cli {
namespace {

// What the words or the job file set; what they leave to the launching shell is not told.
std::vector<model::Variable> set_by(const front::RunRequest& request, const plan::Forwarded& kept) {
  const bool of_file = request.keeps == front::Keeps::always;
  std::vector<model::Variable> set;
  for (const model::Variable& one : kept.kept) {
    if (one.why == kOfMlflow) set.push_back(one);
    if (one.why != "-x") continue;
    const bool is_ours = one.name.starts_with("MUSTER_");
    const bool is_secret = std::ranges::count(request.secrets, one.name) > 0;
    set.push_back({one.name, is_secret ? "<secret>" : one.value,
                   is_ours   ? "muster"
                   : of_file ? "job file"
                             : one.why});
  }
  return set;
}

// By its name, or by the value of a secret in it.
bool holds_secret(const front::RunRequest& request, const plan::Forwarded& kept,
                  const model::Variable& one) {
  const auto is_secret = [&](const std::string& name) {
    return std::ranges::count(request.secrets, name) > 0;
  };
  return is_secret(one.name) || std::ranges::any_of(kept.kept, [&](const model::Variable& known) {
           return is_secret(known.name) && !known.value.empty() &&
                  one.value.find(known.value) != std::string::npos;
         });
}

// The same of ranks that a launcher in the command starts: what the job sets is in its shell.
std::vector<model::Variable> set_in_job(const front::RunRequest& request,
                                        const plan::Forwarded& kept) {
  std::vector<model::Variable> set = set_by(*request.inner, kept);
  const bool of_file = request.keeps == front::Keeps::always;
  for (const model::Variable& one : kept.kept) {
    const bool is_of_job = std::ranges::any_of(
        request.spec.apps.front().exports,
        [&](const model::EnvSetting& said) { return said.name == one.name && !said.ours; });
    if (one.why == "-x" || !is_of_job || one.name.starts_with("MUSTER_")) continue;
    set.push_back({one.name, one.value, of_file ? "job file" : "-x"});
  }
  // The launcher's words may name them, or hold their values: mpirun -x TOKEN -x KEY=$TOKEN.
  for (model::Variable& one : set) {
    if (holds_secret(request, kept, one)) one.value = "<secret>";
  }
  std::ranges::sort(set, {}, &model::Variable::name);
  return set;
}

// The variables of a plan's ranks, as far as they are known before a host is contacted.
class Foreseen {
 public:
  // The job outlives this.
  Foreseen(const Prospect& job, const plan::SetBySomebody& set)
      : where_(foreseen_rendezvous(job)),
        all_({job.plan, where_, job.spec, name_}, job.kept, set) {}
  Foreseen(const Foreseen&) = delete;
  Foreseen& operator=(const Foreseen&) = delete;

  // Not beyond this.
  [[nodiscard]] view::EnvironmentWords words(bool one_rank) const {
    return {all_.common(), [this](base::Rank rank) { return all_.own(rank); }, one_rank};
  }

 private:
  const std::string name_ = "<random>";
  const plan::Rendezvous where_;
  const plan::Environments all_;
};

// Its ranks and their places.
view::PlanWords words_of(const Prospect& job) {
  return {job.spec, job.plan, [&](base::Rank rank) { return plan::reason(job.plan, rank); }};
}

// To stdout, until that takes no more.
int print_plan(const front::RunRequest& request, const view::PlanWords& words) {
  int code = 0;
  const auto take = [&](std::string_view piece) { return (code = print(piece)) == 0; };
  if (request.json) {
    view::plan_json(words, take);
  } else {
    view::plan_table(words, style_for(STDOUT_FILENO), take);
  }
  return code;
}

}  // namespace

int show_dry_run(const front::RunRequest& request, const Prospect& job,
                 const std::optional<Prospect>& inner) {
  view::PlanWords words = words_of(job);
  for (const auto& one : withheld(job)) words.withheld.emplace_back(one.name, one.why);
  if (request.record) words.outputs = request.record->outputs;
  if (request.record) words.names = request.record->names;
  if (copies_code(request, job, inner)) {
    auto code = look_at_code(request);
    if (!code) return complain(code.error());
    words.code = std::move(*code);
  }
  std::optional<view::PlanWords> launched;
  if (inner) words.inner = &launched.emplace(words_of(*inner));
  if (!request.show_environment) return print_plan(request, words);
  const Foreseen all(job, [&](const plan::Forwarded& kept) { return set_by(request, kept); });
  words.environment = all.words(request.shows_one_rank);
  if (!inner) return print_plan(request, words);
  const Foreseen of_launcher(
      *inner, [&](const plan::Forwarded& kept) { return set_in_job(request, kept); });
  launched->environment = of_launcher.words(request.shows_one_rank);
  return print_plan(request, words);
}

}  // namespace muster::cli
