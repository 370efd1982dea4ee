// NVIDIA tells buses and UUIDs in /proc, AMD in /sys/class/kfd, Intel in /sys/class/drm; Ascend's
// devices keep the numbers of their files in containers, which count them anew.
#include "probe/device_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "base/words.hpp"
#include "probe/driver_files.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

constexpr std::string_view kMakers[] = {"nvidia", "amd", "intel", "ascend"};

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

bool begins_like(std::string_view whole, std::string_view begin) {
  return begin.size() <= whole.size() &&
         std::ranges::equal(whole.substr(0, begin.size()), begin, [](char one, char other) {
           return std::tolower(static_cast<unsigned char>(one)) ==
                  std::tolower(static_cast<unsigned char>(other));
         });
}

// What an entry of a variable names: a device, and a part of it.
struct Entry {
  std::string_view whole;
  std::string_view part;  // may be empty
  bool is_mig = false;    // a part whose device the name does not tell
};

// "MIG-GPU-UUID/7/0" of drivers before 470 and "MIG-UUID" of later ones; "0.1", a tile of Intel's.
Entry read_entry(std::string_view id, bool intel) {
  constexpr std::string_view kMig = "MIG-";
  if (id.starts_with(kMig)) {
    const std::string_view rest = id.substr(kMig.size());
    const std::size_t slash = rest.find('/');
    if (!rest.starts_with("GPU-") || slash == std::string_view::npos) return {"", id, true};
    return {rest.substr(0, slash), rest.substr(slash + 1)};
  }
  const std::size_t dot = intel ? id.find('.') : std::string_view::npos;
  if (dot == std::string_view::npos) return {id, ""};
  return {id.substr(0, dot), id.substr(dot + 1)};
}

