// Finds and cuts the configuration file.
#include "front/hydra/config.hpp"

#include "front/call.hpp"
#include "spec/hosts.hpp"
#include "spec/word_lines.hpp"

namespace muster::front {
namespace {

using base::Result;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f") == std::string_view::npos;
}

}  // namespace

Result<HydraConfig> read_hydra_config(const HydraDraft& draft) {
  HydraConfig config{draft.config_file, {}, {}};
  if (config.path.empty()) {
    config.path = std::string(variable(*draft.call, "HYDRA_CONFIG_FILE").value_or(""));
  }
  const bool may_be_missing = config.path.empty();
  if (may_be_missing) {
    const auto home = variable(*draft.call, "HOME");
    if (!home || home->empty()) return config;
    config.path = std::string(*home) + "/.mpiexec.hydra.conf";
  }
  const ReadFile& read = may_be_missing ? reads_found(*draft.call) : draft.call->read_file;
  if (!read) return config;
  const auto text = read(config.path, spec::kHostTextMax);
  if (!text && may_be_missing) return config;
  if (!text) return tl::unexpected(text.error());
  if (is_blank(*text)) return config;
  auto lines = spec::read_appfile(*text, config.path, spec::LinesOf::hydra);
  if (!lines) return tl::unexpected(lines.error());
  for (spec::WordLine& line : *lines) {
    config.lines.push_back(std::move(line.words));
    config.places.push_back(line.place);
  }
  return config;
}

}  // namespace muster::front
