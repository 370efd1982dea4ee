// Words for what was removed.
#include "view/collection.hpp"

#include <fmt/format.h>
#include <string_view>

#include "base/byte_size.hpp"
#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

std::string tally_line(bool dry_run, const Tally& tally, std::string_view one,
                       std::string_view many) {
  if (tally.count == 0) return {};
  return fmt::format("{} {} {}: {}\n", dry_run ? "would remove" : "removed", tally.count,
                     tally.count == 1 ? one : many, base::byte_words(tally.bytes));
}

std::string host_line(const TidiedHost& host, bool dry_run) {
  std::string text;
  const auto add = [&](const Tally& tally, std::string_view one, std::string_view many) {
    if (tally.count == 0) return;
    text += fmt::format("{}{} {}: {}", text.empty() ? "" : ", ", tally.count,
                        tally.count == 1 ? one : many, base::byte_words(tally.bytes));
  };
  add(host.folders, "folder of a run", "folders of runs");
  add(host.contents, "file of the cache", "files of the cache");
  if (text.empty()) return fmt::format("{}: nothing to remove\n", one_line(host.host));
  return fmt::format("{}: {} {}\n", one_line(host.host), dry_run ? "would remove" : "removed",
                     text);
}

std::string names_listed(const std::vector<std::string>& names) {
  return first_few(names.size(), [&](std::size_t i) { return one_line(names[i]); });
}

std::string needed_notice(const std::vector<KeptRun>& needed) {
  const auto name = [&](std::size_t i) {
    return fmt::format("{} (needed by {})", needed[i].run, needed[i].by);
  };
  return "records whose outputs others use stay as long as those: " +
         first_few(needed.size(), name);
}

}  // namespace

std::string collection_words(const Collection& one) {
  const bool dry = one.dry_run;
  std::string text =
      tally_line(dry, one.records, "record of an ended run", "records of ended runs") +
      tally_line(dry, one.contents, "file of code that no record names",
                 "files of code that no record names") +
      tally_line(dry, one.leftovers, "leftover of a killed muster", "leftovers of killed musters") +
      tally_line(dry, one.offers, "entry for reuse of a run that has gone",
                 "entries for reuse of runs that have gone");
  text += text.empty() && one.failed.empty()
              ? "nothing to remove"
              : fmt::format("{} {}", dry ? "would free" : "freed", base::byte_words(one.bytes()));
  if (one.stays) text += fmt::format("; what stays takes {}", base::byte_words(*one.stays));
  text += "\n";
  for (const TidiedHost& host : one.hosts) text += host_line(host, dry);
  return text;
}

std::vector<std::string> collection_notices(const Collection& one, const std::string& folder) {
  std::vector<std::string> notices;
  if (one.is_held) {
    notices.emplace_back(
        "a run is about to start, or another muster gc is at work: records and code stay; try "
        "again in a moment");
  }
  if (!one.needed.empty()) notices.push_back(needed_notice(one.needed));
  if (!one.unread.empty()) {
    notices.push_back(fmt::format(
        "all code stays, since these cannot be read in {}: {}; muster rm removes such records",
        folder, names_listed(one.unread)));
  }
  if (!one.strange.empty()) {
    notices.push_back(fmt::format("{} holds what muster does not know; it stays: {}", folder,
                                  names_listed(one.strange)));
  }
  if (one.stays && one.bound && *one.stays > *one.bound && !one.is_held) {
    notices.push_back(
        fmt::format("{} stay, more than {}: runs that have not ended, and what is needed",
                    base::byte_words(*one.stays), base::byte_words(*one.bound)));
  }
  if (!one.failed.empty()) notices.push_back("could not remove " + names_listed(one.failed));
  return notices;
}

}  // namespace muster::view
