// Counts accelerators by the files that their drivers make.
#include "probe/devices.hpp"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>

#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

using model::Devices;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<std::string> names_in(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  std::vector<std::string> names;
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

// "nvidia0" and "nvidia12", not "nvidiactl".
bool is_numbered(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || name.size() == stem.size()) return false;
  const std::string_view number = name.substr(stem.size());
  return std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

// Where drivers make their files; /dev is long, and read once.
struct DriverFiles {
  std::string root;
  std::vector<std::string> dev = names_in(root + "/dev");

  [[nodiscard]] std::size_t count(std::string_view stem) const {
    const auto count =
        std::ranges::count_if(dev, [&](const std::string& n) { return is_numbered(n, stem); });
    return static_cast<std::size_t>(count);
  }
};

// A container sees all GPUs of the host in /proc, but only its own in /dev.
std::size_t count_nvidia(const DriverFiles& files) {
  const std::size_t usable = files.count("nvidia");
  return usable > 0 ? usable : names_in(files.root + "/proc/driver/nvidia/gpus").size();
}

// Processors are nodes there too, with gpu_id 0.
std::size_t count_amd(const DriverFiles& files) {
  const std::string nodes = files.root + "/sys/class/kfd/kfd/topology/nodes";
  std::size_t count = 0;
  for (const std::string& name : names_in(nodes)) {
    const std::string id = read_text(fmt::format("{}/{}/gpu_id", nodes, name));
    count += !id.empty() && id[0] != '0';
  }
  return count;
}

std::size_t count_intel(const DriverFiles& files) {
  std::size_t count = 0;
  for (const std::string& name : names_in(files.root + "/dev/dri")) {
    if (!is_numbered(name, "renderD")) continue;
    const std::string vendor =
        read_text(fmt::format("{}/sys/class/drm/{}/device/vendor", files.root, name));
    count += vendor.starts_with("0x8086");
  }
  return count;
}

std::size_t count_ascend(const DriverFiles& files) { return files.count("davinci"); }

// A variable that is set to nothing allows no device; one that is not set allows all.
std::optional<std::string> set_value(std::span<const std::string> environment,
                                     std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

// CUDA's rule, which the others follow: the list ends at the first entry that is no device.
std::vector<std::string> listed(const std::string& value) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    std::string id = value.substr(at, comma - at);
    if (id.empty() || id.starts_with("-") || id == "NoDevFiles") break;
    ids.push_back(std::move(id));
    at = comma + 1;
  }
  return ids;
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(std::to_string(i));
  return ids;
}

// What stands behind a label in a GPU's file "information"; empty: there is no such line.
std::string said_of(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_not_of(" \t", at + label.size());
  const std::size_t end = std::min(text.find('\n', at), text.size());
  return begin >= end ? std::string() : std::string(text.substr(begin, end - begin));
}

// Where batch systems keep the control groups of their jobs: Slurm's
// "/system.slice/slurmstepd.scope/job_4711/step_0", "/slurm/uid_0/job_7"; PBS's
// "/pbs_jobs.service/jobid/12.head"; LSF's "/lsf/cluster/job.5.17".
struct BatchGroup {
  std::string_view system;
  std::string_view job;
};
constexpr BatchGroup kBatchGroups[] = {
    {"slurm", "/job_"}, {"pbs_jobs", "/jobid/"}, {"/lsf/", "/job."}};

std::string batch_job_of(std::string_view groups) {
  for (const BatchGroup& one : kBatchGroups) {
    const std::size_t system = groups.find(one.system);
    if (system == std::string_view::npos) continue;
    const std::size_t job = groups.find(one.job, system);
    if (job == std::string_view::npos) continue;
    const std::size_t begin = job + one.job.size();
    return "job_" + std::string(groups.substr(begin, groups.find_first_of("/\n", begin) - begin));
  }
  return {};
}

