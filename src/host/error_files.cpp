// Files in memory and their names.
#include "host/error_files.hpp"

#include <algorithm>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "host/python_hook.hpp"
#include "host/report_file.hpp"
#include "wire/messages.hpp"

namespace muster::host {
namespace {

process::UniqueFd hook_file() {
  process::UniqueFd file(::memfd_create("muster-python-hook", MFD_CLOEXEC));
  const std::string archive = python_hook_archive();
  const bool whole = file && ::write(file.get(), archive.data(), archive.size()) ==
                                 static_cast<ssize_t>(archive.size());
  return whole ? std::move(file) : process::UniqueFd();
}

// The kernel takes a file's time from a clock that may be some milliseconds behind.
std::chrono::microseconds since(const timespec& time) {
  using std::chrono::system_clock;
  const auto then = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  const auto ago = system_clock::now().time_since_epoch() - then;
  return std::max(std::chrono::microseconds(0),
                  std::chrono::duration_cast<std::chrono::microseconds>(ago));
}

}  // namespace

std::vector<std::string> ErrorFiles::open(base::Rank rank, For whom,
                                          const std::string& python_path) {
  process::UniqueFd file = make_report_file();
  if (!file) return {};
  std::vector<std::string> variables = {std::string(kReportFile) + "=" + name_of_report(file)};
  if (whom != For::launchers) variables.push_back("TORCHELASTIC_ERROR_FILE=" + path_of(file));
  files_[rank] = std::move(file);
  if (whom != For::python) return variables;
  if (!hook_) hook_ = hook_file();
  if (!hook_) return variables;
  variables.push_back("PYTHONPATH=" + path_of(hook_) +
                      (python_path.empty() ? "" : ":" + python_path));
  return variables;
}

ErrorFiles::Told ErrorFiles::take(base::Rank rank) {
  const auto file = files_.extract(rank);
  if (file.empty()) return {};
  struct stat info {};
  if (::fstat(file.mapped().get(), &info) != 0 || info.st_size <= 0) return {};
  Told told{std::string(std::min<off_t>(wire::kErrorFileMax, info.st_size), '\0'),
            since(info.st_mtim)};
  const ssize_t size = ::pread(file.mapped().get(), told.text.data(), told.text.size(), 0);
  told.text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  told.is_launchers = told.text.starts_with("muster-report");
  return told;
}

}  // namespace muster::host
