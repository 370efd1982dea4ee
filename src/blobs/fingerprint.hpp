// fingerprint: one hash of a file, or of all that lies in a folder.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "blobs/goes_on.hpp"

namespace muster::blobs {

// The target of a link that leads out of a folder is no part of it, but whoever reads the folder
// may read that, too.
enum class LeadsOutLinks : std::uint8_t { as_they_are, with_contents };

// The same for equal contents, wherever they lie and whenever they were written: names, kinds,
// modes, bytes, and where links lead. A link at the path itself is followed. Fault::bad_file for
// what cannot be read, and for what is no file, folder or link.
[[nodiscard]] base::Result<std::string> fingerprint(const std::string& path, LeadsOutLinks links,
                                                    const GoesOn& goes_on = {});

// What the kernel says of those files, none of which is read: as long as that is the same, so is
// the fingerprint.
struct Stamp {
  std::string text;
  timespec newest{};  // when the last of them changed
  // Whether whatever changes one of them from `now` on shows: file systems tell times in steps.
  [[nodiscard]] bool is_settled(const timespec& now) const;
};
// Nothing where not all of them can be asked.
[[nodiscard]] std::optional<Stamp> stamp(const std::string& path, LeadsOutLinks links,
                                         const GoesOn& goes_on = {});

// Of the bytes of one file.
[[nodiscard]] base::Result<std::string> file_hash(const std::string& path,
                                                  const GoesOn& goes_on = {});

}  // namespace muster::blobs