// ROCR and HIP name the same devices.
std::string_view maker_of(std::string_view variable) {
  if (variable.starts_with("CUDA")) return "nvidia";
  if (variable.starts_with("ROCR") || variable.starts_with("HIP")) return "amd";
  return variable.starts_with("ZE") ? "intel" : "ascend";
}

// Fit for the name of a socket, which has room for 107 bytes.
std::string plain(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  std::string text(name.substr(0, kLongest));
  for (char& c : text) {
    const bool may_stay = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == ':' || c == '.' || c == '/';
    if (!may_stay) c = '_';
  }
  return text;
}

struct Maker {
  std::size_t (*count)(const DriverFiles& files);
  std::vector<std::string> variables;  // the first is ours to set when none is set
};

}  // namespace

std::vector<Devices> devices(const std::string& root, std::span<const std::string> environment) {
  const Maker makers[] = {
      {count_nvidia, {"CUDA_VISIBLE_DEVICES"}},
      // HIP numbers what ROCR leaves: the one that the user limits by is the one to divide.
      {count_amd, {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}},
      {count_intel, {"ZE_AFFINITY_MASK"}},
      {count_ascend, {"ASCEND_RT_VISIBLE_DEVICES"}},
  };
  const DriverFiles files{root};
  std::vector<Devices> all;
  for (const Maker& maker : makers) {
    Devices one{maker.variables.front(), {}};
    bool limited = false;
    for (const std::string& variable : maker.variables) {
      const auto value = set_value(environment, variable);
      if (!value) continue;
      limited = true;
      one = {variable, listed(*value)};
    }
    if (!limited) one.ids = numbered(maker.count(files));
    if (!one.ids.empty()) all.push_back(std::move(one));
  }
  return all;
}

DeviceNames::DeviceNames(const std::string& root)
    : batch_job_(batch_job_of(read_text(root + "/proc/self/cgroup"))) {
  const DriverFiles files{root};
  const std::string gpus = root + "/proc/driver/nvidia/gpus";
  const bool lists_nodes = files.count("nvidia") > 0;
  for (std::string& bus : names_in(gpus)) {
    const std::string text = read_text(fmt::format("{}/{}/information", gpus, bus));
    const std::string node = "nvidia" + said_of(text, "Device Minor:");
    if (lists_nodes && std::ranges::count(files.dev, node) == 0) continue;
    nvidia_.push_back({std::move(bus), said_of(text, "GPU UUID:")});
  }
  std::ranges::sort(nvidia_, {}, &Gpu::bus);
}

std::string DeviceNames::claim_of(std::string_view variable, std::string_view id) const {
  const std::string_view maker = maker_of(variable);
  const bool is_index = is_numbered(id, "");
  if (is_index && !batch_job_.empty()) {
    return fmt::format("device-{}-{}", maker, plain(fmt::format("{}-{}", batch_job_, id)));
  }
  auto gpu = nvidia_.end();
  if (is_index) {
    std::size_t index = nvidia_.size();
    std::from_chars(id.data(), id.data() + id.size(), index);
    if (index < nvidia_.size()) gpu = nvidia_.begin() + static_cast<std::ptrdiff_t>(index);
  } else {
    gpu = std::ranges::find_if(nvidia_, [&](const Gpu& one) { return one.uuid.starts_with(id); });
  }
  const bool is_known = maker == "nvidia" && gpu != nvidia_.end();
  return fmt::format("device-{}-{}", maker, plain(is_known ? std::string_view(gpu->bus) : id));
}

std::string gpu_model(const std::string& root) {
  const std::string gpus = root + "/proc/driver/nvidia/gpus";
  std::string common;
  for (const std::string& bus : names_in(gpus)) {
    const std::string text = read_text(fmt::format("{}/{}/information", gpus, bus));
    const std::string model = said_of(text, "Model:");
    if (model.empty() || (!common.empty() && model != common)) return {};
    common = model;
  }
  return common;
}

}  // namespace muster::probe
