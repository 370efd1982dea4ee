// Looks for files of metrics below each run, and reads what is new in them.
#include "store/metric_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "store/files.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// The tag that MLflow gives each run of a rank: plan's dialect has MLFLOW_RUN_CONTEXT.
constexpr const char* kRankTag = "tags/muster.rank";
constexpr std::uint64_t kUnknownRank = std::numeric_limits<std::uint64_t>::max();

// Names of folders in a folder, in their order; none if it cannot be read.
std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code wrong;
  for (fs::directory_iterator at(folder, wrong), end; !wrong && at != end; at.increment(wrong)) {
    std::error_code gone;
    const bool is_folder = at->is_directory(gone) && !at->is_symlink(gone);
    if (is_folder) folders.push_back(at->path().filename().string());
  }
  std::ranges::sort(folders);
  return folders;
}

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
};

// In the order of ranks; of a rank that has begun several, the last one first.
std::vector<FoundRun> runs_in(const std::string& folder) {
  std::vector<FoundRun> runs;
  for (const std::string& experiment : folders_in(folder)) {
    for (const std::string& run : folders_in(fmt::format("{}/{}", folder, experiment))) {
      const std::string path = fmt::format("{}/{}", experiment, run);
      const std::string tag = fmt::format("{}/{}", path, kRankTag);
      runs.push_back({rank_in(open_below(folder, tag).get()), path});
    }
  }
  const auto changed = [&](const FoundRun& run) {
    std::error_code wrong;
    return fs::last_write_time(folder + "/" + run.path + "/meta.yaml", wrong);
  };
  std::ranges::stable_sort(runs, [&](const FoundRun& a, const FoundRun& b) {
    return a.rank != b.rank ? a.rank < b.rank : changed(a) > changed(b);
  });
  return runs;
}

// Names of files below a folder, of so many that are looked at: a metric's name may have slashes.
std::vector<std::string> names_below(const std::string& folder, std::size_t most) {
  std::vector<std::string> names;
  std::error_code wrong;
  fs::recursive_directory_iterator at(folder, wrong);
  for (const fs::recursive_directory_iterator end; !wrong && at != end && most-- > 0;
       at.increment(wrong)) {
    std::error_code gone;
    const std::string name = at->path().string().substr(folder.size() + 1);
    if (at->is_regular_file(gone) && sweep::is_metric_name(name)) names.push_back(name);
  }
  return names;
}

// MLflow's own choice of the last one.
std::optional<sweep::Report> last_report(int file) {
  std::optional<sweep::Report> last;
  GrowingFile metric;
  std::vector<std::string> lines = metric.read_new(file);
  lines.push_back(metric.rest());
  for (const std::string& line : lines) {
    const auto report = sweep::report_of(line);
    if (!report) continue;
    if (!last ||
        std::tuple(report->step, report->timestamp) >= std::tuple(last->step, last->timestamp))
      last = report;
  }
  return last;
}

}  // namespace

std::vector<std::string> GrowingFile::read_new(int file) {
  std::vector<std::string> lines;
  std::array<char, 65536> bytes;
  ssize_t got = 0;
  while ((got = ::pread(file, bytes.data(), bytes.size(), read_)) > 0) {
    read_ += got;
    for (std::string& line : lines_.feed({bytes.data(), static_cast<std::size_t>(got)})) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

MetricFiles::MetricFiles(std::string folder, std::string metric)
    : folder_(std::move(folder)), metric_(std::move(metric)) {}

std::vector<RankReport> MetricFiles::read_new() {
  std::vector<RankReport> reports;
  if (!sweep::is_metric_name(metric_)) return reports;
  for (const std::string& experiment : folders_in(folder_)) {
    const std::string below = experiment + "/";
    for (const std::string& run : folders_in(folder_ + "/" + experiment)) {
      read_run(below + run, reports);
    }
  }
  std::ranges::stable_sort(reports, {}, [](const RankReport& one) {
    return std::tuple(one.rank, one.report.timestamp);
  });
  return reports;
}

void MetricFiles::read_run(const std::string& run, std::vector<RankReport>& out) {
  const process::UniqueFd file = open_below(folder_, run + "/metrics/" + metric_);
  if (!file) return;
  const auto [known, is_new] = runs_.try_emplace(run);
  if (is_new) known->second.rank = rank_in(open_below(folder_, run + "/" + kRankTag).get());
  for (const std::string& line : known->second.metric.read_new(file.get())) {
    if (const auto report = sweep::report_of(line)) out.push_back({known->second.rank, *report});
  }
}

model::Logged logged_in(const std::string& folder) {
  constexpr std::size_t kNamesMax = 100'000;
  constexpr std::size_t kParamMax = 8192;  // bytes; MLflow takes 6,000 characters
  model::Logged logged;
  std::set<std::string> metrics;
  std::set<std::string> params;
  for (const FoundRun& run : runs_in(folder)) {
    const std::string place = folder + "/" + run.path;
    for (const std::string& name : names_below(place + "/metrics", kNamesMax)) {
      if (metrics.size() >= kNamesMax || metrics.contains(name)) continue;
      const auto last = last_report(open_below(folder, run.path + "/metrics/" + name).get());
      if (!last) continue;
      metrics.insert(name);
      logged.metrics.push_back({name, last->value, last->step});
    }
    for (const std::string& name : names_below(place + "/params", kNamesMax)) {
      if (params.size() >= kNamesMax || !params.insert(name).second) continue;
      const process::UniqueFd file = open_below(folder, run.path + "/params/" + name);
      logged.params.push_back({name, front_of(file.get(), kParamMax)});
    }
  }
  std::ranges::sort(logged.metrics, {}, &model::Logged::Metric::name);
  std::ranges::sort(logged.params, {}, &model::Tag::name);
  return logged;
}

}  // namespace muster::store
