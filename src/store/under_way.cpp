// Goes through the records of steps, of which a sweep's have steps themselves.
#include "store/under_way.hpp"

#include <fcntl.h>
#include <filesystem>
#include <functional>

#include "process/tree.hpp"
#include "store/folder.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;
using process::FileKind;
using process::FolderEntry;
using process::UniqueFd;
using IsMeant = std::function<bool(const std::string& folder)>;

UniqueFd open_record(const std::string& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Until one is meant; steps whose records are just being made count, too.
std::optional<std::string> first_step(int record, const std::string& folder, int depth,
                                      const IsMeant& is_meant) {
  constexpr int kStepsMost = 16;
  const UniqueFd steps = process::open_folder(record, "steps");
  if (!steps || depth > kStepsMost) return std::nullopt;
  for (const FolderEntry& entry : process::entries_of(steps.get())) {
    if (entry.kind != FileKind::folder) continue;
    const std::string its = folder + "/steps/" + entry.name;
    if (is_meant(its)) return its;
    const UniqueFd step = process::open_folder(steps.get(), entry.name);
    if (auto found = first_step(step.get(), its, depth + 1, is_meant)) return found;
  }
  return std::nullopt;
}

void add_target(const fs::path& link, std::vector<std::string>& targets) {
  std::error_code wrong;
  const fs::path said = fs::read_symlink(link, wrong);
  if (wrong) return;
  targets.push_back((link.parent_path() / said).lexically_normal().string());
  const fs::path place = fs::canonical(link, wrong);
  if (!wrong && place != targets.back()) targets.push_back(place.string());
}

void add_linked(const std::string& record, std::vector<std::string>& targets) {
  const UniqueFd opened = open_record(record);
  const UniqueFd inputs = process::open_folder(opened.get(), "inputs");
  for (const FolderEntry& input : process::entries_of(inputs.get())) {
    const fs::path path = fs::path(record) / "inputs" / input.name;
    if (input.kind == FileKind::other) add_target(path, targets);
    if (input.kind != FileKind::folder) continue;
    const UniqueFd files = process::open_folder(inputs.get(), input.name);
    for (const FolderEntry& file : process::entries_of(files.get())) {
      if (file.kind == FileKind::other) add_target(path / file.name, targets);
    }
  }
}

}  // namespace

std::optional<std::string> running_step(const std::string& folder) {
  const auto is_held = [](const std::string& step) {
    const UniqueFd events = open_events(step);
    return events && holder_of(events.get()).has_value();
  };
  const auto found = first_step(open_record(folder).get(), folder, 0, is_held);
  return found ? std::optional(run_of(*found)) : std::nullopt;
}

std::vector<std::string> linked_inputs(const std::string& folder) {
  std::vector<std::string> targets;
  const auto add = [&](const std::string& record) {
    add_linked(record, targets);
    return false;
  };
  (void)add(folder);
  (void)first_step(open_record(folder).get(), folder, 0, add);
  return targets;
}

}  // namespace muster::store
