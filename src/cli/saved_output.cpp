// Reads on, and keeps what is not yet a line.
#include "cli/saved_output.hpp"

#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include "store/files.hpp"
#include "store/growing_file.hpp"

namespace muster::cli {

bool read_saved(const std::string& path, std::optional<std::uint32_t> tail,
                const std::function<bool(std::string_view)>& take) {
  constexpr std::size_t kPiece = std::size_t{512} << 10;
  const process::UniqueFd file = store::open_file(path);
  if (!file) return false;
  store::GrowingFile grows;
  grows.end(file.get());
  if (tail) grows.begin_at_last(file.get(), *tail);
  std::string rest;
  while (grows.read(file.get(), kPiece, [&](std::string_view bytes) { rest += bytes; }) > 0) {
    const std::size_t end = rest.size() > kPiece ? rest.size() : rest.rfind('\n') + 1;
    if (end > 0 && !take(std::string_view(rest).substr(0, end))) return true;
    rest.erase(0, end);
  }
  if (!rest.empty()) (void)take(rest);
  return true;
}

bool save_output(
    const std::string& path,
    const std::function<bool(const std::function<bool(std::string_view)>& write)>& speak) {
  const std::string fresh = path + ".new";
  bool is_good = store::write_file(fresh, "");
  const process::UniqueFd file(
      is_good ? ::open(fresh.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1);
  is_good = file && speak([&](std::string_view piece) {
              is_good = is_good && store::write_all(file.get(), piece);
              return is_good;
            }) &&
            is_good;
  if (is_good && ::rename(fresh.c_str(), path.c_str()) == 0) return true;
  (void)::unlink(fresh.c_str());
  return false;
}

}  // namespace muster::cli
