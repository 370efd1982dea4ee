// Lines of numbers, for a file that is read from its beginning.
#include "store/stream_times.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/words.hpp"
#include "process/output_file.hpp"
#include "process/write_all.hpp"
#include "store/files.hpp"
#include "store/growing_file.hpp"

namespace muster::store {
namespace {

using namespace std::chrono_literals;

constexpr auto kApart = 10s;
constexpr auto kSoonest = 1s;
constexpr std::uint64_t kMuch = 4096;                      // bytes
constexpr std::size_t kTimesMax = std::size_t{256} << 20;  // bytes
constexpr std::size_t kTimesLineMax = 100;                 // bytes
constexpr std::size_t kPendingMax = std::size_t{1} << 20;  // bytes

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, wrong] = std::from_chars(text.data(), end, value);
  return wrong == std::errc() && after == end ? std::optional(value) : std::nullopt;
}

}  // namespace

void TimesWriter::note(const StreamName& stream, std::uint64_t size, model::Utc now) {
  const auto [mark, is_first] = last_.try_emplace(stream, Mark{now, size});
  const auto passed = now - mark->second.at;
  const bool is_due = is_first || passed >= kApart || passed < 0s ||  // the clock was set back
                      (passed >= kSoonest && size - mark->second.size >= kMuch);
  if (is_due) {
    mark->second = {now, size};
    pending_ += fmt::format("{} {} {} {} {}\n", now.time_since_epoch().count(), stream.world,
                            stream.rank, stream.is_err ? "stderr" : "stdout", size);
  }
  if (!pending_.empty()) flush();
}

void TimesWriter::flush() {
  if (!file_) file_ = process::open_output(path_, process::NamedBy::muster);
  if (file_) (void)process::write_all(file_.get(), pending_);
  if (file_ || pending_.size() > kPendingMax) pending_.clear();
}

std::optional<StreamTimes> StreamTimes::read(const std::string& path, model::Utc since) {
  const process::UniqueFd file = open_file(path);
  if (!file) return std::nullopt;
  StreamTimes times(since);
  GrowingFile grows;
  grows.end(file.get());
  std::string rest;
  grows.read(file.get(), kTimesMax, [&](std::string_view bytes) {
    for (const char byte : bytes) {
      if (byte != '\n') {
        if (rest.size() < kTimesLineMax) rest += byte;
        continue;
      }
      times.take(rest);
      rest.clear();
    }
  });
  return times;
}

void StreamTimes::take(std::string_view line) {
  const auto words = base::split(line, " ");
  if (words.size() != 5) return;
  const auto at = whole_number<std::int64_t>(words[0]);
  const auto world = whole_number<std::uint32_t>(words[1]);
  const auto rank = whole_number<std::uint32_t>(words[2]);
  const auto begin = whole_number<std::uint64_t>(words[4]);
  if (!at || !world || !rank || !begin) return;
  const model::Utc time{std::chrono::milliseconds(*at)};
  Known& known = known_[{*world, *rank, words[3] == "stderr"}];
  if (known.next) return;
  if (time > since_) {
    known.next = *begin;
    return;
  }
  known.at = time;
  known.begin = *begin;
}

std::uint64_t StreamTimes::begin_of(const StreamName& stream, std::uint64_t size) const {
  const auto found = known_.find(stream);
  if (found == known_.end()) return 0;
  const Known& known = found->second;
  if (!known.at || since_ < *known.at + kApart) return known.begin;
  return known.next.value_or(size);
}

}  // namespace muster::store
