// Metrics as text: MLflow's file store, and lines that a trial prints.
//
// MLflow's file store has a file for each metric of a run, EXPERIMENT/RUN/metrics/NAME, with a line
// "TIMESTAMP VALUE STEP" for each report (the step may be missing in old ones). A name with slashes
// is a path of folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::sweep {

struct Report {
  std::int64_t timestamp = 0;  // milliseconds since 1970
  double value = 0;            // may be infinite, or no number
  std::int64_t step = 0;
  bool operator==(const Report&) const = default;
};

// A line of a metric's file. Nothing for anything else.
[[nodiscard]] std::optional<Report> report_of(std::string_view line);

// "loss=0.5", "val/acc = 0.9" as a line of its own: the value of that metric.
[[nodiscard]] std::optional<double> printed_value(std::string_view line, std::string_view metric);

// Whether a metric may have this name, and so its file this path: MLflow's rule, without paths that
// lead elsewhere.
[[nodiscard]] bool is_metric_name(std::string_view name);

// "file:///a%20b": a folder as MLFLOW_TRACKING_URI names it; MLflow's file store decodes it.
[[nodiscard]] std::string file_uri(std::string_view path);

// Bytes of a file that grows, as whole lines.
class GrowingLines {
 public:
  // The lines that these bytes complete. One that is longer than any report is dropped.
  [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
  // What follows is not what comes next: the line that has begun is dropped, and the one in which
  // it goes on.
  void skip();
  // What has no end yet, as a line.
  [[nodiscard]] std::string rest() { return std::exchange(begun_, {}); }

 private:
  std::string begun_;
  bool drops_ = false;
};

}  // namespace muster::sweep
