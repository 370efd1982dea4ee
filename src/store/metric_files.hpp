// MLflow's file store: what a trial has newly reported of one metric, and all that a run has
// logged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "sweep/metric_text.hpp"

namespace muster::store {

// A file that grows, and how far it has been read.
class GrowingFile {
 public:
  // The lines that are whole since the last call.
  [[nodiscard]] std::vector<std::string> read_new(int file);
  // A last line without an end.
  [[nodiscard]] std::string rest() { return lines_.rest(); }

 private:
  std::int64_t read_ = 0;  // bytes
  sweep::GrowingLines lines_;
};

// Of one rank; those of a run that does not say which made it come after all others.
struct RankReport {
  std::uint64_t rank = 0;
  sweep::Report report;
  bool operator==(const RankReport&) const = default;
};

class MetricFiles {
 public:
  // The folder that MLFLOW_TRACKING_URI names, which need not be there yet. Scripts write to it:
  // nothing outside of it is read, wherever links in it lead.
  MetricFiles(std::string folder, std::string metric);

  // What has been added since the last call, of all runs in the folder, in the order of ranks and
  // of time. Files are read on from where they were left.
  [[nodiscard]] std::vector<RankReport> read_new();

 private:
  struct Run {
    std::uint64_t rank = 0;
    GrowingFile metric = {};
  };
  void read_run(const std::string& run, std::vector<RankReport>& out);

  std::string folder_;
  std::string metric_;
  std::map<std::string, Run> runs_;  // that have the metric, by their paths
};

// The last value of each metric, and the parameters, by name; of what several ranks have logged,
// the lowest one's. `folder` as above; of more names than a person reads, some are left out.
[[nodiscard]] model::Logged logged_in(const std::string& folder);

}  // namespace muster::store
