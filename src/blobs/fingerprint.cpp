// Hashes names and contents in one order.
#include "blobs/fingerprint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "blobs/files.hpp"
#include "blobs/sha256.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using base::Result;

constexpr int kFoldersMax = 256;  // within each other

tl::unexpected<base::Error> cannot_hash(const fs::path& path, std::string_view why) {
  return base::fail(base::Fault::bad_file, "", "cannot read {}: {}", path.string(), why);
}

class Hasher {
 public:
  Result<void> add(const fs::path& path, std::string_view name, fs::file_status status, int depth) {
    switch (status.type()) {
      case fs::file_type::regular:
        return add_file(path, name, status);
      case fs::file_type::directory:
        return add_folder(path, name, depth);
      case fs::file_type::symlink:
        return add_link(path, name);
      default:
        return cannot_hash(path, "it is neither a file, a folder nor a link");
    }
  }

  std::string take() { return hash_.take(); }

 private:
  // Lengths keep one name from running into the next.
  void head(std::string_view kind, std::string_view name) {
    hash_.add(fmt::format("{} {} {}\n", kind, name.size(), name));
  }

  Result<void> add_file(const fs::path& path, std::string_view name, fs::file_status status) {
    const bool runs = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    head(runs ? "program" : "file", name);
    return file_hash(path).map([&](const std::string& own) { hash_.add(own); });
  }

  Result<void> add_link(const fs::path& path, std::string_view name) {
    std::error_code wrong;
    const std::string target = fs::read_symlink(path, wrong);
    if (wrong) return cannot_hash(path, wrong.message());
    head("link", name);
    head("to", target);
    return {};
  }

  Result<void> add_folder(const fs::path& path, std::string_view name, int depth) {
    if (depth > kFoldersMax) return cannot_hash(path, "too many folders within each other");
    std::error_code wrong;
    std::vector<fs::path> inside;
    for (const fs::directory_entry& one : fs::directory_iterator(path, wrong)) {
      inside.push_back(one.path());
    }
    if (wrong) return cannot_hash(path, wrong.message());
    std::ranges::sort(inside);
    head("folder", name);
    for (const fs::path& one : inside) {
      const std::string own = one.filename();
      auto added = add(one, own, fs::symlink_status(one, wrong), depth + 1);
      if (!added) return added;
    }
    head("end", "");
    return {};
  }

  Sha256 hash_;
};

}  // namespace

Result<std::string> file_hash(const std::string& path) {
  const process::UniqueFd file = open_regular(path);
  Sha256 own;
  const bool read = file && read_pieces(file.get(), [&](std::string_view piece) {
                      own.add(piece);
                      return true;
                    });
  return read ? Result<std::string>(own.take()) : cannot_hash(path, std::strerror(errno));
}

Result<std::string> fingerprint(const std::string& path) {
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  if (wrong) return cannot_hash(path, wrong.message());
  Hasher hasher;
  return hasher.add(real, "", fs::status(real, wrong), 0).map([&] { return hasher.take(); });
}

}  // namespace muster::blobs
