// What pipelines come to: tests/golden/data/pipeline/NAME/pipeline.yml gives NAME.txt, its steps or
// all that is wrong with it.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "golden/golden.hpp"
#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"

namespace muster::golden {
namespace {

namespace fs = std::filesystem;

const std::string kPipelines = MUSTER_SOURCE_DIR "/tests/golden/data/pipeline/";

std::vector<std::string> pipeline_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kPipelines)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// Paths in complaints are those below the pipeline's folder.
base::Result<std::string> file_below(const std::string& folder, const std::string& path) {
  std::ifstream file(folder + path);
  if (!file) return base::fail(base::Fault::bad_file, "", "there is no file {}", path);
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string in_words(std::vector<base::Error> errors) {
  std::string text;
  for (const base::Error& error : errors) text += to_string(error) + "\n";
  return text;
}

std::string in_words(const job::Graph& graph, const job::MadeBy& made) {
  std::string text;
  for (const job::StepOutput& output : made) {
    text += (text.empty() ? "" : " or ") + graph.steps[output.step].name + ":" + output.output;
  }
  return text;
}

std::string in_words(const job::Graph& graph, const job::GraphStep& step) {
  std::string text = fmt::format("{} in {}", step.name, step.folder);
  for (const std::size_t before : step.after) text += " after " + graph.steps[before].name;
  for (const job::Condition& one : step.when) {
    text += fmt::format(" if {} is {}", in_words(graph, one.output), one.is);
  }
  text += "\n";
  if (step.job.command) text += "  $ " + step.job.command->text + "\n";
  if (step.job.parallel) text += "  calls " + step.job.parallel->script->text + "\n";
  if (step.job.target) text += "  on " + step.job.target->text + "\n";
  if (!step.job.frameworks.empty()) {
    text += fmt::format("  on {} nodes, {} processes each\n",
                        step.job.nodes ? step.job.nodes->number : 1,
                        step.job.per_node ? step.job.per_node->number : 1);
  }
  for (const job::Input& input : step.job.inputs) {
    const auto made = step.inputs.find(input.name);
    const std::string value = input.value ? input.value->text : "(none)";
    const std::string from = made == step.inputs.end() ? value : in_words(graph, made->second);
    text += fmt::format("  {} <- {}{}\n", input.name, from,
                        input.mode ? " (" + input.mode->text + ")" : "");
  }
  for (const job::Output& output : step.job.outputs) {
    text += fmt::format("  {} -> {}\n", output.name, output.path ? output.path->text : "(record)");
  }
  return text;
}

std::string in_words(const job::Graph& graph) {
  std::string text = fmt::format("{} {}, on {}, {} after failures, {} steps\n", graph.name,
                                 graph.experiment, graph.target ? graph.target->text : "any",
                                 graph.goes_on ? "goes on" : "ends", graph.steps.size());
  for (const job::GraphStep& step : graph.steps) text += in_words(graph, step);
  for (const job::GraphOutput& output : graph.outputs) {
    text += fmt::format("output {} = {}\n", output.name, in_words(graph, output.from));
  }
  return text;
}

class GoldenPipeline : public testing::TestWithParam<std::string> {};

TEST_P(GoldenPipeline, Is) {
  const std::string folder = kPipelines + GetParam() + "/";
  const auto read = [&](const std::string& path) { return file_below(folder, path); };
  const job::PipelineReading reading =
      job::read_pipeline(*read("pipeline.yml"), "pipeline.yml", read);
  std::string said = in_words(reading.complaints);
  for (const std::string& notice : reading.notices) said += "notice: " + notice + "\n";
  if (reading.complaints.empty()) {
    job::Complaints complaints(job::sources_of(reading.pipeline));
    const job::Graph graph =
        job::graph_of(reading.pipeline, {}, {"/jobs", "/here", "/out"}, complaints);
    said += in_words(std::move(complaints).take()) + in_words(graph);
  }
  expect_golden("pipeline/" + GetParam() + ".txt", said);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPipeline, testing::ValuesIn(pipeline_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace muster::golden
