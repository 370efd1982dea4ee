// A list of who writes where, and a file with a locked byte for each line that counts.
#include "store/place_claims.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
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
// has one.
std::vector<PlaceClaims::Entry> PlaceClaims::living() const {
  const std::string text = read_file(folder_ + kList, kListMax).value_or("");
  std::vector<Entry> entries;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view number = take_up_to(left, '\t');
    Entry entry{.run = std::string(take_up_to(left, '\t')),
                .place = std::string(take_up_to(left, '\0'))};
    std::from_chars(number.data(), number.data() + number.size(), entry.byte);
    const auto holder = holder_of_byte(locks_.get(), entry.byte);
    entry.holder = holder.value_or(0);
    if (holder || own_.contains(entry.byte)) entries.push_back(std::move(entry));
  }
  return entries;
}

PlaceClaims::Answer PlaceClaims::answer(const std::vector<Entry>& others,
                                        const std::string& place) const {
  Answer all;
  for (const Entry& one : others) {
    if (own_.contains(one.byte) || !is_same_place(one.place, place)) continue;
    if (whole_run(one.run) != whole_run(run_))
      return {std::string(whole_run(one.run)), one.place, is_ancestor(one.holder)};
    all.is_of_pipeline |= base::lies_in(place, one.place);
  }
  return all;
}

void PlaceClaims::add(std::vector<Entry> entries, const std::string& place) {
  Entry own{.run = run_, .place = place};
  while (std::ranges::count(entries, own.byte, &Entry::byte) > 0) ++own.byte;
  if (!take_byte(locks_.get(), own.byte)) return;
  own_.insert(own.byte);
  entries.push_back(std::move(own));
  std::string text;
  for (const Entry& one : entries) {
    text += fmt::format("{}\t{}\t{}", one.byte, one.run, one.place);
    text.push_back('\0');
  }
  (void)replace_file(folder_ + kList, text);
}

PlaceClaims::Answer PlaceClaims::take(const std::string& place) {
  if (!open()) return {};
  const process::UniqueFd gate = lock_file(folder_ + kGate);
  if (!gate) return {};
  std::vector<Entry> entries = living();
  Answer said = answer(entries, place);
  if (said.run.empty()) add(std::move(entries), place);
  return said;
}

}  // namespace muster::store
