// GrowingFile: a file that others add to, read on from where it was left. Whoever writes to it may
// be faster than any reader, may never end, or may leave terabytes of holes. So a reader's turn has
// an allowance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sweep/metric_text.hpp"

namespace muster::store {

// What may be read in one turn of somebody's loop, some ten milliseconds; the rest comes in the
// next.
struct Allowance {
  std::size_t bytes = std::size_t{512} << 10;
  std::size_t entries = 4000;  // of folders, and files that are opened
  [[nodiscard]] bool is_spent() const { return bytes == 0 || entries == 0; }
};

class GrowingFile {
 public:
  using Take = std::function<void(std::string_view)>;

  // Passes at most `most` of the next bytes to `take`, and returns how many. A hole counts as a
  // single zero byte.
  std::size_t read(int file, std::size_t most, const Take& take);
  [[nodiscard]] bool has_more(int file) const;
  // What is added from now on does not count.
  void end(int file);
  // Goes on at the last lines of what is there, as view::last_lines() counts them; of lines that
  // are longer than 64 MiB together, within one.
  void begin_at_last(int file, std::size_t lines);
  // Goes on at the line that the byte `place` is in; of a line that is longer than 64 KiB, within
  // it. Not back behind what is passed over already.
  void begin_at_line_of(int file, std::uint64_t place);
  // If more than `most` bytes have not been read, goes on where half of that is left. How many
  // bytes it has skipped.
  std::uint64_t catch_up(int file, std::uint64_t most);

 private:
  static constexpr std::uint64_t kNoEnd = UINT64_MAX;
  [[nodiscard]] std::uint64_t size_of(int file) const;
  [[nodiscard]] std::uint64_t next_data(int file) const;

  std::uint64_t read_ = 0;  // bytes
  std::uint64_t end_ = kNoEnd;
};

// Its lines that say something; one that is longer than any report is dropped.
class GrowingFileLines {
 public:
  // A piece of what is new, within the allowance. True: there is more.
  [[nodiscard]] bool read(int file, Allowance& left, std::vector<std::string>& lines);
  // The file gets no longer; a last line may have no end.
  void end(int file) { file_.end(file); }
  [[nodiscard]] std::string rest() { return lines_.rest(); }
  // A writer that is faster than this reader gets no answer to most of what it says. How many bytes
  // that is.
  std::uint64_t catch_up(int file);

 private:
  GrowingFile file_;
  sweep::GrowingLines lines_;
};

// Files by their paths, read in rounds: a piece of each in turn, as far as an allowance goes.
template <class File>
class Round {
 public:
  // Calls read(path, file), which says whether the file has more, from where the last turn ended.
  // True: all have been called.
  template <class Read>
  [[nodiscard]] bool go_on(std::map<std::string, File>& files, const Allowance& left,
                           const Read& read) {
    for (auto one = files.lower_bound(next_); one != files.end(); ++one) {
      next_ = one->first;
      if (left.is_spent()) return false;
      is_behind_ = read(one->first, one->second) || is_behind_;
    }
    begin();
    return true;
  }
  // Anew.
  void begin() {
    next_.clear();
    was_behind_ = std::exchange(is_behind_, false);
  }
  // In the last whole round some file had more.
  [[nodiscard]] bool was_behind() const { return was_behind_; }

 private:
  std::string next_;
  bool is_behind_ = false;
  bool was_behind_ = false;
};

}  // namespace muster::store
