// Decides whether a host name means this machine, cheapest means first.
#include "probe/own_names.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace muster::probe {
namespace {

// Host names know no case, and may end in the dot of DNS.
[[nodiscard]] std::string normal(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

[[nodiscard]] std::string first_label(const std::string& name) {
  return name.substr(0, name.find('.'));
}

[[nodiscard]] bool is_own_address(const Self& self, const Address& address) {
  return address.is_loopback() ||
         std::ranges::find(self.addresses, address) != self.addresses.end();
}

// Lines of /etc/hosts: "address name name # comment".
[[nodiscard]] bool hosts_file_says_so(const Self& self, const std::string& name) {
  std::istringstream lines(self.hosts_file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    const auto address = Address::parse(word);
    if (!address || !is_own_address(self, *address)) continue;
    while (words >> word) {
      if (normal(word) == name) return true;
    }
  }
  return false;
}

}  // namespace

bool is_own_name(const Self& self, const std::string& written) {
  if (const auto address = Address::parse(written)) return is_own_address(self, *address);
  const std::string name = normal(written);
  const std::string own = normal(self.hostname);
  if (name.empty()) return false;
  if (name == "localhost" || name == own || name == first_label(own)) return true;
  if (hosts_file_says_so(self, name)) return true;
  if (first_label(name) != first_label(own)) return false;
  const std::vector<Address> resolved = self.resolve(name);
  return std::ranges::any_of(resolved, [&](const auto& a) { return is_own_address(self, a); });
}

}  // namespace muster::probe
