// Lists folders and files of /dev, /proc and /sys.
#include "probe/driver_files.hpp"

#include <algorithm>
#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <tuple>

#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Names that differ in a number at their end only: the shorter first.
void sort_by_number(std::vector<std::string>& names) {
  std::ranges::sort(names, [](const std::string& one, const std::string& other) {
    return std::tuple(one.size(), one) < std::tuple(other.size(), other);
  });
}

std::vector<std::string> numbered_among(std::vector<std::string> names, std::string_view stem) {
  std::erase_if(names, [&](const std::string& name) { return !is_numbered(name, stem); });
  sort_by_number(names);
  return names;
}

}  // namespace

std::vector<std::string> names_in(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  std::vector<std::string> names;
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

bool is_numbered(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || name.size() == stem.size()) return false;
  const std::string_view number = name.substr(stem.size());
  return std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

std::string said_of(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_not_of(" \t", at + label.size());
  const std::size_t end = std::min(text.find('\n', at), text.size());
  return begin >= end ? std::string() : std::string(text.substr(begin, end - begin));
}

std::vector<std::string> DriverFiles::numbered(std::string_view stem) const {
  return numbered_among(dev, stem);
}

std::vector<std::string> amd_nodes(const DriverFiles& files) {
  const std::string nodes = files.root + "/sys/class/kfd/kfd/topology/nodes";
  std::vector<std::string> texts;
  for (const std::string& name : numbered_among(names_in(nodes), "")) {
    const std::string id = read_text(fmt::format("{}/{}/gpu_id", nodes, name));
    if (id.empty() || id[0] == '0') continue;
    texts.push_back(read_text(fmt::format("{}/{}/properties", nodes, name)));
  }
  return texts;
}

std::vector<std::string> intel_renderers(const DriverFiles& files) {
  std::vector<std::string> found;
  for (const std::string& name : numbered_among(names_in(files.root + "/dev/dri"), "renderD")) {
    const std::string vendor =
        read_text(fmt::format("{}/sys/class/drm/{}/device/vendor", files.root, name));
    if (vendor.starts_with("0x8086")) found.push_back(name);
  }
  return found;
}

}  // namespace muster::probe
