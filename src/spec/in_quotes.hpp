// in_quotes: words that a person typed, made safe to show in one line of a complaint.
#pragma once

#include <string>
#include <string_view>

namespace muster::spec {

// 'text' in single quotes; bytes that are not printable ASCII as \xNN; cut after 60 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace muster::spec
