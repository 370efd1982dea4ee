// A name that has only addresses of an unknown kind counts as unknown.
#include "head/meeting_place.hpp"

#include "probe/resolve.hpp"

namespace muster::head {

base::Result<std::vector<asio::ip::tcp::endpoint>> endpoints_of(const model::Meeting& meeting) {
  const auto found = probe::resolve(meeting.host);
  if (!found) return tl::unexpected(found.error());
  std::vector<asio::ip::tcp::endpoint> endpoints;
  for (const std::string& text : *found) {
    std::error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (!error) endpoints.emplace_back(address, meeting.port);
  }
  if (!endpoints.empty()) return endpoints;
  return base::fail(base::Fault::unreachable, "is the name right?",
                    "{} has no address of a kind "
                    "that is known here",
                    meeting.host);
}

bool is_loopback(const model::Meeting& meeting) {
  std::error_code error;
  const auto address = asio::ip::make_address(meeting.host, error);
  return meeting.host == "localhost" || (!error && address.is_loopback());
}

}  // namespace muster::head
