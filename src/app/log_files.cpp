// Makes and fills the ranks' log files.
#include "app/log_files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::app {
namespace {

tl::unexpected<base::Error> cannot_make(const std::string& path) {
  return base::fail(base::Fault::bad_file, "name a folder that you may write to",
                    "--logs: cannot make {}: {}", path, std::strerror(errno));
}

// Like mkdir -p, for a path whose parts may exist.
bool make_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  }
  return ::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST;
}

}  // namespace

base::Result<LogFiles> LogFiles::create(const std::string& folder, std::uint32_t world_size) {
  LogFiles logs;
  logs.folder_ = folder;
  if (auto made = logs.make(folder, world_size); !made) return tl::unexpected(made.error());
  return logs;
}

base::Result<void> LogFiles::make(const std::string& folder, std::uint32_t ranks) {
  const std::size_t width = std::to_string(ranks - 1).size();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string place = fmt::format("{}/rank.{:0{}}", folder, rank, width);
    if (!make_folder(place)) return cannot_make(place);
    for (const char* name : {"/stdout", "/stderr"}) {
      const std::string path = place + name;
      files_.emplace_back(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
      if (!files_.back()) return cannot_make(path);
    }
  }
  return {};
}

void LogFiles::add(const model::World& world) {
  const std::size_t all = files_.size() + 2 * std::size_t{world.size};
  const auto made = make(fmt::format("{}/{}", folder_, world.number), world.size);
  if (!made && trouble_.empty()) trouble_ = made.error().what;
  files_.resize(all);
}

void LogFiles::write(base::Rank rank, wire::Stream stream, std::string_view bytes) {
  const int file = files_[2 * rank.value + (stream == wire::Stream::err ? 1 : 0)].get();
  while (file >= 0 && !bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (trouble_.empty()) {
        trouble_ =
            fmt::format("--logs {}: {}; the logs are incomplete", folder_, std::strerror(errno));
      }
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace muster::app
