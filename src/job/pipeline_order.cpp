// Follows the expressions of a pipeline's steps.
#include "job/pipeline_order.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <queue>

#include "base/nearest.hpp"
#include "job/binding.hpp"
#include "spec/quoted.hpp"

namespace muster::job {
namespace {

using spec::quoted;

// Which steps each one waits for, and which wait for it.
class Waits {
 public:
  explicit Waits(std::size_t steps) : needs_(steps) {}

  void add(std::size_t step, std::size_t needed) { needs_[step].push_back(needed); }

  // The steps, each after all that it waits for, otherwise as they are written; fewer when some
  // wait for one another.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::vector<std::size_t>> followers(needs_.size());
    std::vector<std::size_t> open(needs_.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      open[i] = needs_[i].size();
      for (const std::size_t needed : needs_[i]) followers[needed].push_back(i);
      if (open[i] == 0) ready.push(i);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      order.push_back(next);
      for (const std::size_t follower : followers[next]) {
        if (--open[follower] == 0) ready.push(follower);
      }
    }
    return order;
  }

  // Steps of which each waits for the next one, and the last for the first.
  [[nodiscard]] std::vector<std::size_t> circle(const std::vector<std::size_t>& order) const {
    std::vector<bool> done(needs_.size());
    for (const std::size_t step : order) done[step] = true;
    const auto is_open = [&](std::size_t step) { return !done[step]; };
    std::vector<std::size_t> trail;
    std::vector<bool> seen(needs_.size());
    std::size_t at = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
    for (; !seen[at]; at = *std::ranges::find_if(needs_[at], is_open)) {
      seen[at] = true;
      trail.push_back(at);
    }
    trail.erase(trail.begin(), std::ranges::find(trail, at));
    std::rotate(trail.begin(), std::ranges::min_element(trail), trail.end());
    return trail;
  }

 private:
  std::vector<std::vector<std::size_t>> needs_;
};

class Settler {
 public:
  Settler(Pipeline& pipeline, const ComponentFiles& files, Complaints& complaints)
      : pipeline_(pipeline), files_(files), complaints_(complaints), waits_(pipeline.steps.size()) {
    for (const Input& input : pipeline.head.inputs) inputs_.insert(input.name);
    for (const Output& output : pipeline.head.outputs) outputs_.insert(output.name);
  }

  void settle() {
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) step(i);
    begin_with_first();
    pipeline_.order = waits_.order();
    if (pipeline_.order.size() < pipeline_.steps.size()) tell_circle();
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  void step(std::size_t number) {
    const Step& step = pipeline_.steps[number];
    for (const Input& input : step.job.inputs) {
      if (input.bound) value(number, *input.value);
    }
    for (const Output& output : step.job.outputs) {
      if (output.bound) destination(*output.path);
    }
    for (const Later<JobFile>& later : step.later) {
      const Text text{later.node.text, later.node.begin, later.node.end, later.node.quoted};
      for (const Binding& piece : bindings_of(later.node.text)) {
        if (piece.parent) setting(text, piece);
      }
    }
  }

  void value(std::size_t number, const Text& text) {
    const std::vector<Binding> pieces = bindings_of(text.text);
    for (const Binding& piece : pieces) {
      if (complaints_.full()) return;  // finding their places takes a while
      if (piece.kind == Binding::Kind::literal) continue;
      if (piece.kind == Binding::Kind::input) {
        known_input(text, piece);
      } else if (piece.kind == Binding::Kind::step_output) {
        if (needs(number, text, piece) && pieces.size() > 1) {
          add(text, piece, fmt::format("{} must stand alone", quoted(piece.raw)),
              "what is to follow it belongs into the step's command");
        }
      } else {
        means_nothing(text, piece);
      }
    }
  }

  void setting(const Text& text, const Binding& piece) {
    if (piece.kind == Binding::Kind::input) {
      known_input(text, piece);
    } else {
      means_nothing(text, piece);
    }
  }

  void destination(const Text& text) {
    const std::vector<Binding> pieces = bindings_of(text.text);
    if (pieces.size() > 1 || pieces.front().kind != Binding::Kind::output) {
      return complaints_.add(text.begin,
                             fmt::format("{} is not where an output can go", quoted(text.text)),
                             "write ${{parent.outputs.NAME}}, or a path");
    }
    const std::string& name = pieces.front().name;
    if (!outputs_.contains(name)) {
      return add(text, pieces.front(), fmt::format("the pipeline has no output {}", quoted(name)),
                 hint(name, outputs_, "declare it below its outputs:"));
    }
    if (pipeline_.made.insert(name).second) return;
    add(text, pieces.front(), fmt::format("the output {} is made twice", quoted(name)),
        "give each step's output a name of its own below outputs:");
  }

