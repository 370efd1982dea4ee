// An environment is made where it stays, since programs in it name its folder; a lock keeps others
// out, and a file that is written last says that it is whole. Its time is that of the last use.
#include "cli/environments.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "blobs/sha256.hpp"
#include "cli/lock_file.hpp"
#include "cli/package_tools.hpp"
#include "cli/readiness.hpp"
#include "job/yaml.hpp"
#include "process/ownership.hpp"
#include "process/tree.hpp"
#include "process/users.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::string_view kWhole = ".muster-complete";
constexpr std::string_view kLock = ".lock";

constexpr std::string_view kEnvironments = "environments";

base::Error system_error_at(std::string_view what, const std::string& path, int number) {
  const std::string hint =
      number == ENOSPC ? "`muster gc -H HOST` makes room there, or set XDG_CACHE_HOME" : "";
  return {Fault::cannot_start,
          fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(number)),
          hint,
          {}};
}

// Whoever removes an environment removes the lock's file, too.
process::UniqueFd lock(const std::string& folder, Busy busy) {
  return lock_file(folder + std::string(kLock), busy);
}

bool is_whole(const std::string& folder) {
  struct stat facts {};
  return ::lstat((folder + "/" + std::string(kWhole)).c_str(), &facts) == 0;
}

void note_use(const std::string& folder) {
  (void)::utimensat(AT_FDCWD, (folder + "/" + std::string(kWhole)).c_str(), nullptr, 0);
}

std::string name_of(const std::string& packages, const PackageTool& tool) {
  struct utsname machine {};
  (void)::uname(&machine);
  blobs::Sha256 hash;
  hash.add(fmt::format("{}\n{}\n{}", machine.machine, tool.identity, packages));
  constexpr std::size_t kDigits = 20;
  return hash.take().substr(0, kDigits);
}

void remove_environment(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  const process::UniqueFd all(
      ::open(folder.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  (void)process::remove_tree(all.get(), folder.substr(slash + 1));
}

Result<void> make(const std::string& folder, const job::CondaPackages& packages,
                  const PackageTool& tool, const Invocation& invocation, ReadyAnswer& answer) {
  auto made = fill_environment(folder, packages, tool, invocation.environment,
                               [&](std::string_view doing) { answer.doing(doing); });
  // Its group may be that of a folder further above, and the umask may let that write.
  constexpr fs::perms kOthersWrite = fs::perms::group_write | fs::perms::others_write;
  std::error_code ignored;
  if (made) fs::permissions(folder, kOthersWrite, fs::perm_options::remove, ignored);
  if (made && !store::write_file(folder + "/" + std::string(kWhole), tool.word)) {
    made = tl::unexpected(system_error_at("write to", folder, errno));
  }
  if (!made) remove_environment(folder);
  return made;
}

// Several runs may want the same one: the first makes it, and the others wait.
Result<std::string> ready_environment(const std::string& cache, const std::string& text,
                                      const Invocation& invocation, ReadyAnswer& answer) {
  const auto packages = job::parse_conda_text(text);
  if (!packages) return base::fail(Fault::usage, "", "muster errand is for muster itself");
  const auto tool = package_tool(*packages, invocation.environment);
  if (!tool) return tl::unexpected(tool.error());
  const auto all = blobs::own_part_of(cache, kEnvironments, blobs::Use::executed);
  if (!all) return tl::unexpected(all.error());
  const std::string folder = fmt::format("{}/{}", *all, name_of(text, *tool));
  process::UniqueFd alone = lock(folder, Busy::fails);
  if (!alone && errno == EWOULDBLOCK) {
    answer.doing("another run makes the same environment");
    alone = lock(folder, Busy::waits);
  }
  if (!alone) return tl::unexpected(system_error_at("lock", folder + std::string(kLock), errno));
  const bool is_made = is_whole(folder);
  if (!is_made) remove_environment(folder);  // of one that was interrupted
  // From a time when others could write to the folder above it.
  if (const std::string why = process::why_not_own(folder); !why.empty()) {
    return base::fail(Fault::cannot_start, "remove it", "not using {}: {}", folder, why);
  }
  if (!is_made) {
    if (auto made = make(folder, *packages, *tool, invocation, answer); !made) {
      return tl::unexpected(std::move(made.error()));
    }
    note_use(folder);
    (void)trim_environments(cache, blobs::cache_budget(cache, invocation.environment),
                            kEnvironmentsStay);
  }
  note_use(folder);
  return fmt::format("{} {}", tool->word, folder);
}

std::string text_of_stdin() {
  std::string text;
  (void)blobs::read_stream(STDIN_FILENO, [&](std::string_view bytes) {
    text += bytes;
    return text.size() <= job::kFileMax;
  });
  return text;
}

struct Kept {
  std::string name;
  process::FileTime used;
  std::uint64_t bytes = 0;
};

}  // namespace

int make_environment(const Invocation& invocation) {
  ReadyAnswer answer;
  const auto cache = blobs::cache_folder(invocation.environment);
  if (!cache) {
    return answer.failed({Fault::cannot_start,
                          "this host has no folder for a cache",
                          "set HOME there, or XDG_CACHE_HOME",
                          {}});
  }
  const auto ready = ready_environment(*cache, text_of_stdin(), invocation, answer);
  return ready ? answer.ready(*ready) : answer.failed(ready.error());
}

blobs::Trimmed trim_environments(const std::string& cache, std::uint64_t budget,
                                 std::chrono::seconds spared, bool really) {
  const std::string all = fmt::format("{}/{}", cache, kEnvironments);
  // Where another user's link leads may lie whatever this user has.
  if (!process::why_not_own(cache).empty() || !process::why_not_own(all).empty()) return {};
  const process::UniqueFd folder(::open(all.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<Kept> kept;
  std::uint64_t bytes = 0;
  for (const process::FolderEntry& entry : process::entries_of(folder.get())) {
    if (entry.kind != process::FileKind::folder || entry.owner != ::geteuid()) continue;
    const auto used = process::own_change(folder.get(), entry.name + "/" + std::string(kWhole));
    kept.push_back({entry.name, used, process::bytes_of(folder.get(), entry.name)});
    bytes += kept.back().bytes;
  }
  std::ranges::sort(kept, {}, &Kept::used);
  const auto since = std::chrono::system_clock::now() - spared;
  blobs::Trimmed trimmed;
  for (const Kept& one : kept) {
    const std::string path = all + "/" + one.name;
    const bool goes = !is_whole(path) || (bytes > budget && one.used <= since);
    if (!goes) continue;
    const process::UniqueFd alone =
        lock(path, Busy::fails);  // nobody makes it, or begins to use it
    if (!alone || process::has_users(path)) continue;
    ++trimmed.count;
    trimmed.bytes += one.bytes;
    bytes -= std::min(bytes, one.bytes);
    if (!really) continue;
    (void)process::remove_tree(folder.get(), one.name);
    (void)::unlinkat(folder.get(), (one.name + std::string(kLock)).c_str(), 0);
  }
  return trimmed;
}

}  // namespace muster::cli
