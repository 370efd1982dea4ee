// Small files, read and written whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::store {

// False, with errno, when not all could be written.
[[nodiscard]] bool write_file(const std::string& path, std::string_view text);
// Nobody ever sees a part of it.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view text);
[[nodiscard]] bool write_all(int file, std::string_view bytes);
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

}  // namespace muster::store
