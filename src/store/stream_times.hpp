// When the bytes of ranks' files were written: the file `times` of a run's record. A line
// "1764357812123 1 3 stdout 4096" says that the bytes from this one on of what rank 3 of world 1
// wrote to stdout were written at that time (Unix, in milliseconds) or later, and those before it
// earlier.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/record.hpp"
#include "process/unique_fd.hpp"

namespace muster::store {

inline constexpr std::string_view kTimesFile = "times";

struct StreamName {
  std::uint32_t world = 1;
  std::uint32_t rank = 0;  // its number in that world
  bool is_err = false;
  auto operator<=>(const StreamName&) const = default;
};

// A line for a stream that is written to goes ten seconds before the next one, or a second if 4 KiB
// have come since: so a time is known to ten seconds, and the file takes little beside the streams.
class TimesWriter {
 public:
  // The file is made with the first line, or with a later one where its folder is not there yet.
  explicit TimesWriter(std::string path) : path_(std::move(path)) {}

  // To be called before a stream's file of `size` bytes is written to. What cannot be written is
  // left out: readers can do without.
  void note(const StreamName& stream, std::uint64_t size, model::Utc now);

 private:
  struct Mark {
    model::Utc at;
    std::uint64_t size = 0;
  };
  void flush();

  std::string path_;
  process::UniqueFd file_;
  std::string pending_;
  std::map<StreamName, Mark> last_;
};

class StreamTimes {
 public:
  // Nothing: there is no such file. Of more than 256 MiB the rest is not read.
  [[nodiscard]] static std::optional<StreamTimes> read(const std::string& path, model::Utc since);

  // From which byte on a stream's file holds all that was written since then, and what is at most
  // ten seconds older. `size`: that of the file before the times were read.
  [[nodiscard]] std::uint64_t begin_of(const StreamName& stream, std::uint64_t size) const;

 private:
  struct Known {
    std::optional<model::Utc> at;       // of the last line that is not later
    std::uint64_t begin = 0;            // its byte
    std::optional<std::uint64_t> next;  // that of the first line that is later
  };
  explicit StreamTimes(model::Utc since) : since_(since) {}
  void take(std::string_view line);

  model::Utc since_;
  std::map<StreamName, Known> known_;
};

}  // namespace muster::store
