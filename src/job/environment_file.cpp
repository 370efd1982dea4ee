// Reads an environment's file along the keys that a job has for it.
#include "job/environment_file.hpp"

#include <algorithm>
#include <array>

#include "job/read_map.hpp"
#include "job/shared_keys.hpp"
#include "job/table_reader.hpp"
#include "job/values.hpp"

namespace muster::job {
namespace {

constexpr auto kFileKeys = [] {
  std::array<JobKey, std::size(kEnvironmentKeys) + 1> all{};
  all.front() = kSchema;
  std::ranges::copy(kEnvironmentKeys, all.begin() + 1);
  return all;
}();

std::string beside(const std::string& path, const std::string& named) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return named;
  return below(slash == 0 ? "/" : path.substr(0, slash), named);
}

// What `conda env export` writes: the packages themselves, and nothing of an image.
bool is_conda_file(const Node& root) {
  constexpr std::string_view kOthers[] = {"build", "conda", "conda_file", "docker", "image"};
  return find(root, "dependencies") != nullptr &&
         std::ranges::none_of(kOthers, [&](auto key) { return find(root, key) != nullptr; });
}

void move_beside(const std::string& path, std::optional<Text>& named) {
  if (named) named->text = beside(path, named->text);
}

}  // namespace

std::optional<std::string> environment_file(const Text& environment) {
  constexpr std::string_view kFile = "file:";
  if (!environment.text.starts_with(kFile)) return std::nullopt;
  return environment.text.substr(kFile.size());
}

void take_environment(std::string_view text, const std::string& path, JobFile& job,
                      Complaints& complaints) {
  const std::uint32_t number = complaints.add_source(path);
  const SharedNode root = read_map(text, {"an environment", "image:"}, complaints, number);
  if (!root) return;
  if (is_conda_file(*root)) {
    job.conda = Conda{Text{path, {1, 1, number}, {1, 1, number}, true}, {}, {1, 1, number}};
    return;
  }
  JobFile own;
  TableReader<JobFile>(own, complaints).read(*root, kFileKeys);
  if (own.conda) move_beside(path, own.conda->file);
  move_beside(path, own.build);
  job.image = std::move(own.image);
  job.environment_name = std::move(own.environment_name);
  job.build = std::move(own.build);
  job.dockerfile = std::move(own.dockerfile);
  job.conda = std::move(own.conda);
}

}  // namespace muster::job
