// Makes the folder of drop-ins and tells the job where it is.
#include "cli/launchers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cli/head_options.hpp"
#include "front/front.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

// Called as: fake-ssh HOST COMMAND. ssh joins its words the same way.
constexpr std::string_view kFakeSsh =
    "#!/bin/sh\n# Stands in for ssh: the fake node is this machine.\nshift\nexec sh -c \"$*\"\n";

std::vector<std::string> drop_in_names() {
  std::vector<std::string> names;
  for (const front::Front& front : front::fronts()) {
    std::string_view rest = front.drop_in ? front.names : "";
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return names;
}

bool write(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

std::error_code fill(const std::string& folder, const front::Launchers& launchers) {
  std::error_code wrong;
  fs::create_directory(folder + "/bin", wrong);
  const std::string own = own_path();
  for (const std::string& name : drop_in_names()) {
    if (!wrong) fs::create_symlink(own, fmt::format("{}/bin/{}", folder, name), wrong);
  }
  if (wrong) return wrong;
  const bool written =
      write(folder + "/hostfile", launchers.hostfile) && write(folder + "/fake-ssh", kFakeSsh);
  if (!written) return std::make_error_code(std::errc::io_error);
  fs::permissions(folder + "/fake-ssh", fs::perms::owner_all, wrong);
  return wrong;
}

}  // namespace

Result<LaunchersFolder> LaunchersFolder::make(const front::Launchers& launchers) {
  std::error_code wrong;
  std::string path = (fs::temp_directory_path(wrong) / "muster-job-XXXXXX").string();
  if (wrong || ::mkdtemp(path.data()) == nullptr) {
    return base::fail(Fault::internal, "is TMPDIR a folder that you may write to?",
                      "cannot make a folder for the job's launchers");
  }
  LaunchersFolder folder(path);
  wrong = fill(path, launchers);
  if (!wrong) return folder;
  return base::fail(Fault::internal, "", "cannot write to {}: {}", path, wrong.message());
}

LaunchersFolder::LaunchersFolder(LaunchersFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

LaunchersFolder::~LaunchersFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void point_to_launchers(model::JobSpec& spec, const front::Launchers& launchers,
                        const std::string& folder, const std::string& path_variable) {
  const std::string hostfile = folder + "/hostfile";
  std::vector<model::EnvSetting> settings = {
      {"AZUREML_MPI_HOSTFILE", hostfile},
      {"HYDRA_HOST_FILE", hostfile},
      {"OMPI_MCA_orte_default_hostfile", hostfile},
      {"PATH", folder + "/bin" + (path_variable.empty() ? "" : ":" + path_variable)},
  };
  if (launchers.fake_nodes) {
    settings.push_back({"HYDRA_LAUNCHER_EXEC", folder + "/fake-ssh"});
    settings.push_back({"OMPI_MCA_plm_rsh_agent", folder + "/fake-ssh"});
  }
  for (model::App& app : spec.apps) {
    app.exports.insert(app.exports.begin(), settings.begin(), settings.end());
  }
}

}  // namespace muster::cli