// "GPU-..." of "GPU 0: NVIDIA H200 (UUID: GPU-...)" and of the parts below that line:
// "  MIG 1g.18gb     Device  0: (UUID: MIG-...)".
std::string gpu_of_part(const std::string& listing, std::string_view part) {
  constexpr std::string_view kUuid = "(UUID: ";
  std::string gpu;
  for (const std::string& line : base::split(listing, "\n")) {
    const std::size_t at = line.find(kUuid);
    if (at == std::string::npos) continue;
    std::string uuid = line.substr(at + kUuid.size());
    uuid.resize(std::min(uuid.find(')'), uuid.size()));
    if (uuid.starts_with("GPU-")) {
      gpu = std::move(uuid);
    } else if (begins_like(uuid, part)) {
      return gpu;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> listing_words() { return {"nvidia-smi", "-L"}; }

DeviceNames::Maker DeviceNames::maker_of(std::string_view variable) {
  if (variable.starts_with("CUDA")) return Maker::nvidia;
  // ROCR and HIP name the same devices.
  if (variable.starts_with("ROCR") || variable.starts_with("HIP")) return Maker::amd;
  return variable.starts_with("ZE") ? Maker::intel : Maker::ascend;
}

DeviceNames::DeviceNames(const std::string& root, std::string listing)
    : devices_{nvidia(root), amd(root), intel(root), ascend(root)},
      batch_job_(batch_job_of(read_text(root + "/proc/self/cgroup"))),
      listing_(std::move(listing)) {}

// In the order of their bus.
DeviceNames::Devices DeviceNames::nvidia(const std::string& root) {
  const DriverFiles files{root};
  const std::string gpus = root + "/proc/driver/nvidia/gpus";
  const bool lists_nodes = files.count("nvidia") > 0;
  Devices found;
  for (std::string& bus : names_in(gpus)) {
    const std::string text = read_text(fmt::format("{}/{}/information", gpus, bus));
    const std::string minor = said_of(text, "Device Minor:");
    if (lists_nodes && std::ranges::count(files.dev, "nvidia" + minor) == 0) continue;
    const auto parts =
        names_in(fmt::format("{}/proc/driver/nvidia/capabilities/gpu{}/mig", root, minor));
    const bool in_parts =
        std::ranges::any_of(parts, [](const auto& name) { return is_numbered(name, "gi"); });
    found.push_back({std::move(bus), said_of(text, "GPU UUID:"), in_parts});
  }
  std::ranges::sort(found, {}, &Known::name);
  return found;
}

// Partitions of a GPU have one bus and a file each.
DeviceNames::Devices DeviceNames::amd(const std::string& root) {
  Devices found;
  for (const std::string& text : amd_nodes({root})) {
    std::uint64_t unique = 0;
    const std::string number = said_of(text, "unique_id ");
    std::from_chars(number.data(), number.data() + number.size(), unique);
    const std::string renderer = said_of(text, "drm_render_minor ");
    found.push_back({renderer.empty() || renderer == "0" ? "" : "renderD" + renderer,
                     unique == 0 ? "" : fmt::format("GPU-{:016x}", unique)});
  }
  return found;
}

DeviceNames::Devices DeviceNames::intel(const std::string& root) {
  Devices found;
  for (const std::string& renderer : intel_renderers({root})) {
    found.push_back(
        {said_of(read_text(fmt::format("{}/sys/class/drm/{}/device/uevent", root, renderer)),
                 "PCI_SLOT_NAME="),
         ""});
  }
  return found;
}

DeviceNames::Devices DeviceNames::ascend(const std::string& root) {
  Devices found;
  for (std::string& name : DriverFiles{root}.numbered("davinci")) {
    found.push_back({std::move(name), ""});
  }
  return found;
}

const DeviceNames::Known* DeviceNames::find(Maker maker, std::string_view id) const {
  const Devices& known = devices_.at(static_cast<std::size_t>(maker));
  auto found = known.end();
  if (is_numbered(id, "")) {
    std::size_t index = known.size();
    std::from_chars(id.data(), id.data() + id.size(), index);
    if (index < known.size()) found = known.begin() + static_cast<std::ptrdiff_t>(index);
  } else if (!id.empty()) {
    found = std::ranges::find_if(known, [&](const auto& one) { return begins_like(one.uuid, id); });
  }
  return found == known.end() || found->name.empty() ? nullptr : &*found;
}

std::ptrdiff_t DeviceNames::count_in_parts() const {
  const Devices& known = devices_.at(static_cast<std::size_t>(Maker::nvidia));
  return std::ranges::count_if(known, &Known::in_parts);
}

bool DeviceNames::needs_listing(std::string_view variable, std::string_view id) const {
  const Maker maker = maker_of(variable);
  return read_entry(id, maker == Maker::intel).is_mig && count_in_parts() > 1;
}

// The only GPU that has parts; of several, the driver's tool knows.
const DeviceNames::Known* DeviceNames::whole_of(std::string_view part) const {
  const Devices& known = devices_.at(static_cast<std::size_t>(Maker::nvidia));
  const auto count = count_in_parts();
  if (count == 1) return &*std::ranges::find_if(known, &Known::in_parts);
  if (count == 0) return nullptr;
  return find(Maker::nvidia, gpu_of_part(listing_, part));
}

std::string DeviceNames::claim_of(std::string_view variable, std::string_view id) const {
  const Maker maker = maker_of(variable);
  const std::string_view word = kMakers[static_cast<std::size_t>(maker)];
  const Entry entry = read_entry(id, maker == Maker::intel);
  const std::string part = entry.part.empty() ? "" : fmt::format("/{}", entry.part);
  if (is_numbered(entry.whole, "") && !batch_job_.empty()) {
    return fmt::format("device-{}-{}", word,
                       plain(fmt::format("{}-{}{}", batch_job_, entry.whole, part)));
  }
  const Known* known = entry.is_mig ? whole_of(entry.part) : find(maker, entry.whole);
  const std::string whole = known != nullptr ? known->name : std::string(entry.whole);
  return fmt::format("device-{}-{}", word, plain(whole.empty() ? std::string(id) : whole + part));
}

bool needs_listing(std::span<const model::Devices> devices, const std::string& root) {
  if (devices.empty()) return false;
  const DeviceNames names(root);
  return std::ranges::any_of(devices, [&](const model::Devices& one) {
    return std::ranges::any_of(
        one.ids, [&](const std::string& id) { return names.needs_listing(one.variable, id); });
  });
}

}  // namespace muster::probe
