// Looks for muster.yml beside the job, here, and in the user's configuration.
#include "front/targets.hpp"

#include "front/reach_options.hpp"
#include "job/yaml.hpp"

namespace muster::front {
namespace {

std::vector<std::string> places_of_targets(const Call& call, const std::string& folder) {
  std::vector<std::string> places = {folder + "/muster.yml", call.current_folder + "/muster.yml"};
  const auto configuration = variable(call, "XDG_CONFIG_HOME");
  const auto home = variable(call, "HOME");
  if (configuration && !configuration->empty()) {
    places.push_back(std::string(*configuration) + "/muster/muster.yml");
  } else if (home && !home->empty()) {
    places.push_back(std::string(*home) + "/.config/muster/muster.yml");
  }
  return places;
}

using ReadTargets = job::TargetsReading (*)(std::string_view text, const std::string& source);

base::Result<job::TargetsReading> read_by(ReadTargets read, const Call& call,
                                          const std::string& folder) {
  for (const std::string& place : places_of_targets(call, folder)) {
    if (!call.has_file(place)) continue;
    auto text = reads_found(call)(place, job::kFileMax);
    if (!text) return tl::unexpected(std::move(text.error()));
    return read(*text, place);
  }
  return job::TargetsReading{};
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

base::Result<job::TargetsReading> known_targets(const Call& call, const std::string& folder) {
  return read_by(job::read_targets, call, folder).map([](job::TargetsReading reading) {
    const job::Targets& targets = reading.targets;
    auto fine = check_reach(targets.run_reach, "run.", targets.source);
    if (!fine) reading.complaints.push_back(std::move(fine.error()));
    return reading;
  });
}

base::Result<job::Targets> run_defaults(const Call& call, const std::string& folder) {
  if (!call.has_file) return job::Targets();
  auto reading = read_by(job::read_run_defaults, call, folder);
  if (!reading) return tl::unexpected(std::move(reading.error()));
  if (reading->complaints.empty()) return std::move(reading->targets);
  return tl::unexpected(std::move(reading->complaints.front()));
}

}  // namespace muster::front
