// getaddrinfo: it loads what /etc/nsswitch.conf names.
#include "helper/names.hpp"

#include <array>
#include <memory>
#include <netdb.h>

namespace muster::helper {
namespace {

struct FreeAnswers {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

base::Result<std::vector<std::string>> addresses_of(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  int error = ::getaddrinfo(name.c_str(), nullptr, &wanted, &first);
  const std::unique_ptr<addrinfo, FreeAnswers> list(first);
  std::vector<std::string> found;
  for (const addrinfo* entry = first; entry != nullptr && error == 0; entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    error = ::getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0,
                          NI_NUMERICHOST);
    found.emplace_back(text.data());
  }
  if (error == 0) return found;
  return base::fail(base::Fault::unreachable, "is the name right?", "{}: {}", name,
                    ::gai_strerror(error));
}

}  // namespace muster::helper
