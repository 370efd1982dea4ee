// Makes and fills the files of ranks.
#include "head/log_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/limits.hpp"
#include "process/output_file.hpp"
#include "process/write_all.hpp"
#include "store/folder.hpp"
#include "view/destination.hpp"

namespace muster::head {
namespace {

using base::Rank;
using base::Result;
using machine::SinkId;
using model::Stream;

tl::unexpected<base::Error> cannot_make(const std::string& path) {
  return base::fail(base::Fault::bad_file, "name a folder in which you may create files",
                    "cannot make {}: {}", path, process::output_trouble(errno));
}

// Like mkdir -p for the folders of a path; the file's own open tells what went wrong.
void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  }
}

constexpr base::Duration kReaderPatience = std::chrono::seconds(5);

process::UniqueFd make_file(const std::string& path, process::NamedBy whom) {
  auto file = process::open_output(path, whom);
  if (file || errno != ENOENT) return file;
  make_folders(path);
  return process::open_output(path, whom);
}

// A pattern without fields is the file's name as the user has written it.
process::NamedBy named_by(const model::Pattern& pattern) {
  const bool is_whole = std::ranges::all_of(
      pattern, [](const model::Piece& piece) { return piece.field == model::Field::text; });
  return is_whole ? process::NamedBy::user : process::NamedBy::muster;
}

}  // namespace

Result<std::optional<LogFiles>> LogFiles::wanted(const model::OutputSpec& output,
                                                 const machine::Speakers& speakers) {
  if (output.out_file.empty() && output.err_file.empty()) return std::nullopt;
  host::raise_descriptor_limit();
  return create(output, speakers).map([](LogFiles logs) { return std::optional(std::move(logs)); });
}

Result<LogFiles> LogFiles::create(const model::OutputSpec& output,
                                  const machine::Speakers& speakers) {
  LogFiles logs;
  if (!output.times_file.empty()) logs.times_.emplace(output.times_file);
  if (auto made = logs.make(output, speakers, speakers.worlds().front()); !made) {
    return tl::unexpected(made.error());
  }
  return logs;
}

Result<SinkId> LogFiles::open(const std::string& path, const model::Pattern& pattern) {
  const auto [at, is_new] = opened_.try_emplace(path, static_cast<SinkId>(files_.size()));
  if (!is_new) {
    ++files_[at->second].streams;
    return at->second;
  }
  process::UniqueFd file = make_file(path, named_by(pattern));
  if (!file) {
    opened_.erase(at);
    return cannot_make(path);
  }
  struct stat facts {};
  const bool is_plain = ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        !process::is_printed_to(file.get());
  files_.push_back({std::move(file), &at->first, is_plain});
  return at->second;
}

Result<void> LogFiles::make(const model::OutputSpec& output, const machine::Speakers& speakers,
                            const model::World& world) {
  sinks_.reserve(sinks_.size() + 2 * std::size_t{world.size});
  for (std::uint32_t own = 0; own < world.size; ++own) {
    const Rank rank(world.first.value + own);
    const view::Speaker speaker = speakers.of(rank);
    for (const Stream stream : {Stream::out, Stream::err}) {
      const model::Pattern& pattern = stream == Stream::out ? output.out_file : output.err_file;
      const std::string path =
          speakers.elsewhere(rank) ? std::string() : view::file_of(output, speaker, stream);
      auto file = path.empty() ? Result<SinkId>(machine::kNowhere) : open(path, pattern);
      if (!file) return tl::unexpected(file.error());
      sinks_.push_back(*file);
      if (*file != machine::kNowhere && files_[*file].streams == 1) {
        files_[*file].name = {world.number, own, stream == Stream::err};
      }
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
  File& its = files_[file];
  if (times_) times_->note(its.name, its.size, store::utc_now());
  const process::Written written =
      its.is_plain ? process::write_all(its.fd.get(), bytes) : write_at_pace_of(its, bytes);
  its.size += written.bytes;
  if (written.error == 0) return;
  lost_ += bytes.size() - written.bytes;
  if (trouble_.empty()) {
    const char* why = its.given_up ? "its reader does not read" : std::strerror(written.error);
    trouble_ = fmt::format("cannot write to {}: {}", *its.path, why);
  }
}

// A FIFO whose reader pauses holds the run up, for less than hosts wait for a silent head.
process::Written LogFiles::write_at_pace_of(File& file, std::string_view bytes) {
  if (file.given_up) return {0, ETIMEDOUT};
  const process::Written written = process::write_while_read(file.fd.get(), bytes, kReaderPatience);
  file.given_up = written.error == ETIMEDOUT;
  return written;
}

bool LogFiles::can_be_read(SinkId file) const {
  return file != machine::kNowhere && files_[file].is_plain && files_[file].streams == 1;
}

// Opened for each piece: a thousand ranks that are far behind would need as many descriptors.
std::size_t LogFiles::read(SinkId file, std::uint64_t at, std::span<char> into) const {
  const std::string path = fmt::format("/proc/self/fd/{}", files_[file].fd.get());
  const process::UniqueFd again(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!again) return 0;
  const ssize_t got = ::pread(again.get(), into.data(), into.size(), static_cast<off_t>(at));
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::string LogFiles::trouble() const {
  if (trouble_.empty() || lost_ == 0) return trouble_;
  return fmt::format("{}; {} byte{} missing in the log files", trouble_, lost_,
                     lost_ == 1 ? " is" : "s are");
}

}  // namespace muster::head
