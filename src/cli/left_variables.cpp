// A run's socket and folder go with it, so what is there is of a run that is.
#include "cli/left_variables.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>

#include "base/variables.hpp"
#include "front/inherited.hpp"
#include "front/request.hpp"
#include "host/report_file.hpp"
#include "model/head_above.hpp"
#include "plan/software.hpp"
#include "plan/surroundings.hpp"
#include "process/ownership.hpp"
#include "spec/sources.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "store/writer.hpp"
#include "sweep/metric_text.hpp"

namespace muster::cli {
namespace {

// What is about the run as a whole, and names nothing that could be looked at.
constexpr std::array kSaidToLaunchers = {front::kLaunchers, front::kOutputFolders,
                                         front::kFakeHosts, spec::kStartsRanks,
                                         std::string_view("MUSTER_DEADLINE")};

void drop(std::vector<std::string>& environment, std::string_view name) {
  std::erase_if(environment, [&](const std::string& entry) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  });
}

// Whether the run that gave these variables is under way: something of it is there. Another host
// may not see its record.
bool is_under_way(const std::vector<std::string>& environment) {
  return process::is_own_socket(base::value_of(environment, model::kHeadAbove)) ||
         process::is_own_folder(base::value_of(environment, front::kLaunchers)) ||
         host::open_report_file(base::value_of(environment, host::kReportFile));
}

// Whether they came with what each rank is given.
bool is_of_rank(const std::vector<std::string>& environment) {
  return !base::value_of(environment, front::kLaunchers).empty() ||
         !base::value_of(environment, host::kReportFile).empty();
}

// Of a rank's host, and obeyed wherever they are found: its environment of packages, whose programs
// come before all others, and the cpus that a launcher in it may use.
constexpr std::array kSaidOfHost = {plan::kSoftware, plan::kCpus};

// Its programs are executed, so nobody else may choose them. Empty: nobody else does.
std::string why_not_software(const std::string& folder) {
  struct stat found {};
  const bool is_there = folder.starts_with('/') && ::stat(folder.c_str(), &found) == 0;
  if (!is_there || !S_ISDIR(found.st_mode)) return "it is not a folder on this host";
  return process::why_not_own(folder);
}

// Returns what is to be told of that. `holds`: the run that gave them is under way.
std::optional<std::string> drop_what_is_of_host(std::vector<std::string>& environment, bool holds) {
  const std::string software = base::value_of(environment, plan::kSoftware);
  if (holds) {
    const std::string why = software.empty() ? "" : why_not_software(software);
    if (why.empty()) return std::nullopt;
    drop(environment, plan::kSoftware);
    return fmt::format("MUSTER_ENVIRONMENT is ignored: {}: {}", software, why);
  }
  for (const std::string_view name : kSaidOfHost) drop(environment, name);
  if (software.empty() || is_of_rank(environment)) return std::nullopt;
  return fmt::format(
      "MUSTER_ENVIRONMENT is ignored: muster sets it for the ranks of a job with packages; to use "
      "programs from {0}/bin, put that folder first in PATH",
      software);
}

// That job's hosts are there for what it starts; its files and its end are its own, too.
std::optional<std::string> drop_head(std::vector<std::string>& environment,
                                     const std::string& job) {
  const bool counted = is_under_way(environment);
  const bool has_launchers = !base::value_of(environment, front::kLaunchers).empty();
  drop(environment, model::kHeadAbove);
  drop(environment, host::kReportFile);
  drop(environment, front::kOutputFolders);
  for (const std::string_view name : kSaidToLaunchers) {
    if (has_launchers) drop(environment, name);
  }
  if (!counted) return std::nullopt;
  return fmt::format(
      "this batch job ({}) was submitted by a rank of another run: not using that run's hosts "
      "(MUSTER_HEAD is ignored)",
      job);
}

std::string left_metrics(const std::string& uri) {
  return fmt::format(
      "MLFLOW_TRACKING_URI is left out: {} is in the record of a run that is over; to keep metrics "
      "of several runs together, name another folder",
      uri);
}

bool run_is_over(const std::string& folder) {
  if (store::is_being_made(folder)) return false;
  const auto record = store::read_record(folder);
  return !record || !record->is_live();
}

}  // namespace

// "file:///RECORDS/RUN/mlruns", or that of a step of it: the run whose record has this folder.
std::optional<std::string> record_with_metrics(const std::vector<std::string>& environment) {
  const std::string uri = base::value_of(environment, front::kTrackingUri);
  const auto records = store::records_folder(environment);
  if (uri.empty() || !records) return std::nullopt;
  const std::string above = sweep::file_uri(*records) + "/";
  const bool is_below =
      uri.starts_with(above) && uri.ends_with(fmt::format("/{}", front::kMetricsFolder));
  if (!is_below) return std::nullopt;
  const std::string below = uri.substr(above.size());
  const std::string run = below.substr(0, below.find('/'));
  if (!store::is_run_name(run)) return std::nullopt;
  return fmt::format("{}/{}", *records, run);
}

std::vector<std::string> drop_left_variables(std::vector<std::string>& environment) {
  std::vector<std::string> told;
  const auto record = record_with_metrics(environment);
  if (record && !is_under_way(environment) && run_is_over(*record)) {
    if (!is_of_rank(environment)) {
      told.push_back(left_metrics(base::value_of(environment, front::kTrackingUri)));
    }
    drop(environment, front::kTrackingUri);
  }
  const auto job = plan::other_batch_job(environment);
  if (auto said = drop_what_is_of_host(environment, !job && is_under_way(environment))) {
    told.push_back(std::move(*said));
  }
  if (job) {
    if (auto said = drop_head(environment, *job)) told.push_back(std::move(*said));
    return told;
  }
  const std::string head = base::value_of(environment, model::kHeadAbove);
  if (!head.empty() && !process::is_own_socket(head)) drop(environment, model::kHeadAbove);
  const std::string launchers = base::value_of(environment, front::kLaunchers);
  if (process::is_own_folder(launchers)) return told;
  if (launchers.empty()) {
    // A job's ranks have both or none of them. The others people may set by themselves.
    drop(environment, front::kOutputFolders);
    return told;
  }
  for (const std::string_view name : kSaidToLaunchers) drop(environment, name);
  return told;
}

}  // namespace muster::cli
