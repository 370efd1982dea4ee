// Files read, sent and hashed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "blobs/goes_on.hpp"
#include "process/unique_fd.hpp"

namespace muster::blobs {

// Of a small file; nothing when there is none, or it is larger.
[[nodiscard]] std::optional<std::string> read_whole(const std::string& path, std::size_t most);

// The same of a file in a folder.
[[nodiscard]] std::optional<std::string> read_whole_at(int folder, const std::string& name,
                                                       std::size_t most);

// Calls `take` with the file's bytes from its beginning on, piece by piece; what is added meanwhile
// is not read. False, with errno: it cannot be read, or `take` returned false.
[[nodiscard]] bool read_pieces(int file, const std::function<bool(std::string_view)>& take);

// Of all that it holds; nothing with errno: it cannot be read, or that is given up.
[[nodiscard]] std::optional<std::string> hash_of(int file, const GoesOn& goes_on = {});

// Without links on its way; nothing: there is nothing.
[[nodiscard]] std::optional<std::string> real_path(const std::string& path);

// The same of what cannot be read twice, such as a pipe.
[[nodiscard]] bool read_stream(int file, const std::function<bool(std::string_view)>& take);

// All bytes of the first one to what may be a pipe; false with errno: ECANCELED when that is given
// up.
[[nodiscard]] bool send_file(int from, int to, const GoesOn& goes_on = {});

// A regular file to read, nothing with errno else: a link at its end is not followed.
[[nodiscard]] process::UniqueFd open_regular(const std::string& path);
[[nodiscard]] process::UniqueFd open_regular_at(int folder, const std::string& path);

}  // namespace muster::blobs
