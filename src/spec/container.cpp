// Reads the parts of a container's description.
#include "spec/container.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr const char* kMountExample = "for example /data, /data:/in or /data:/in:ro";

bool has_blank_or_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

// Runtimes separate the parts of a mount by commas and colons, each in its way.
bool is_mountable(std::string_view path) {
  const bool parted = path.find_first_of(",:\"\n\r") != std::string_view::npos;
  return path.starts_with('/') && !parted;
}

// Times 1024 for each letter of the unit's; nothing when there is no such unit.
std::optional<double> unit_of_memory(std::string unit) {
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.ends_with('i')) unit.pop_back();
  if (unit.empty()) return 1.0;
  const std::size_t power = std::string_view("kmgt").find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return std::pow(1024.0, static_cast<double>(power + 1));
}

}  // namespace

Result<model::ContainerRuntime> read_runtime(std::string_view text) {
  const std::vector<std::string> names = base::split(kRuntimeNames, " ");
  const auto found = std::ranges::find(names, base::lower(text));
  if (found != names.end()) {
    const auto number = found - names.begin() + 1;  // after `automatic`
    return static_cast<model::ContainerRuntime>(number);
  }
  if (text == "singularity") return model::ContainerRuntime::apptainer;
  if (text == "ch-run") return model::ContainerRuntime::charliecloud;
  const std::string all = "podman, docker, apptainer, enroot or charliecloud";
  return fail(Fault::usage, base::did_you_mean(std::string(text), names, ""), "must be {}, not {}",
              all, in_quotes(text));
}

Result<model::ContainerMount> read_mount(std::string_view text, const std::string& folder) {
  model::ContainerMount mount;
  std::string_view rest = text;
  for (const std::string_view mode : {":ro", ":rw"}) {
    if (!rest.ends_with(mode)) continue;
    mount.read_only = mode == ":ro";
    rest.remove_suffix(mode.size());
    break;
  }
  const std::size_t colon = rest.find(':');
  mount.source = rest.substr(0, colon);
  if (!mount.source.empty() && !mount.source.starts_with('/')) {
    mount.source = mount.source == "." ? folder : folder + "/" + mount.source;
  }
  mount.target = colon == std::string_view::npos ? mount.source : rest.substr(colon + 1);
  if (!is_mountable(mount.source) || !is_mountable(mount.target)) {
    return fail(Fault::usage, kMountExample,
                "must be SOURCE[:TARGET][:ro] with absolute paths without commas, not {}",
                in_quotes(text));
  }
  if (mount.target.find_first_not_of('/') == std::string::npos) {
    return fail(Fault::usage, kMountExample, "cannot cover the container's own root: {}",
                in_quotes(text));
  }
  return mount;
}

Result<std::uint64_t> read_shared_memory(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, wrong] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const auto unit = unit_of_memory(base::lower(std::string(after, end)));
  constexpr double kMost = 1e15;
  const bool fits = wrong == std::errc() && unit && number * *unit >= 1 && number * *unit <= kMost;
  if (fits) return static_cast<std::uint64_t>(std::llround(number * *unit));
  return fail(Fault::usage, "for example 8g or 512m", "must be a size, not {}", in_quotes(text));
}

Result<std::string> read_image(std::string_view text) {
  if (!text.empty() && !text.starts_with('-') && !has_blank_or_control(text)) {
    return std::string(text);
  }
  return fail(Fault::usage, "for example docker.io/pytorch/pytorch:2.4.0, or a file for apptainer",
              "must be the name of an image, not {}", in_quotes(text));
}

Result<std::string> read_device(std::string_view text) {
  const bool is_cdi = text.find('/') != std::string_view::npos && !text.starts_with('/') &&
                      text.find('=') != std::string_view::npos;
  const bool fine = text.starts_with("/dev/") || is_cdi;
  if (fine && !has_blank_or_control(text) && !text.starts_with('-')) return std::string(text);
  return fail(Fault::usage, "for example /dev/fuse or nvidia.com/gpu=all",
              "must be a path below /dev or a device of CDI, not {}", in_quotes(text));
}

}  // namespace muster::spec
