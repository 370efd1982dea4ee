// The order of the steps of a pipeline against a naive twin.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"
#include "job/waits.hpp"

namespace muster::job::job_pipeline_order_test {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;  // who waits for whom

struct Steps {
  std::size_t number = 0;
  Edges edges;
};

Steps random_steps(bool with_circles) {
  Steps steps;
  steps.number = *rc::gen::inRange<std::size_t>(1, 12);
  const std::size_t edges = *rc::gen::inRange<std::size_t>(0, 25);
  // Steps are not written in the order in which they run.
  std::vector<std::size_t> rank(steps.number);
  for (std::size_t i = 0; i < steps.number; ++i) rank[i] = (i * 7 + 3) % 13;
  for (std::size_t i = 0; i < edges; ++i) {
    const auto a = *rc::gen::inRange<std::size_t>(0, steps.number);
    const auto b = *rc::gen::inRange<std::size_t>(0, steps.number);
    if (with_circles || rank[a] > rank[b]) steps.edges.emplace_back(a, b);
  }
  return steps;
}

// Looks at all steps again for each place of the order.
std::vector<std::size_t> naive_order(const Steps& steps) {
  std::vector<std::size_t> order;
  const auto is_done = [&](std::size_t step) { return std::ranges::count(order, step) > 0; };
  for (std::size_t step = 0; step < steps.number; ++step) {
    const bool open = !is_done(step) && std::ranges::all_of(steps.edges, [&](const auto& edge) {
      return edge.first != step || is_done(edge.second);
    });
    if (!open) continue;
    order.push_back(step);
    step = std::size_t(-1);  // from the first one again
  }
  return order;
}

Waits waits_of(const Steps& steps) {
  Waits waits(steps.number);
  for (const auto& [step, needed] : steps.edges) waits.add(step, needed);
  return waits;
}

RC_GTEST_PROP(JobPipelineOrder, IsThatOfItsTwin, ()) {
  const Steps steps = random_steps(true);
  RC_ASSERT(waits_of(steps).order() == naive_order(steps));
}

RC_GTEST_PROP(JobPipelineOrder, WhatHasNoneIsACircle, ()) {
  const Steps steps = random_steps(true);
  const Waits waits = waits_of(steps);
  const std::vector<std::size_t> order = waits.order();
  if (order.size() == steps.number) return;
  const std::vector<std::size_t> circle = waits.circle(order);
  RC_ASSERT(!circle.empty());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const std::pair edge(circle[i], circle[(i + 1) % circle.size()]);
    RC_ASSERT(std::ranges::count(steps.edges, edge) > 0);
  }
}

std::string text_of(const Steps& steps) {
  std::string text = "type: pipeline\njobs:\n";
  for (std::size_t i = 0; i < steps.number; ++i) {
    text += fmt::format("  s{}: {{command: x, outputs: {{o: }}, inputs: {{", i);
    for (std::size_t edge = 0; edge < steps.edges.size(); ++edge) {
      if (steps.edges[edge].first != i) continue;
      text += fmt::format("i{}: \"${{{{parent.jobs.s{}.outputs.o}}}}\", ", edge,
                          steps.edges[edge].second);
    }
    text += "}}\n";
  }
  return text;
}

RC_GTEST_PROP(JobPipelineOrder, GraphsHaveItToo, ()) {
  const Steps steps = random_steps(false);
  const PipelineReading reading = read_pipeline(text_of(steps), "p", nullptr);
  RC_ASSERT(reading.complaints.empty());
  Complaints complaints(sources_of(reading.pipeline));
  const Graph graph = graph_of(reading.pipeline, {}, {"/b", "/h", "/o"}, complaints);
  RC_ASSERT(complaints.empty());
  const std::vector<std::size_t> order = naive_order(steps);
  RC_ASSERT(graph.steps.size() == order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    RC_ASSERT(graph.steps[i].name == fmt::format("s{}", order[i]));
    for (const std::size_t needed : graph.steps[i].after) RC_ASSERT(needed < i);
    for (const auto& [name, made] : graph.steps[i].inputs) {
      const auto& edge = steps.edges[std::stoul(name.substr(1))];
      RC_ASSERT(made.size() == 1);
      RC_ASSERT(graph.steps[made.front().step].name == fmt::format("s{}", edge.second));
    }
  }
}

}  // namespace
}  // namespace muster::job::job_pipeline_order_test
