// copy_file: the one way in which muster copies a file, and writes one that may have holes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "process/unique_fd.hpp"

namespace muster::process {

// `to`, an empty file, shares the blocks of `from` until either is changed. False: this cannot be
// done there.
[[nodiscard]] bool clone_file(int from, int to);

// `to`, an empty file, gets what the regular file `from` holds now: as a clone where
// that can be done, else byte by byte, and holes stay holes. False with errno.
// `goes_on` is asked before each piece of some MiB, unless it is empty; ECANCELED: it said no.
[[nodiscard]] bool copy_file(int from, int to, const std::function<bool()>& goes_on = {});

// An empty file in the place of any other, so that nobody waits for a fifo's reader; with errno.
[[nodiscard]] UniqueFd made_anew(const std::string& path);

// The same by names. What is at `to` already is replaced, and nothing stays of half a copy.
[[nodiscard]] bool copy_file(const std::string& from, const std::string& to, mode_t mode);

// Fills an empty file, piece by piece. Blocks of zeros take no room on the
// disk, however the pieces divide them.
class SparseWriter {
 public:
  explicit SparseWriter(int file) : file_(file) {}

  // False with errno.
  [[nodiscard]] bool add(std::string_view bytes);
  // Once all is added: zeros at the end count as well.
  [[nodiscard]] bool finish() const;

 private:
  [[nodiscard]] bool write_at(off_t at, std::string_view bytes) const;

  int file_;
  off_t size_ = 0;
};

}  // namespace muster::process
