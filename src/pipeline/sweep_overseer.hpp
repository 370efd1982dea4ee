// SweepOverseer: feeds a sweep's machine with what its trials report, and passes on what it
// decides.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "pipeline/overseer.hpp"
#include "store/metric_files.hpp"
#include "store/rank_lines.hpp"
#include "store/ranks_started.hpp"
#include "sweep/trials.hpp"

namespace muster::pipeline {

struct SweepPlan {
  sweep::Settings settings;  // `at_once` is what the conductor keeps to
  sweep::Begun begun = {};
  std::string metric;
  bool from_output = false;
  std::vector<std::string> names;                       // of the trials
  std::function<std::string(std::size_t)> record;       // the folder of a trial's record
  std::function<std::string(std::size_t)> metrics;      // that of its metrics
  std::function<std::string(std::size_t)> streams;      // that of its ranks' output
  std::function<base::Result<void>(std::size_t)> keep;  // the outputs of the best trial
};

class SweepOverseer : public Overseer {
 public:
  explicit SweepOverseer(SweepPlan plan);

  // Of a trial that starts.
  [[nodiscard]] std::vector<sweep::Assignment> values(std::size_t trial) const;

  void started(std::size_t step) override;
  void printed(std::size_t step, model::Stream stream, std::string_view bytes) override;
  void left(std::size_t step) override;
  [[nodiscard]] bool is_read(std::size_t step) const override;
  void ended(std::size_t step, bool well) override;
  void interrupted() override;
  [[nodiscard]] Orders look() override;
  [[nodiscard]] std::optional<int> patience() const override;
  [[nodiscard]] std::vector<model::Tag> given(std::size_t step) const override;
  [[nodiscard]] std::string note(std::size_t step) const override;
  [[nodiscard]] Conclusion conclude() override;

 private:
  // Metrics are in MLflow's files, in what each rank prints, or, where that is kept nowhere, in
  // what the console shows.
  struct Live {
    store::MetricFiles files;
    store::RankLines lines;
    std::array<sweep::GrowingLines, 2> console = {};  // stdout, stderr
    store::RanksStarted ranks;
    bool ranks_run = false;
    bool has_left = false;
  };
  void note_start(std::size_t trial, Live& live, store::Allowance& left);
  void read_all();
  [[nodiscard]] base::Duration pause() const;  // until files are looked at again
  void read_reports(std::size_t trial, Live& live, store::Allowance& left);
  [[nodiscard]] bool has_more(const Live& live) const;
  void tell_skipped(std::size_t trial, const Live& live);
  void report_line(std::size_t trial, const std::string& line, std::uint64_t rank,
                   sweep::SweepEffects& effects);
  void take(const sweep::SweepEffects& effects);

  SweepPlan plan_;
  sweep::Trials trials_;
  std::map<std::size_t, Live> live_;
  Orders orders_;
  bool told_end_ = false;
  bool is_interrupted_ = false;  // what has not been read no longer counts
  std::size_t next_ = 0;         // trial to be read
  base::Instant next_look_{};
};

}  // namespace muster::pipeline
