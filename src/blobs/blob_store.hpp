// BlobStore: contents by their hash, each once: a folder that all records of a person share.
//
// A blob is complete from the moment that it has its name, and never changes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "blobs/goes_on.hpp"
#include "process/unique_fd.hpp"

namespace muster::blobs {

// What a file was when its content was kept.
struct Kept {
  std::string hash;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
};

class BlobStore {
 public:
  // What copies or hashes contents asks `goes_on`.
  explicit BlobStore(std::string folder, GoesOn goes_on = {})
      : folder_(std::move(folder)), goes_on_(std::move(goes_on)) {}

  [[nodiscard]] const GoesOn& goes_on() const { return goes_on_; }

  // As long as the returned descriptor is open, no blob is removed. It is made with the folder.
  // Fault::bad_file where another user's folder is in its place, or a link of theirs.
  [[nodiscard]] base::Result<process::UniqueFd> hold();
  // Then nobody holds it, nor will before the descriptor is closed. Nothing: it is held, there is
  // no store, it is another user's, or locks do not work there.
  [[nodiscard]] process::UniqueFd hold_alone() const;

  // Keeps what the file holds. One that changes while it is read is read again, a few times.
  // Nothing: it is not there any more, or no file.
  [[nodiscard]] base::Result<std::optional<Kept>> keep(const std::string& file);

  // Adds the bytes that `give` hands on, if they have this hash.
  using Take = std::function<bool(std::string_view)>;
  [[nodiscard]] base::Result<void> add_from(const std::string& hash,
                                            const std::function<bool(const Take&)>& give);

  // Makes a new file of such content, which is checked on the way.
  [[nodiscard]] base::Result<void> copy_out(const std::string& hash, std::uint64_t size,
                                            const std::string& file, std::uint32_t mode);

  [[nodiscard]] bool has(const std::string& hash, std::uint64_t size) const;
  // Nothing: it is not there, or what is there is no blob.
  [[nodiscard]] std::optional<std::uint64_t> size_of(const std::string& hash) const;
  [[nodiscard]] std::string path_of(const std::string& hash) const;

  // Of a cache: what was used long ago goes first.
  void note_use(const std::string& hash) const;
  // Whether it has got contents that it did not have.
  [[nodiscard]] bool has_grown() const { return has_grown_; }

 private:
  // The folder in which a blob lies. A link in its place would lead to files of something else.
  [[nodiscard]] process::UniqueFd shelf_of(const std::string& hash) const;
  [[nodiscard]] base::Result<std::optional<Kept>> try_keep(const std::string& file);
  // The hash of what was written, which is what counts.
  [[nodiscard]] base::Result<std::string> add(int file);
  using Fill = std::function<std::optional<std::string>(int to)>;
  [[nodiscard]] base::Result<std::string> add_filled(const Fill& fill, const std::string& wanted);

  std::string folder_;
  GoesOn goes_on_;
  bool has_grown_ = false;
  std::set<std::string> trusted_;  // whose bytes this process has hashed itself
};

// Of the records in such a folder.
[[nodiscard]] std::string blobs_of(const std::string& records);

}  // namespace muster::blobs
