// Base64, in which Kubernetes takes the values of Secrets (RFC 4648, section 4). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster {

[[nodiscard]] std::string base64(std::string_view bytes);
// Nothing for text that is none.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace muster::cluster
