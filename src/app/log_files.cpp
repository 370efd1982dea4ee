// Makes and fills the files of ranks.
#include "app/log_files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/limits.hpp"
#include "view/destination.hpp"

namespace muster::app {
namespace {

using base::Rank;
using base::Result;
using machine::SinkId;
using model::Stream;

tl::unexpected<base::Error> cannot_make(const std::string& path) {
  return base::fail(base::Fault::bad_file, "name a folder that you may write to",
                    "cannot make {}: {}", path, std::strerror(errno));
}

// Like mkdir -p for the folders of a path; the file's own open tells what went wrong.
void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  }
}

int make_file(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int file = ::open(path.c_str(), kFlags, 0666);
  if (file >= 0 || errno != ENOENT) return file;
  make_folders(path);
  return ::open(path.c_str(), kFlags, 0666);
}

}  // namespace

Result<std::optional<LogFiles>> LogFiles::wanted(const model::OutputSpec& output,
                                                 const machine::Speakers& speakers) {
  if (output.out_file.empty() && output.err_file.empty()) return std::nullopt;
  raise_descriptor_limit();
  return create(output, speakers).map([](LogFiles logs) { return std::optional(std::move(logs)); });
}

Result<LogFiles> LogFiles::create(const model::OutputSpec& output,
                                  const machine::Speakers& speakers) {
  LogFiles logs;
  if (auto made = logs.make(output, speakers, speakers.worlds().front()); !made) {
    return tl::unexpected(made.error());
  }
  return logs;
}

Result<SinkId> LogFiles::open(const std::string& path) {
  const auto [at, is_new] = opened_.try_emplace(path, static_cast<SinkId>(files_.size()));
  if (!is_new) return at->second;
  process::UniqueFd file(make_file(path));
  if (!file) {
    opened_.erase(at);
    return cannot_make(path);
  }
  files_.push_back(std::move(file));
  return at->second;
}

Result<void> LogFiles::make(const model::OutputSpec& output, const machine::Speakers& speakers,
                            const model::World& world) {
  sinks_.reserve(sinks_.size() + 2 * std::size_t{world.size});
  for (std::uint32_t own = 0; own < world.size; ++own) {
    const Rank rank(world.first.value + own);
    const view::Speaker speaker = speakers.of(rank);
    for (const Stream stream : {Stream::out, Stream::err}) {
      const std::string path =
          speakers.elsewhere(rank) ? std::string() : view::file_of(output, speaker, stream);
      auto file = path.empty() ? Result<SinkId>(machine::kNowhere) : open(path);
      if (!file) return tl::unexpected(file.error());
      sinks_.push_back(*file);
    }
  }
  return {};
}

void LogFiles::add(const model::OutputSpec& output, const machine::Speakers& speakers) {
  try_make(output, speakers, speakers.worlds().back());
}

void LogFiles::begin_round(const model::OutputSpec& output, const machine::Speakers& speakers) {
  sinks_.clear();
  try_make(output, speakers, speakers.worlds().front());
}

void LogFiles::try_make(const model::OutputSpec& output, const machine::Speakers& speakers,
                        const model::World& world) {
  const std::size_t all = sinks_.size() + 2 * std::size_t{world.size};
  const auto made = make(output, speakers, world);
  if (!made && trouble_.empty()) trouble_ = made.error().what;
  sinks_.resize(all, machine::kNowhere);
}

SinkId LogFiles::sink_of(Rank rank, Stream stream) const {
  return sinks_[2 * rank.value + (stream == Stream::err ? 1 : 0)];
}

void LogFiles::write(SinkId file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(files_[file].get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (trouble_.empty()) {
        trouble_ = fmt::format("a log file cannot be written: {}; the logs are incomplete",
                               std::strerror(errno));
      }
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace muster::app
