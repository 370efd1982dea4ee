// What the tests of pipelines share: files become a graph, and what it holds is read as text.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"

namespace muster::job {

using Files = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

inline PipelineReading read_all(const Files& files, const std::string& first = "p.yml") {
  return read_pipeline(files.at(first), first,
                       [&](const std::string& path) -> base::Result<std::string> {
                         const auto found = files.find(path);
                         if (found != files.end()) return found->second;
                         return base::fail(base::Fault::bad_file, "", "cannot read {}", path);
                       });
}

inline Texts told_in(const std::vector<base::Error>& errors) {
  Texts all;
  for (const base::Error& error : errors) all.push_back(to_string(error));
  return all;
}

struct Drawn {
  Graph graph;
  Texts complaints;
};

inline Drawn graph(const Files& files, const std::vector<Setting>& settings = {}) {
  const PipelineReading reading = read_all(files);
  EXPECT_EQ(told_in(reading.complaints), Texts{});
  if (!reading.complaints.empty()) return {};
  Complaints complaints(sources_of(reading.pipeline));
  Drawn laid;
  laid.graph = graph_of(reading.pipeline, settings, {"/base", "/here", "/out"}, complaints);
  laid.complaints = told_in(std::move(complaints).take());
  return laid;
}

inline Graph good_graph(const Files& files, const std::vector<Setting>& settings = {}) {
  Drawn laid = graph(files, settings);
  EXPECT_EQ(laid.complaints, Texts{});
  return std::move(laid.graph);
}

inline Texts names(const Graph& graph) {
  Texts all;
  for (const GraphStep& step : graph.steps) all.push_back(step.name);
  return all;
}

inline const GraphStep& step(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.steps, name, &GraphStep::name);
  EXPECT_NE(found, graph.steps.end()) << name;
  static const GraphStep kNone;
  return found == graph.steps.end() ? kNone : *found;
}

// "text" of a value, "step.output" of what another step makes, or "".
inline std::string input(const Graph& graph, const std::string& of, const std::string& name) {
  const GraphStep& one = step(graph, of);
  const auto made = one.inputs.find(name);
  if (made != one.inputs.end()) {
    EXPECT_EQ(made->second.size(), 1U);
    return graph.steps[made->second.front().step].name + ":" + made->second.front().output;
  }
  const auto found = std::ranges::find(one.job.inputs, name, &Input::name);
  if (found == one.job.inputs.end()) return "(none)";
  return found->value ? found->value->text : "";
}

}  // namespace muster::job
