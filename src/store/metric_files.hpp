// MetricFiles: what a trial has newly reported of one metric, from MLflow's file store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweep/metric_text.hpp"

namespace muster::store {

class MetricFiles {
 public:
  // The folder that MLFLOW_TRACKING_URI names, which need not be there yet.
  MetricFiles(std::string folder, std::string metric);

  // What has been added since the last call, of all runs in the folder, in the order of time. Files
  // are read on from where they were left.
  [[nodiscard]] std::vector<sweep::Report> read_new();

 private:
  struct Known {
    std::int64_t read = 0;  // bytes
    sweep::GrowingLines lines = {};
  };
  void read_file(const std::string& path, std::vector<sweep::Report>& out);

  std::string folder_;
  std::string metric_;
  std::map<std::string, Known> files_;  // by their paths
};

}  // namespace muster::store
