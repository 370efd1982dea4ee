// Tells a number from a host.
#include "front/master_address.hpp"

#include "front/late.hpp"

namespace muster::front {
namespace {

// "--master_port" of "--master_addr", "PET_MASTER_PORT" of "PET_MASTER_ADDR".
std::string option_of_port(std::string_view option) {
  std::string name(option);
  for (const auto& [host, port] : {std::pair("addr", "port"), std::pair("ADDR", "PORT")}) {
    const std::size_t at = name.rfind(host);
    if (at != std::string::npos) return name.replace(at, 4, port);
  }
  return "--master_port";  // the name was cut short
}

}  // namespace

base::Result<std::string> read_master_address(const Typed& typed) {
  const bool is_number =
      !typed.value.empty() && typed.value.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::string(typed.value);
  return base::fail(
      kRefusedLate, fmt::format("did you mean {} {}?", option_of_port(typed.option), typed.value),
      "{} must be a name or an address of a host, and {} is a number", typed.option, typed.value);
}

}  // namespace muster::front
