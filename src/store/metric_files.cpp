// Looks for the metric's file below each run, and reads what is new in it.
#include "store/metric_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <tuple>
#include <unistd.h>

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

std::uint64_t rank_in(int file) {
  std::array<char, 32> text{};
  const ssize_t size = file < 0 ? 0 : ::pread(file, text.data(), text.size(), 0);
  std::uint64_t rank = kUnknownRank;
  if (size > 0) std::from_chars(text.data(), text.data() + size, rank);
  return rank;
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

}  // namespace muster::store
