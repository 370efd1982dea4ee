// One line a run: its name and hosts. Lines are added at the end, and the whole is written anew
// when hosts have been told, each under a lock on the file.
#include "store/removed.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.hpp"
#include "process/unique_fd.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"

namespace muster::store {
namespace {

constexpr std::size_t kRemovedMax = std::size_t{4} << 20;  // bytes; the oldest lines go

std::string path_in(const std::string& records) {
  return records + "/" + std::string(kRemovedFile);
}

// What another user has put there tells of no runs of this one's.
bool is_own(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 && found.st_uid == ::geteuid();
}

process::UniqueFd locked(const std::string& records, int flags) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  process::UniqueFd file(::open(path_in(records).c_str(), flags | kFlags, 0600));
  if (file && !is_own(file.get())) return {};
  while (file && ::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return file;
}

std::string cut(std::string text) {
  if (text.size() <= kRemovedMax) return text;
  const std::size_t end = text.find('\n', text.size() - kRemovedMax);
  return text.substr(end == std::string::npos ? text.size() : end + 1);
}

}  // namespace

std::string removed_text(const std::vector<RemovedRun>& runs) {
  std::string text;
  for (const RemovedRun& one : runs) {
    if (one.hosts.empty()) continue;
    text += one.run;
    for (const std::string& host : one.hosts) text += " " + host;
    text += "\n";
  }
  return text;
}

std::vector<RemovedRun> removed_in(std::string_view text) {
  std::vector<RemovedRun> runs;
  for (const std::string& line : base::split(text, "\n")) {
    std::vector<std::string> words = base::split(line, " ");
    if (words.size() < 2 || !is_run_name(words.front())) continue;
    runs.push_back({words.front(), {words.begin() + 1, words.end()}});
  }
  return runs;
}

void note_removed(const std::string& records, const std::vector<RemovedRun>& runs) {
  const std::string text = removed_text(runs);
  if (text.empty()) return;
  const process::UniqueFd file = locked(records, O_WRONLY | O_CREAT | O_APPEND);
  if (file) (void)write_all(file.get(), text);
}

std::vector<RemovedRun> removed_runs(const std::string& records) {
  const process::UniqueFd file = open_file(path_in(records));
  if (!file || !is_own(file.get())) return {};
  return removed_in(read_open_file(file.get(), 2 * kRemovedMax).value_or(""));
}

void forget_removed(const std::string& records, const std::vector<std::string>& runs,
                    const std::string& host) {
  const process::UniqueFd file = locked(records, O_RDWR);
  if (!file) return;
  std::vector<RemovedRun> left = removed_runs(records);
  for (RemovedRun& one : left) {
    if (std::ranges::count(runs, one.run) > 0) one.hosts.erase(host);
  }
  const std::string text = cut(removed_text(left));
  if (::ftruncate(file.get(), 0) == 0) (void)write_all(file.get(), text);
}

}  // namespace muster::store
