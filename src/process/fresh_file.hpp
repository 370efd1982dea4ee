// A file that is to take the place of another once it is whole. Any number of processes may write
// for the same place at the same time.
#pragma once

#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace muster::process {

// Beside `path`, one that no other process knows: "PATH.new-" and 12 digits, with the beginning of
// a name that is long. Where whoever uses it is killed, it stays, and its name tells what it was.
[[nodiscard]] std::string fresh_name(const std::string& path);
// Whether fresh_name() gives such names.
[[nodiscard]] bool is_fresh_name(std::string_view name);

class FreshFile {
 public:
  // In the folder of `path`, for its owner alone. It has no name before it is whole, so nothing
  // stays of one that was killed; file systems that have no such files (NFS) give it fresh_name().
  // False, with errno: it cannot be made.
  explicit FreshFile(std::string path);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  explicit operator bool() const { return bool(file_); }
  [[nodiscard]] int get() const { return file_.get(); }

  // False, with errno: what was there is still there, and this one goes.
  [[nodiscard]] bool take_place();
  // Likewise, in another folder of the same file system: of a file that is named by its content.
  [[nodiscard]] bool take_place_of(const std::string& path);

 private:
  [[nodiscard]] bool take_name();

  std::string path_;
  std::string name_;  // empty: it has none
  UniqueFd file_;
};

}  // namespace muster::process
