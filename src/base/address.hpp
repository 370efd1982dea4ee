// Addresses ("https://host/path?query") as people are shown them.
#pragma once

#include <string>
#include <string_view>

namespace muster::base {

// Of each address in a text, leaves out what may be a secret: a user and a password in front of the
// host (but not a container, as in wasbs://CONTAINER@ACCOUNT), and the query, which may hold a
// signature and becomes "?...". An address ends at a blank, a quote or a bracket. Pure.
[[nodiscard]] std::string without_secrets(std::string_view text);

}  // namespace muster::base
