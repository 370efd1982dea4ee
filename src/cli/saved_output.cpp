// Reads on, and keeps what is not yet a line.
#include "cli/saved_output.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kubernetes/time.hpp"
#include "process/fresh_file.hpp"
#include "store/files.hpp"
#include "store/growing_file.hpp"
#include "store/stream_times.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kTimeMax = 64;

// "TIME text" of each line, in pieces: the text goes on, and its time is noted.
class TimedLines {
 public:
  TimedLines(std::string times, const std::function<bool(std::string_view)>& write)
      : times_(std::move(times)), write_(write) {}

  bool take(std::string_view piece) {
    bool is_taken = true;
    while (!piece.empty() && is_taken) {
      const char end = is_in_text_ ? '\n' : ' ';
      const std::size_t at = std::min(piece.find(end), piece.size());
      const std::string_view part = piece.substr(0, std::min(at + 1, piece.size()));
      is_taken = is_in_text_ ? pass(part) : take_time(part);
      if (at < piece.size()) is_in_text_ = !is_in_text_;
      piece.remove_prefix(part.size());
    }
    return is_taken;
  }

 private:
  // What is longer than any time is none: it is dropped like one.
  bool take_time(std::string_view part) {
    if (time_.size() < kTimeMax) time_ += part;
    return true;
  }

  bool pass(std::string_view part) {
    if (!time_.empty()) {
      if (time_.ends_with(' ')) time_.pop_back();
      if (const auto time = kubernetes::time_of(time_)) times_.note({}, size_, *time);
      time_.clear();
    }
    size_ += part.size();
    return write_(part);
  }

  store::TimesWriter times_;
  const std::function<bool(std::string_view)>& write_;
  std::string time_;  // of the line that has begun
  bool is_in_text_ = false;
  std::uint64_t size_ = 0;  // of what has been written
};

}  // namespace

std::string saved_log(const std::string& record) { return record + "/log"; }

bool read_saved(const std::string& path, const SavedPart& part,
                const std::function<bool(std::string_view)>& take) {
  constexpr std::size_t kPiece = std::size_t{512} << 10;
  const process::UniqueFd file = store::open_file(path);
  if (!file) return false;
  store::GrowingFile grows;
  grows.end(file.get());
  if (part.tail) grows.begin_at_last(file.get(), *part.tail);
  if (part.begin > 0) grows.begin_at_line_of(file.get(), part.begin);
  std::string rest;
  while (grows.read(file.get(), kPiece, [&](std::string_view bytes) { rest += bytes; }) > 0) {
    const std::size_t end = rest.size() > kPiece ? rest.size() : rest.rfind('\n') + 1;
    if (end > 0 && !take(std::string_view(rest).substr(0, end))) return true;
    rest.erase(0, end);
  }
  if (!rest.empty()) (void)take(rest);
  return true;
}

bool save_output(const std::string& path, const Speak& speak) {
  process::FreshFile file(path);
  bool is_good = true;
  is_good = file && speak([&](std::string_view piece) {
              is_good = is_good && store::write_all(file.get(), piece);
              return is_good;
            }) &&
            is_good;
  return is_good && file.take_place();
}

void save_timed_output(const std::string& record, const Speak& speak) {
  const std::string times = fmt::format("{}/{}", record, store::kTimesFile);
  const std::string fresh = process::fresh_name(times);
  const bool is_saved = save_output(saved_log(record), [&](const auto& write) {
    TimedLines lines(fresh, write);
    return speak([&](std::string_view piece) { return lines.take(piece); });
  });
  (void)store::put_in_place(fresh, times, is_saved);
}

std::optional<std::uint64_t> saved_since(const std::string& record, model::Utc since) {
  const process::UniqueFd log = store::open_file(saved_log(record));
  struct stat facts {};
  if (!log || ::fstat(log.get(), &facts) != 0) return std::nullopt;
  if (facts.st_size == 0) return 0;
  const auto times =
      store::StreamTimes::read(fmt::format("{}/{}", record, store::kTimesFile), since);
  if (!times) return std::nullopt;
  return times->begin_of({}, static_cast<std::uint64_t>(facts.st_size));
}

}  // namespace muster::cli
