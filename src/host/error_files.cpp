// Files in memory and their names.
#include "host/error_files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "host/python_hook.hpp"
#include "wire/messages.hpp"

namespace muster::host {
namespace {

std::string path_of(const process::UniqueFd& file) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
}

process::UniqueFd hook_file() {
  process::UniqueFd file(::memfd_create("muster-python-hook", MFD_CLOEXEC));
  const std::string archive = python_hook_archive();
  const bool whole = file && ::write(file.get(), archive.data(), archive.size()) ==
                                 static_cast<ssize_t>(archive.size());
  return whole ? std::move(file) : process::UniqueFd();
}

}  // namespace

std::vector<std::string> ErrorFiles::open(base::Rank rank, For whom,
                                          const std::string& python_path) {
  process::UniqueFd file(::memfd_create("muster-error-file", MFD_CLOEXEC));
  if (!file) return {};
  std::vector<std::string> variables = {"MUSTER_REPORT_FILE=" + path_of(file)};
  if (whom != For::launchers) variables.push_back("TORCHELASTIC_ERROR_FILE=" + path_of(file));
  files_[rank] = std::move(file);
  if (whom != For::python) return variables;
  if (!hook_) hook_ = hook_file();
  if (!hook_) return variables;
  variables.push_back("PYTHONPATH=" + path_of(hook_) +
                      (python_path.empty() ? "" : ":" + python_path));
  return variables;
}

std::string ErrorFiles::take(base::Rank rank) {
  const auto file = files_.extract(rank);
  if (file.empty()) return {};
  struct stat info {};
  if (::fstat(file.mapped().get(), &info) != 0 || info.st_size <= 0) return {};
  std::string text(std::min<off_t>(wire::kErrorFileMax, info.st_size), '\0');
  const ssize_t size = ::pread(file.mapped().get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace muster::host
