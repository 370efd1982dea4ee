// Looks at PATH, /dev and the folders of CDI.
#include "host/contain_here.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/variables.hpp"
#include "container/explain.hpp"
#include "container/runtimes.hpp"
#include "host/folders.hpp"
#include "host/program.hpp"
#include "probe/probe.hpp"
#include "probe/random.hpp"
#include "process/copy_file.hpp"
#include "process/helper_outside.hpp"

namespace muster::host {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;
using model::ContainerRuntime;

// Where administrators' programs are, which PATH may lack in a session without a terminal.
constexpr std::string_view kMorePlaces = ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

// What the agent in the container asks its own environment for. Proxies are the ranks' business:
// they are where the host is.
constexpr std::array kPassed = {"SSH_CONNECTION",
                                "MUSTER_STEP",
                                "SLURM_LAUNCH_NODE_IPADDR",
                                "CUDA_VISIBLE_DEVICES",
                                "ROCR_VISIBLE_DEVICES",
                                "HIP_VISIBLE_DEVICES",
                                "ZE_AFFINITY_MASK",
                                "ASCEND_RT_VISIBLE_DEVICES",
                                "http_proxy",
                                "https_proxy",
                                "no_proxy",
                                "HTTP_PROXY",
                                "HTTPS_PROXY",
                                "NO_PROXY"};

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code wrong;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, wrong)) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

bool has_cdi() { return !files_in("/etc/cdi").empty() || !files_in("/var/run/cdi").empty(); }

std::vector<std::string> device_files(const container::Facts& facts) {
  std::vector<std::string> devices;
  const bool by_file = !facts.cdi;
  for (const std::string& file : files_in("/dev")) {
    const std::string_view name = std::string_view(file).substr(5);
    const bool is_gpu = name.starts_with("nvidia") || name == "kfd" || name == "dri";
    const bool is_npu = name.starts_with("davinci") || name == "devmm_svm" || name == "hisi_hdc";
    if ((is_gpu && by_file) || is_npu || name == "infiniband") devices.push_back(file);
  }
  return devices;
}

void look_for_devices(container::Facts& facts) {
  facts.queues = is_there("/dev/mqueue");
  facts.cdi = has_cdi();
  facts.nvidia = is_there("/dev/nvidiactl");
  facts.amd = is_there("/dev/kfd");
  facts.devices = device_files(facts);
}

std::string program_of(ContainerRuntime runtime, const std::string& path) {
  for (const std::string& program : container::programs_of(runtime)) {
    if (auto found = find_program(program, "/", path)) return *found;
  }
  return {};
}

Result<void> check_mounts(const model::ContainerSpec& spec) {
  for (const model::ContainerMount& mount : spec.mounts) {
    if (is_there(mount.source)) continue;
    return base::fail(Fault::cannot_start,
                      "make it there, or start in a folder that all hosts have",
                      "cannot show {} to the container: {}", mount.source, std::strerror(errno));
  }
  return {};
}

// Charliecloud's containers see /tmp of the host, and find muster there, for their images have no
// place for it.
Result<void> make_shared_folder(ContainerPlan& plan) {
  const bool copies = plan.spec.runtime == ContainerRuntime::charliecloud;
  std::string& folder = plan.facts.folder;
  folder = fmt::format("{}/muster-{}", copies ? "/tmp" : "/dev/shm", probe::random_digits(32));
  if (::mkdir(folder.c_str(), 0700) != 0) {
    return base::fail(Fault::cannot_start, "is it a tmpfs that may be written, with room left?",
                      "cannot make {}: {}", folder, std::strerror(errno));
  }
  if (!copies) return {};
  const std::string copy = folder + "/muster";
  if (!process::copy_file(plan.facts.muster, copy, 0755)) {
    return base::fail(Fault::cannot_start, "is there room in /tmp?", "cannot copy muster to {}: {}",
                      copy, std::strerror(errno));
  }
  plan.facts.muster = plan.facts.inside = copy;
  return {};
}

void pass_variables(const std::vector<std::string>& environment, container::Facts& facts) {
  for (const char* name : kPassed) {
    std::string value = base::value_of(environment, name);
    if (!value.empty()) facts.variables.emplace_back(name, std::move(value));
  }
  facts.variables.emplace_back(process::kOutside, facts.folder);
  facts.variables.emplace_back(kHostIdentity, probe::identity());
}

}  // namespace

Result<void> choose_runtime(ContainerPlan& plan, const std::vector<std::string>& environment) {
  const std::string path = base::value_of(environment, "PATH") + std::string(kMorePlaces);
  const ContainerRuntime wanted = plan.spec.runtime;
  for (const ContainerRuntime one : container::all_runtimes()) {
    if (wanted != ContainerRuntime::automatic && wanted != one) continue;
    plan.facts.program = program_of(one, path);
    plan.spec.runtime = one;
    if (!plan.facts.program.empty()) return {};
  }
  return tl::unexpected(container::no_runtime(wanted));
}

Result<ContainerPlan> contain_here(const wire::Contain& wanted,
                                   const std::vector<std::string>& environment) {
  ContainerPlan plan{wanted.container, {}};
  if (auto chosen = choose_runtime(plan, environment); !chosen) {
    return tl::unexpected(chosen.error());
  }
  std::error_code ignored;
  plan.facts.name = fmt::format("{}-{}", wanted.name, probe::random_digits(8));
  plan.facts.muster = fs::read_symlink("/proc/self/exe", ignored).string();
  plan.facts.uid = ::geteuid();
  plan.facts.gid = ::getegid();
  plan.facts.own_daemon =
      base::value_of(environment, "DOCKER_HOST").find("/run/user/") != std::string::npos;
  look_for_devices(plan.facts);
  auto ready =
      make_folders(wanted.folders).and_then([&] { return check_mounts(plan.spec); }).and_then([&] {
        return make_shared_folder(plan);
      });
  if (!ready) return tl::unexpected(ready.error());
  pass_variables(environment, plan.facts);
  return plan;
}

}  // namespace muster::host
