// This machine's name, and the names that mean it.
#include <array>
#include <memory>
#include <netdb.h>
#include <unistd.h>

#include "probe/own_names.hpp"
#include "probe/probe.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

struct FreeAnswers {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

[[nodiscard]] std::vector<Address> resolve(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &wanted, &first) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAnswers> list(first);
  std::vector<Address> found;
  for (const addrinfo* entry = first; entry != nullptr; entry = entry->ai_next) {
    if (const auto address = Address::from(entry->ai_addr)) found.push_back(*address);
  }
  return found;
}

[[nodiscard]] Self this_machine() {
  Self self{hostname(), {}, read_text("/etc/hosts"), resolve};
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
