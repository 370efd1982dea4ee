// GraphValues: what the inputs of a pipeline and of its steps stand for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "job/binding.hpp"
#include "job/complaints.hpp"
#include "job/graph_parts.hpp"
#include "job/values.hpp"

namespace muster::job {

class GraphValues {
 public:
  // All of these outlive this.
  GraphValues(const PipelineFile& file, const std::vector<Setting>& settings, const Bases& bases,
              Complaints& complaints);

  // Of the whole pipeline.
  [[nodiscard]] Sources inputs();
  // Of a step, or of a text in it with expressions.
  [[nodiscard]] Source source_of(const Here& here, const Input& input);
  [[nodiscard]] Source source_in(const Level& level, const Text& text);
  // The step's keys with the values that inputs of its pipeline give them.
  [[nodiscard]] JobFile job_of(const Scope& scope, const Step& step);

  // Where outputs go. Of a nested pipeline, some go where one of the outer pipeline's outputs does.
  // `step`: whose outputs they are, by its whole name; empty: the pipeline's own.
  [[nodiscard]] OutputPaths paths_of(const JobFile& job, const std::string& step,
                                     const OutputPaths& outer);
  void set_path(const Scope& scope, const std::string& step, Output& output);

  // Of the file that a mark is in, or a step's.
  [[nodiscard]] std::string folder_of(std::uint32_t file) const;

  // Complains of settings that are for no input of these.
  void tell_unused(const std::vector<GraphStep>& steps);

 private:
  Source said(const Here& here, const Input& input);
  Source one_piece(const Level& level, const Binding& piece, Mark mark);
  void reach(const Here& here, const Input& input, Source& source);
  void tell_missing(const Here& here, const Input& input);
  const Setting* setting_of(const std::string& step, const std::string& input);
  [[nodiscard]] Text absolute(Text path, const std::string& step);

  const PipelineFile& file_;
  const Bases& bases_;
  Complaints& complaints_;
  std::vector<Setting> of_pipeline_;
  std::vector<Setting> of_steps_;
  std::set<std::string> used_;  // of these
};

}  // namespace muster::job
