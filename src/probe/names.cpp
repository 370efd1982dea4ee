// This machine's name, and the names that mean it.
#include <array>
#include <unistd.h>

#include "probe/own_names.hpp"
#include "probe/probe.hpp"
#include "probe/resolve.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

// A name that is unknown has none.
[[nodiscard]] std::vector<Address> addresses_of_name(const std::string& name) {
  std::vector<Address> found;
  const auto texts = resolve(name);
  for (const std::string& text : texts ? *texts : std::vector<std::string>{}) {
    if (const auto address = Address::parse(text)) found.push_back(*address);
  }
  return found;
}

[[nodiscard]] Self this_machine() {
  Self self{hostname(), {}, read_text("/etc/hosts"), addresses_of_name};
  for (const auto& entry : interface_addresses()) self.addresses.push_back(entry.address);
  return self;
}

}  // namespace

std::string hostname() {
  std::array<char, 256> name{};  // 64 bytes at most on Linux; the last byte stays 0
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::vector<std::string> local_names(std::span<const std::string> names) {
  if (names.empty()) return {};
  const Self self = this_machine();
  std::vector<std::string> own;
  for (const std::string& name : names) {
    if (is_own_name(self, name)) own.push_back(name);
  }
  return own;
}

}  // namespace muster::probe