  void known_input(const Text& text, const Binding& piece) {
    if (inputs_.contains(piece.name)) return;
    add(text, piece, fmt::format("the pipeline has no input {}", quoted(piece.name)),
        hint(piece.name, inputs_, "declare it below its inputs:"));
  }

  // Whether there is such an output.
  bool needs(std::size_t number, const Text& text, const Binding& piece) {
    const auto found = pipeline_.numbers.find(piece.step);
    if (found == pipeline_.numbers.end()) {
      add(text, piece, fmt::format("there is no step {}", quoted(piece.step)),
          nearest_step(piece.step));
      return false;
    }
    waits_.add(number, found->second);
    const Step& step = pipeline_.steps[found->second];
    if (step.broken) return true;
    if (std::ranges::find(step.job.outputs, piece.name, &Output::name) == step.job.outputs.end()) {
      Names outputs;
      for (const Output& output : step.job.outputs) outputs.insert(output.name);
      add(text, piece, fmt::format("the step {} has no output {}", step.name, quoted(piece.name)),
          hint(piece.name, outputs, "declare it below the step's outputs:"));
      return false;
    }
    if (step.pipeline == nullptr || step.pipeline->made.contains(piece.name)) return true;
    add(text, piece,
        fmt::format("no step of {} makes its output {}", step.name, quoted(piece.name)),
        fmt::format("one of them must have: outputs: NAME: ${{{{parent.outputs.{}}}}}",
                    piece.name));
    return false;
  }

  void begin_with_first() {
    const std::optional<Text>& first = pipeline_.head.flow.first;
    if (!first) return;
    const std::vector<Binding> pieces = bindings_of(first->text);
    const bool says_step = pieces.size() == 1 && pieces.front().kind == Binding::Kind::step;
    const std::string name = says_step ? pieces.front().step : first->text;
    const auto found = pipeline_.numbers.find(name);
    if (found == pipeline_.numbers.end()) {
      return complaints_.add(first->begin, fmt::format("there is no step {}", quoted(name)),
                             nearest_step(name));
    }
    for (std::size_t i = 0; i < pipeline_.steps.size(); ++i) {
      if (i != found->second) waits_.add(i, found->second);
    }
  }

  void tell_circle() {
    std::string names;
    const std::vector<std::size_t> circle = waits_.circle(pipeline_.order);
    for (const std::size_t step : circle) names += pipeline_.steps[step].name + " -> ";
    const Step& first = pipeline_.steps[circle.front()];
    complaints_.add(first.mark,
                    fmt::format("these steps wait for one another: {}", names + first.name),
                    "one of them must do without an output of the next");
  }

  void means_nothing(const Text& text, const Binding& piece) {
    const std::string why = piece.kind == Binding::Kind::wrong ? ": " + piece.name : "";
    add(text, piece, fmt::format("{} means nothing here{}", quoted(piece.raw), why),
        why.empty() ? "write ${{parent.inputs.NAME}} or ${{parent.jobs.STEP.outputs.NAME}}" : "");
  }

  std::string nearest_step(const std::string& typed) const {
    Names names;
    for (const Step& step : pipeline_.steps) names.insert(step.name);
    return hint(typed, names, "");
  }

  // Nobody mistypes one of thousands of names, and comparing with all of them takes a while.
  static std::string hint(const std::string& typed, const Names& names, std::string otherwise) {
    constexpr std::size_t kMost = 1000;
    if (names.size() > kMost) return otherwise;
    return base::did_you_mean(typed, std::vector<std::string>(names.begin(), names.end()),
                              std::move(otherwise));
  }

  void add(const Text& text, const Binding& piece, std::string what, std::string hint) {
    complaints_.add(files_.mark_of_part(text, piece.raw), std::move(what), std::move(hint));
  }

  Pipeline& pipeline_;
  const ComponentFiles& files_;
  Complaints& complaints_;
  Waits waits_;
  Names inputs_;
  Names outputs_;
};

}  // namespace

void settle(Pipeline& pipeline, const ComponentFiles& files, Complaints& complaints) {
  Settler(pipeline, files, complaints).settle();
}

}  // namespace muster::job
