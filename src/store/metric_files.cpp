// Looks for the metric's file below each run, and reads what is new in it.
#include "store/metric_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unistd.h>

#include "store/files.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// Folders in a folder, in the order of their names; none if it cannot be read.
std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code wrong;
  for (fs::directory_iterator at(folder, wrong), end; !wrong && at != end; at.increment(wrong)) {
    std::error_code gone;
    if (at->is_directory(gone) && !at->is_symlink(gone)) folders.push_back(at->path().string());
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

MetricFiles::MetricFiles(std::string folder, std::string metric)
    : folder_(std::move(folder)), metric_(std::move(metric)) {}

std::vector<sweep::Report> MetricFiles::read_new() {
  std::vector<sweep::Report> reports;
  if (!sweep::is_metric_name(metric_)) return reports;
  for (const std::string& experiment : folders_in(folder_)) {
    for (const std::string& run : folders_in(experiment)) {
      read_file(run + "/metrics/" + metric_, reports);
    }
  }
  std::ranges::stable_sort(reports, {}, &sweep::Report::timestamp);
  return reports;
}

void MetricFiles::read_file(const std::string& path, std::vector<sweep::Report>& out) {
  const process::UniqueFd file = open_file(path);
  if (!file) return;
  Known& known = files_[path];
  std::array<char, 65536> bytes;
  ssize_t got = 0;
  while ((got = ::pread(file.get(), bytes.data(), bytes.size(), known.read)) > 0) {
    known.read += got;
    for (const std::string& line :
         known.lines.feed({bytes.data(), static_cast<std::size_t>(got)})) {
      if (const auto report = sweep::report_of(line)) out.push_back(*report);
    }
  }
}

}  // namespace muster::store
