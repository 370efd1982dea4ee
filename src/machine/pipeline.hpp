// Pipeline: which step runs when and on which hosts, and what becomes of the others when one fails.
//
//   waiting ──steps before it are done, slots are free──▶ running ──▶ completed, reused
//      │  ▲                                                  ├──▶ failed ──attempts are left──┐
//      │  └──────────────────────────────────────────────────┼────────────────────────────────┘
//      │                                                     └──▶ stopped
//      ├──a condition does not hold, or a step before it was left out──▶ left out
//      └──a step before it did not complete, or the pipeline ends──▶ blocked
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/step.hpp"

namespace muster::machine {

struct PipelineInput {
  std::vector<model::PlannedStep> steps;  // each after all that it waits for
  std::vector<std::uint32_t> slots;       // of each host; none is 0
  std::uint32_t at_once = 0;              // steps that may run at the same time; 0: any number
  bool goes_on = true;                    // after a failure, with what does not depend on it
  std::set<std::size_t> skipped = {};     // left out because the user says so
  bool operator==(const PipelineInput&) const = default;
};

// What a step gets of a host.
struct HostShare {
  std::size_t host = 0;
  std::uint32_t slots = 0;
  bool operator==(const HostShare&) const = default;
};

struct StartStep {
  std::size_t step = 0;
  std::uint32_t attempt = 0;  // 0: the first
  std::vector<HostShare> hosts;
  std::vector<std::size_t> chosen = {};  // of each of PlannedStep::any_of the one that counts
  bool operator==(const StartStep&) const = default;
};
struct StopStep {
  std::size_t step = 0;
  bool operator==(const StopStep&) const = default;
};
// It is over without having run.
struct StepOver {
  std::size_t step = 0;
  model::StepState state = model::StepState::blocked;
  std::optional<std::size_t> because;  // the step before it that decided; none: the user did
  bool operator==(const StepOver&) const = default;
};
// Every step is over. The last effect.
struct PipelineOver {
  bool operator==(const PipelineOver&) const = default;
};
using PipelineEffect = std::variant<StartStep, StopStep, StepOver, PipelineOver>;
using PipelineEffects = std::vector<PipelineEffect>;

// How a step ended that was started.
struct StepEnd {
  model::StepState state = model::StepState::completed;  // or reused, failed, stopped
  std::map<std::string, bool> says = {};                 // outputs that conditions ask for
  bool operator==(const StepEnd&) const = default;
};

class Pipeline {
 public:
  // Every step fits: it needs no more nodes than there are hosts that it may use.
  explicit Pipeline(PipelineInput input);

  void begin(PipelineEffects& out);
  void ended(std::size_t step, const StepEnd& end, PipelineEffects& out);
  // The user wants the pipeline to end; once more: steps are told again.
  void interrupt(PipelineEffects& out);

  [[nodiscard]] bool is_over() const { return over_ == steps_.size(); }
  // The first that failed or was stopped by itself, in time.
  [[nodiscard]] std::optional<std::size_t> culprit() const { return culprit_; }
  // Asserts what holds between two events; takes time, so only tests ask.
  void check() const;
  bool operator==(const Pipeline&) const = default;

 private:
  struct Step {
    model::StepState state = model::StepState::waiting;
    std::size_t awaited = 0;            // steps before it that are not over
    std::optional<std::size_t> barred;  // the first step before it that keeps it from running
    model::StepState bar = model::StepState::blocked;  // what it becomes then
    std::uint32_t attempt = 0;
    std::vector<HostShare> hosts;  // while it runs
    std::vector<std::size_t> chosen;
    std::map<std::string, bool> says;
    bool operator==(const Step&) const = default;
  };

  void settle(std::size_t step, model::StepState state, PipelineEffects& out);
  // Those that wait for a step that is over learn of it; those that it bars are over as well.
  void spread(std::size_t step, PipelineEffects& out);
  void hear(std::size_t step, std::size_t before);
  void bar(std::size_t step, std::size_t before, model::StepState as);
  [[nodiscard]] bool is_one_of_several(std::size_t step, std::size_t before) const;
  [[nodiscard]] std::optional<std::size_t> first_done(const std::vector<std::size_t>& steps) const;
  void choose(std::size_t step);
  void close(std::size_t step, PipelineEffects& out);
  void decide(std::size_t step, PipelineEffects& out);
  void weigh(std::size_t step, const model::StepCondition& condition);
  void start_what_fits(PipelineEffects& out);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::size_t hosts_of(const model::PlannedStep& step) const;
  [[nodiscard]] std::vector<HostShare> room_for(const model::PlannedStep& step) const;
  void start(std::size_t step, std::vector<HostShare> hosts, PipelineEffects& out);
  void give_back(Step& step);
  void end_all(PipelineEffects& out);
  void close_at_end(std::size_t step, PipelineEffects& out);

  PipelineInput input_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::size_t>> later_;  // index: step; those that wait for it
  std::vector<std::uint32_t> used_;              // index: host; slots
  std::set<std::size_t> ready_;
  std::set<std::size_t> running_;
  std::size_t over_ = 0;
  bool ending_ = false;       // only a step that runs anyway still starts
  bool interrupted_ = false;  // nor does that
  std::optional<std::size_t> culprit_;
};

}  // namespace muster::machine
