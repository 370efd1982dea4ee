// A list of who writes where, and a file with a locked byte for each line that counts.
#include "store/place_claims.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/path.hpp"
#include "process/descendants.hpp"
#include "process/ownership.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/lock.hpp"

namespace muster::store {
namespace {

// In that folder; whoever has the gate reads the list, takes a lock and writes the list.
constexpr const char* kGate = "/writers-gate";
constexpr const char* kLocks = "/writers-locks";
constexpr const char* kList = "/writers";
constexpr std::size_t kListMax = std::size_t{16} << 20;

std::string_view whole_run(std::string_view run) { return run.substr(0, run.find('/')); }

bool is_same_place(std::string_view one, std::string_view other) {
  return base::lies_in(one, other) || base::lies_in(other, one);
}

// Up to the mark, which goes, too.
std::string_view take_up_to(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

bool is_ancestor(std::int32_t process) {
  return process > 0 && std::ranges::count(process::ancestors(), process) > 0;
}

}  // namespace

PlaceClaims::PlaceClaims(const std::string& records, std::string run)
    : folder_(fmt::format("{}/{}", records, kPlacedOutputs)), run_(std::move(run)) {}

bool PlaceClaims::open() {
  if (locks_) return true;
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  (void)make_closed_folder(folder_);
  if (!process::is_own_folder(folder_)) return false;
  locks_ = process::UniqueFd(::open((folder_ + kLocks).c_str(), kFlags, 0600));
  return bool(locks_);
}

// A process that was killed has left its lines, but no locks. A place ends with a zero, as no path
// has one. Nothing where there is a list that cannot be read.
std::optional<std::vector<PlaceClaims::Entry>> PlaceClaims::living() const {
  const std::string path = folder_ + kList;
  const auto text = read_file(path, kListMax);
  if (!text && ::access(path.c_str(), F_OK) == 0) return std::nullopt;
  std::vector<Entry> entries;
  for (std::string_view left = text ? std::string_view(*text) : ""; !left.empty();) {
    const std::string_view number = take_up_to(left, '\t');
    Entry entry{.run = std::string(take_up_to(left, '\t')),
                .place = std::string(take_up_to(left, '\0'))};
    std::from_chars(number.data(), number.data() + number.size(), entry.byte);
    entry.is_own = own_.contains(entry.byte);
    const auto holder = entry.is_own ? std::optional(0) : holder_of_byte(locks_.get(), entry.byte);
    entry.holder = holder.value_or(0);
    if (holder) entries.push_back(std::move(entry));
  }
  return entries;
}

PlaceClaims::Answer PlaceClaims::answer(const std::vector<Entry>& entries,
                                        const std::string& place) const {
  Answer all;
  for (const Entry& one : entries) {
    if (one.is_own || !is_same_place(one.place, place)) continue;
    if (whole_run(one.run) != whole_run(run_))
      return {std::string(whole_run(one.run)), one.place, is_ancestor(one.holder)};
    all.is_of_pipeline |= base::lies_in(place, one.place);
  }
  return all;
}

// A byte may be locked though no line has it, when its process could not write the list.
void PlaceClaims::add(std::vector<Entry>& entries, const std::vector<std::string>& places) {
  constexpr std::int64_t kStrayMax = 1'000;
  std::set<std::int64_t> taken;
  for (const Entry& one : entries) taken.insert(one.byte);
  std::int64_t byte = 0;
  const std::int64_t end = static_cast<std::int64_t>(taken.size() + places.size()) + kStrayMax;
  for (const std::string& place : places) {
    while (byte < end && (taken.contains(byte) || !take_byte(locks_.get(), byte))) ++byte;
    if (byte == end) return;
    own_.insert(byte);
    entries.push_back({.byte = byte++, .run = run_, .place = place, .is_own = true});
  }
}

void PlaceClaims::write(const std::vector<Entry>& entries) const {
  std::string text;
  for (const Entry& one : entries) {
    text += fmt::format("{}\t{}\t{}", one.byte, one.run, one.place);
    text.push_back('\0');
  }
  if (text.size() <= kListMax) (void)replace_file(folder_ + kList, text);
}

std::vector<PlaceClaims::Answer> PlaceClaims::take(const std::vector<std::string>& places) {
  std::vector<Answer> answers(places.size());
  if (places.empty() || !open()) return answers;
  const process::UniqueFd gate = lock_file(folder_ + kGate);
  if (!gate) return answers;
  auto entries = living();
  if (!entries) return answers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    answers[i] = answer(*entries, places[i]);
    if (!answers[i].run.empty()) return answers;
  }
  add(*entries, places);
  write(*entries);
  return answers;
}

}  // namespace muster::store
