// Any bytes as the files of a pipeline, with a line of # between them: a graph in order, or
// complaints that each have their place in one of them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"

namespace {

using namespace muster;

// "p" is the first; the components are c1, c2 ...
std::vector<std::string> files_in(std::string_view text) {
  std::vector<std::string> files(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    if (line == "#\n") {
      files.emplace_back();
    } else {
      files.back() += line;
    }
    text.remove_prefix(end + 1);
  }
  return files;
}

void check_errors(const std::vector<base::Error>& errors) {
  for (const base::Error& error : errors) {
    CHECK(error.place.source == "p" || error.place.source.starts_with("c"));
    CHECK(!error.what.empty() && error.what.find('\n') == std::string::npos);
  }
}

void check_made(const job::GraphStep& step, const job::MadeBy& made) {
  CHECK(!made.empty());
  for (const job::StepOutput& one : made) {
    CHECK(std::ranges::binary_search(step.after, one.step));
  }
}

void check_graph(const job::Graph& graph) {
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const job::GraphStep& step = graph.steps[i];
    CHECK(std::ranges::is_sorted(step.after));
    CHECK(step.after.empty() || step.after.back() < i);
    for (const auto& [name, made] : step.inputs) check_made(step, made);
    for (const job::Condition& one : step.when) check_made(step, one.output);
    for (const job::Input& input : step.job.inputs) {
      CHECK(input.value || input.optional || step.inputs.contains(input.name));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> files = files_in(text);
  const auto read = [&](const std::string& path) -> base::Result<std::string> {
    for (std::size_t i = 1; i < files.size(); ++i) {
      if (path == "c" + std::to_string(i)) return files[i];
    }
    return base::fail(base::Fault::bad_file, "", "there is no such file");
  };
  const job::PipelineReading reading = job::read_pipeline(files.front(), "p", read);
  check_errors(reading.complaints);
  if (!reading.complaints.empty()) return 0;
  job::Complaints complaints(job::sources_of(reading.pipeline));
  const job::Graph graph =
      job::graph_of(reading.pipeline, {}, {"/base", "/here", "/out"}, complaints);
  if (complaints.empty()) check_graph(graph);
  check_errors(std::move(complaints).take());
  return 0;
}
