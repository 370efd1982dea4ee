// Small files, read and written whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::store {

// False, with errno, when not all could be written.
[[nodiscard]] bool write_file(const std::string& path, std::string_view text);
// Nobody ever sees a part of it, nor does one stay beside it; others may do the same at once, and
// one of them is the last.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view text);
// The same of what was written to `fresh` another way, a process::fresh_name(): it gets its name,
// or goes where it is not whole (errno says why) or cannot get it. False, with errno.
[[nodiscard]] bool put_in_place(const std::string& fresh, const std::string& path, bool is_whole);
[[nodiscard]] bool write_all(int file, std::string_view bytes);
// After one of these has failed: "cannot write PATH: No space left on device".
[[nodiscard]] tl::unexpected<base::Error> cannot_write(base::Fault fault, const std::string& path);

// Makes a folder of its owner's alone, and the ones above it: what others wrote in a job file or on
// a command line is nobody else's business. False, with errno; EEXIST when it is there.
[[nodiscard]] bool make_closed_folder(const std::string& path);

// Of a record, another user may have put a link there, to what only this user can read.
enum class Links : std::uint8_t { refused, followed };

// To read; nothing when there is none, or something else lies there, a fifo or a device: whoever
// opens or reads one may have to wait for ever.
[[nodiscard]] process::UniqueFd open_file(const std::string& path, Links links = Links::refused);

// The same below a folder that others write to: no link on the way is followed, and "..", "." and
// absolute paths lead nowhere.
[[nodiscard]] process::UniqueFd open_below(const std::string& folder, std::string_view path);

// Of a record: what was asked, with all files that were read, is the longest.
inline constexpr std::size_t kTextMax = std::size_t{256} << 20;
// Nothing, too, when it holds more than `most` bytes.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path,
                                                   std::size_t most = kTextMax,
                                                   Links links = Links::refused);
// The same of one that is open.
[[nodiscard]] std::optional<std::string> read_open_file(int file, std::size_t most);

}  // namespace muster::store
