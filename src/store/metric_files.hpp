// MLflow's file store: what a trial has newly reported of one metric, and all that a run has
// logged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "store/folder_search.hpp"
#include "store/growing_file.hpp"
#include "sweep/metric_text.hpp"

namespace muster::store {

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
  // of time: as much as the allowance is for. Files are read on from where they were left.
  [[nodiscard]] std::vector<RankReport> read_new(Allowance& left);
  // There was more than an allowance was for.
  [[nodiscard]] bool has_more() const { return has_more_; }
  // Nothing is added any more that counts; until has_more() is false, there may be some to read.
  void end();
  // Bytes that came faster than they could be read.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  struct Run {
    std::uint64_t rank = 0;
    bool has_ended = false;
    GrowingFileLines metric = {};
  };
  void note(const std::string& run);
  [[nodiscard]] bool read_run(const std::string& path, Run& run, Allowance& left,
                              std::vector<RankReport>& out);

  std::string folder_;
  std::string metric_;
  FolderSearch search_;
  bool searches_ = true;             // else it reads
  std::map<std::string, Run> runs_;  // by their paths
  Round<Run> round_;
  bool is_over_ = false;
  bool has_more_ = true;
  std::uint64_t skipped_ = 0;
};

// The last value of each metric, and the parameters, by name; of what several ranks have logged,
// the lowest one's. `folder` as above; of more names than a person reads, some are left out.
[[nodiscard]] model::Logged logged_in(const std::string& folder);

}  // namespace muster::store
