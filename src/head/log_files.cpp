// Makes and fills the files of ranks.
#include "head/log_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
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
  const int error = errno;
  return base::fail(base::Fault::bad_file, process::output_hint(error), "cannot make {}: {}", path,
                    process::output_trouble(error));
}

using Paths = std::vector<std::string>;

// Like mkdir -p for the folders of a path; the file's own open tells what went wrong.
void make_folders(const std::string& path, Paths& made) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0777) == 0) made.push_back(std::move(folder));
  }
}

void remove_again(const Paths& made) {
  for (auto path = made.rbegin(); path != made.rend(); ++path) (void)::remove(path->c_str());
}

constexpr base::Duration kReaderPatience = std::chrono::seconds(5);

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

// The folder at the beginning of a path, wherever links lead.
process::UniqueFd open_given(const std::string& path, std::size_t size, Paths& made) {
  const std::string given = size == 0 ? "./" : path.substr(0, size);
  process::UniqueFd folder(::open(given.c_str(), kFolder));
  if (folder || errno != ENOENT) return folder;
  make_folders(given, made);
  return process::UniqueFd(::open(given.c_str(), kFolder));
}

// A folder that is no link, made where there is none; `path` is its own. ELOOP: it is one.
process::UniqueFd enter(int at, const std::string& name, const std::string& path, Paths& made) {
  const int unmade = ::mkdirat(at, name.c_str(), 0777) == 0 ? 0 : errno;
  if (unmade == 0) made.push_back(path);
  process::UniqueFd folder(::openat(at, name.c_str(), kFolder | O_NOFOLLOW));
  if (folder) return folder;
  int error = errno == ENOENT && unmade != 0 ? unmade : errno;
  struct stat facts {};
  const bool is_there = ::fstatat(at, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISLNK(facts.st_mode)) error = ELOOP;
  errno = error;
  return folder;
}

// A file whose name is muster's but for the first `given` bytes.
process::OpenedOutput make_named_by_muster(const std::string& path, std::size_t given,
                                           Paths& made) {
  process::UniqueFd folder = open_given(path, given, made);
  std::size_t from = given;
  for (std::size_t slash = path.find('/', from); folder && slash != std::string::npos;
       slash = path.find('/', from)) {
    const std::string name = path.substr(from, slash - from);
    if (!name.empty()) folder = enter(folder.get(), name, path.substr(0, slash), made);
    from = slash + 1;
  }
  if (!folder) return {};
  return process::open_output_at(folder.get(), path.substr(from), process::NamedBy::muster);
}

process::OpenedOutput make_named_by_user(const std::string& path, Paths& made) {
  auto opened = process::open_output_at(AT_FDCWD, path, process::NamedBy::user);
  if (opened.file || errno != ENOENT) return opened;
  make_folders(path, made);
  return process::open_output_at(AT_FDCWD, path, process::NamedBy::user);
}

// Bytes of a pattern before its first field, which are as the user has written them.
std::size_t literal_size(const model::Pattern& pattern) {
  std::size_t size = 0;
  for (const model::Piece& piece : pattern) {
    if (piece.field != model::Field::text) break;
    size += piece.text.size();
  }
  return size;
}

// Bytes of the folder that the user has written. A field may have no text, as that of the first
// host, so what it stands behind may be a whole name.
std::size_t given_size(const model::Pattern& pattern, const std::string& path) {
  const std::size_t literal = literal_size(pattern);
  if (literal < path.size() && path[literal] == '/') return literal + 1;
  return path.substr(0, literal).rfind('/') + 1;  // 0 where there is none
}

// A pattern without fields is the file's name as the user has written it.
process::OpenedOutput make_file(const std::string& path, const model::Pattern& pattern,
                                Paths& made) {
  const bool is_whole = std::ranges::all_of(
      pattern, [](const model::Piece& piece) { return piece.field == model::Field::text; });
  auto opened = is_whole ? make_named_by_user(path, made)
                         : make_named_by_muster(path, given_size(pattern, path), made);
  if (opened.is_made) made.push_back(path);
  return opened;
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

Result<SinkId> LogFiles::open(const std::string& path, const model::Pattern& pattern,
                              Attempt& attempt) {
  const auto [at, is_new] = opened_.try_emplace(path, static_cast<SinkId>(files_.size()));
  if (!is_new) {
    ++files_[at->second].streams;
    return at->second;
  }
  process::UniqueFd file = make_file(path, pattern, attempt.made).file;
  if (!file) {
    auto why = cannot_make(path);
    opened_.erase(at);
    return why;
  }
  struct stat facts {};
  const bool is_plain = ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                        !process::is_printed_to(file.get());
  if (is_plain && facts.st_size > 0) attempt.full.push_back(at->second);
  files_.push_back({std::move(file), &at->first, is_plain});
  return at->second;
}

Result<void> LogFiles::empty(const std::vector<SinkId>& full) {
  for (const SinkId one : full) {
    if (::ftruncate(files_[one].fd.get(), 0) != 0) return cannot_make(*files_[one].path);
  }
  return {};
}

Result<void> LogFiles::make(const model::OutputSpec& output, const machine::Speakers& speakers,
                            const model::World& world) {
  const std::size_t files = files_.size();
  const std::size_t sinks = sinks_.size();
  Attempt attempt;
  auto done = open_all(output, speakers, world, attempt);
  if (done) done = empty(attempt.full);
  if (done) return done;
  std::erase_if(opened_, [&](const auto& one) { return one.second >= files; });
  files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(files), files_.end());
  sinks_.resize(sinks);
  remove_again(attempt.made);
  return done;
}

Result<void> LogFiles::open_all(const model::OutputSpec& output, const machine::Speakers& speakers,
                                const model::World& world, Attempt& attempt) {
  sinks_.reserve(sinks_.size() + 2 * std::size_t{world.size});
  for (std::uint32_t own = 0; own < world.size; ++own) {
    const Rank rank(world.first.value + own);
    const view::Speaker speaker = speakers.of(rank);
    for (const Stream stream : {Stream::out, Stream::err}) {
      const model::Pattern& pattern = stream == Stream::out ? output.out_file : output.err_file;
      const std::string path =
          speakers.elsewhere(rank) ? std::string() : view::file_of(output, speaker, stream);
      auto file = path.empty() ? Result<SinkId>(machine::kNowhere) : open(path, pattern, attempt);
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
