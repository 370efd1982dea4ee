// Reads conda files, and the files of requirements that they name.
#include "front/job/packages.hpp"

#include <fmt/format.h>

#include "front/job/place.hpp"
#include "job/read_map.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

// Files of requirements that pip's list names become part of it: no host needs to see them.
void take_in_requirements(const Call& call, const std::string& folder, job::CondaPackages& packages,
                          job::Complaints& complaints) {
  constexpr std::size_t kFilesMax = 100;
  std::size_t files = 0;
  for (std::size_t i = 0; i < packages.pip.size();) {
    const auto file = job::required_file(packages.pip[i]);
    if (!file) {
      ++i;
      continue;
    }
    const job::Mark at = packages.pip_at[i];
    const auto here = static_cast<std::ptrdiff_t>(i);
    packages.pip.erase(packages.pip.begin() + here);
    packages.pip_at.erase(packages.pip_at.begin() + here);
    auto text = call.read_file(job::below(folder, *file), job::kFileMax);
    if (!text || ++files > kFilesMax) {
      complaints.add(at,
                     text ? fmt::format("pip's list takes in more than {} files", kFilesMax)
                          : fmt::format("pip's list takes in {}: {}", spec::in_quotes(*file),
                                        text.error().what),
                     text ? "" : text.error().hint);
      return;
    }
    const std::vector<std::string> lines = job::requirement_lines(*text);
    packages.pip.insert(packages.pip.begin() + here, lines.begin(), lines.end());
    packages.pip_at.insert(packages.pip_at.begin() + here, lines.size(), at);
  }
}

}  // namespace

std::string packages_of(const Call& call, const job::JobFile& job, const job::Target& target,
                        const std::string& folder, job::Complaints& complaints) {
  if (!job.conda || job::goes_without(target, "environment")) return "";
  std::string base = folder;
  job::SharedNode root = job.conda->map;
  job::Complaints own(job.conda->file ? job.conda->file->text : job.source);
  if (job.conda->file) {
    const std::string path = job::below(folder, job.conda->file->text);
    auto text = call.read_file(path, job::kFileMax);
    if (!text) {
      complaints.add(job.conda->begin,
                     fmt::format("the conda file {}: {}", spec::in_quotes(job.conda->file->text),
                                 text.error().what),
                     text.error().hint);
      return "";
    }
    base = folder_of(path);
    root = job::read_map(*text, {"a conda file", "dependencies:"}, own);
  }
  job::CondaPackages packages;
  job::Complaints& where = job.conda->file ? own : complaints;
  if (root) packages = job::read_conda(*root, where);
  if (where.empty()) take_in_requirements(call, base, packages, where);
  complaints.add(std::move(own).take());
  return complaints.empty() ? job::conda_text(packages) : "";
}

}  // namespace muster::front
