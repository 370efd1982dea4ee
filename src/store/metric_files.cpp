// Looks for files of metrics below each run, and reads what is new in them.
#include "store/metric_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "process/unique_fd.hpp"
#include "store/files.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// The tag that MLflow gives each run of a rank: plan's dialect has MLFLOW_RUN_CONTEXT.
constexpr const char* kRankTag = "tags/muster.rank";
constexpr std::uint64_t kUnknownRank = std::numeric_limits<std::uint64_t>::max();

// Of what a run has logged, for whoever shows it.
constexpr std::size_t kLoggedEntriesMax = 1'000'000;
constexpr std::size_t kLoggedBytesMax = std::size_t{256} << 20;

std::string front_of(int file, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t size = file < 0 ? 0 : ::pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

std::uint64_t rank_in(int file) {
  const std::string text = front_of(file, 32);
  std::uint64_t rank = kUnknownRank;
  std::from_chars(text.data(), text.data() + text.size(), rank);
  return rank;
}

// A run of MLflow's, with the rank that made it.
struct FoundRun {
  std::uint64_t rank = kUnknownRank;
  std::string path;  // below the folder
  fs::file_time_type changed = {};
};

bool is_run(const std::string& path) { return path.find('/') != std::string::npos; }
bool enters_all(std::string_view) { return true; }

// In the order of ranks; of a rank that has begun several, the last one first.
std::vector<FoundRun> runs_in(const std::string& folder) {
  std::vector<FoundRun> runs;
  std::size_t entries = kLoggedEntriesMax;
  (void)FolderSearch(folder, enters_all).go_on(entries, [&](const std::string& path) {
    if (!is_run(path)) return;
    std::error_code wrong;
    runs.push_back({rank_in(open_below(folder, fmt::format("{}/{}", path, kRankTag)).get()), path,
                    fs::last_write_time(fmt::format("{}/{}/meta.yaml", folder, path), wrong)});
  });
  std::ranges::sort(runs, [](const FoundRun& a, const FoundRun& b) {
    return std::tuple(a.rank, b.changed, a.path) < std::tuple(b.rank, a.changed, b.path);
  });
  return runs;
}

// Names of files below a folder: a metric's name may have slashes.
std::vector<std::string> names_below(const std::string& folder, std::size_t& entries) {
  std::vector<std::string> names;
  std::error_code wrong;
  fs::recursive_directory_iterator at(folder, wrong);
  for (const fs::recursive_directory_iterator end; !wrong && at != end && entries > 0;
       at.increment(wrong)) {
    --entries;
    std::error_code gone;
    const std::string name = at->path().string().substr(folder.size() + 1);
    if (at->is_regular_file(gone) && sweep::is_metric_name(name)) names.push_back(name);
  }
  return names;
}

// MLflow's own choice of the last one, which is near the end of the file.
std::optional<sweep::Report> last_report(int file, Allowance& left) {
  constexpr std::size_t kTailMax = 128u << 10;
  GrowingFile metric;
  sweep::GrowingLines lines;
  if (metric.catch_up(file, kTailMax) > 0) lines.skip();
  std::vector<std::string> all;
  left.bytes -= metric.read(file, std::min(left.bytes, kTailMax), [&](std::string_view bytes) {
    for (std::string& line : lines.feed(bytes)) all.push_back(std::move(line));
  });
  all.push_back(lines.rest());
  std::optional<sweep::Report> last;
  for (const std::string& line : all) {
    const auto report = sweep::report_of(line);
    if (!report) continue;
    if (!last ||
        std::tuple(report->step, report->timestamp) >= std::tuple(last->step, last->timestamp))
      last = report;
  }
  return last;
}

}  // namespace

MetricFiles::MetricFiles(std::string folder, std::string metric)
    : folder_(std::move(folder)), metric_(std::move(metric)), search_(folder_, enters_all) {}

std::vector<RankReport> MetricFiles::read_new(Allowance& left) {
  std::vector<RankReport> reports;
  has_more_ = sweep::is_metric_name(metric_);
  if (!has_more_) return reports;
  if (searches_) {
    searches_ = !search_.go_on(left.entries, [this](const std::string& path) { note(path); });
  }
  if (searches_) return reports;
  searches_ = round_.go_on(runs_, left, [&](const std::string& path, Run& run) {
    return read_run(path, run, left, reports);
  });
  has_more_ = !searches_ || round_.was_behind();
  std::ranges::stable_sort(reports, {}, [](const RankReport& one) {
    return std::tuple(one.rank, one.report.timestamp);
  });
  return reports;
}

void MetricFiles::end() {
  is_over_ = has_more_ = searches_ = true;
  search_.begin();
  round_.begin();
}

// If it has the metric.
void MetricFiles::note(const std::string& run) {
  constexpr std::size_t kRunsMax = 20'000;
  if (!is_run(run) || runs_.contains(run) || runs_.size() >= kRunsMax) return;
  if (!open_below(folder_, fmt::format("{}/metrics/{}", run, metric_))) return;
  runs_[run].rank = rank_in(open_below(folder_, fmt::format("{}/{}", run, kRankTag)).get());
}

bool MetricFiles::read_run(const std::string& path, Run& run, Allowance& left,
                           std::vector<RankReport>& out) {
  --left.entries;
  const process::UniqueFd file = open_below(folder_, path + "/metrics/" + metric_);
  if (!file) return false;
  if (is_over_ && !std::exchange(run.has_ended, true)) run.metric.end(file.get());
  if (!is_over_) skipped_ += run.metric.catch_up(file.get());
  std::vector<std::string> lines;
  const bool has_more = run.metric.read(file.get(), left, lines);
  for (const std::string& line : lines) {
    if (const auto report = sweep::report_of(line)) out.push_back({run.rank, *report});
  }
  return has_more;
}

model::Logged logged_in(const std::string& folder) {
  constexpr std::size_t kNamesMax = 100'000;
  constexpr std::size_t kParamMax = 8192;  // bytes; MLflow takes 6,000 characters
  Allowance left{kLoggedBytesMax, kLoggedEntriesMax};
  model::Logged logged;
  std::set<std::string> metrics;
  std::set<std::string> params;
  for (const FoundRun& run : runs_in(folder)) {
    const std::string place = folder + "/" + run.path;
    for (const std::string& name : names_below(place + "/metrics", left.entries)) {
      if (metrics.size() >= kNamesMax || metrics.contains(name)) continue;
      const process::UniqueFd file = open_below(folder, run.path + "/metrics/" + name);
      const auto last = last_report(file.get(), left);
      if (!last) continue;
      metrics.insert(name);
      logged.metrics.push_back({name, last->value, last->step});
    }
    for (const std::string& name : names_below(place + "/params", left.entries)) {
      if (params.size() >= kNamesMax || left.bytes == 0 || !params.insert(name).second) continue;
      const process::UniqueFd file = open_below(folder, run.path + "/params/" + name);
      logged.params.push_back({name, front_of(file.get(), std::min(left.bytes, kParamMax))});
      left.bytes -= logged.params.back().value.size();
    }
  }
  std::ranges::sort(logged.metrics, {}, &model::Logged::Metric::name);
  std::ranges::sort(logged.params, {}, &model::Tag::name);
  return logged;
}

}  // namespace muster::store
