// The interfaces over which others can reach this machine, and how ssh was reached.
#include <sstream>

#include "probe/addresses.hpp"
#include "probe/probe.hpp"

namespace muster::probe {

std::vector<model::Interface> interfaces() {
  std::vector<model::Interface> found;
  for (const auto& [name, address] : interface_addresses()) {
    if (address.is_loopback() || address.is_link_local()) continue;
    found.push_back({name, address.text()});
  }
  return found;
}

SshConnection ssh_connection(const std::string& ssh_connection_variable) {
  std::istringstream words(ssh_connection_variable);
  SshConnection found;
  std::string client_port;
  std::string server_port;
  if (!(words >> found.client >> client_port >> found.server >> server_port)) return {};
  return found;
}

}  // namespace muster::probe
