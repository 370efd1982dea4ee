// Commands are known by their names, behind others that only start them, such as env and sshpass.
#include "model/carrier_flags.hpp"

#include <algorithm>
#include <array>

namespace muster::model {
namespace {

constexpr CarrierFlags kOfSsh = {"-p", "-i"};
constexpr CarrierFlags kOfPlink = {"-P", "-i"};

// They reach hosts without ssh, or have words of their own for a port and a key.
constexpr std::array<std::string_view, 23> kOthers = {
    "aprun", "az",      "blaunch",    "clush", "docker",  "dsh", "flux",      "gcloud",
    "jsrun", "kubectl", "kubexec.sh", "lsrun", "nerdctl", "oc",  "pbs_tmrsh", "pbsdsh",
    "pdsh",  "podman",  "qrsh",       "remsh", "rexec",   "rsh", "srun"};

std::string_view basename(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

}  // namespace

std::string carrier_name(const std::vector<std::string>& words) {
  const auto shell = std::ranges::find(words, "/bin/sh");
  const bool is_script = words.end() - shell > 3 && shell[1] == "-c";
  return is_script ? shell[3] : words.front();
}

CarrierFlags carrier_flags(const std::vector<std::string>& command) {
  if (command.empty()) return kOfSsh;
  if (carrier_name(command) != command.front()) return {};  // it gives the host and nothing else
  for (const std::string& word : command) {
    const std::string_view name = basename(word);
    if (name == "ssh") return kOfSsh;
    if (name == "plink") return kOfPlink;
    if (std::ranges::count(kOthers, name) > 0) return {};
  }
  return kOfSsh;
}

std::vector<std::string> flag_words(const CarrierSpec& carrier, std::uint32_t port) {
  const CarrierFlags flags = carrier_flags(carrier.command);
  if (port == 0) port = carrier.port;
  std::vector<std::string> words;
  const auto add = [&](std::string_view flag, std::string value) {
    if (flag.empty()) return;
    words.emplace_back(flag);
    words.push_back(std::move(value));
  };
  if (port != 0) add(flags.port, std::to_string(port));
  if (!carrier.identity.empty()) add(flags.identity, carrier.identity);
  return words;
}

}  // namespace muster::model
