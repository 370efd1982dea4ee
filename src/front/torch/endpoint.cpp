// Parts host and port.
#include "front/torch/endpoint.hpp"

#include <algorithm>

#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::Fault;

tl::unexpected<base::Error> no_endpoint(const Typed& typed) {
  return base::fail(Fault::usage, "for example node1:29400, or [::1]:29400",
                    "{} must be HOST or HOST:PORT, not {}", typed.option,
                    spec::in_quotes(typed.value));
}

}  // namespace

base::Result<TorchEndpoint> read_torch_endpoint(const Typed& typed) {
  const std::string_view text = typed.value;
  const bool bracketed = text.starts_with('[');
  const std::size_t end = std::min(text.find(bracketed ? ']' : ':'), text.size());
  const std::string_view host = text.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  std::string_view rest = text.substr(std::min(end + (bracketed ? 1 : 0), text.size()));
  const bool unclosed = bracketed && end == text.size();
  if (host.empty() || unclosed || host.find_first_of(" /@") != std::string_view::npos) {
    return no_endpoint(typed);
  }
  const bool is_number = host.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number) {
    return base::fail(Fault::usage, fmt::format("for example localhost:{}", host),
                      "{} must be HOST or HOST:PORT, and {} is not a host", typed.option, host);
  }
  TorchEndpoint endpoint{std::string(host)};
  if (rest.empty()) return endpoint;
  if (rest.front() != ':') return no_endpoint(typed);
  rest.remove_prefix(1);
  const auto port = spec::read_number("the port", rest, {0, spec::kPortMax}, Fault::usage);
  if (!port) return no_endpoint(typed);
  endpoint.port = *port;
  return endpoint;
}

}  // namespace muster::front
