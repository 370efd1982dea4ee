// A file in the folder says whose it is; its time is that of the last errand.
#include "cli/host_folders.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "process/tree.hpp"
#include "process/users.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"

namespace muster::cli {
namespace {

using process::FileKind;
using process::FolderEntry;

constexpr std::size_t kOwnerMax = 300;

const std::string kSent(store::kSentFile);

bool holds_file(int folder, const std::string& name) {
  return bool(blobs::open_regular_at(folder, name));
}

// Whether a folder with all below it is; the file that says who made it is looked at first.
bool is_older(int at, const std::string& run, std::chrono::seconds age) {
  const auto since = std::chrono::system_clock::now() - age;
  return process::own_change(at, run + "/" + kSent) <= since &&
         process::last_change(at, run) <= since;
}

class HostSearch {
 public:
  HostSearch(const std::string& records, const HostFolderRules& rules)
      : records_(records),
        rules_(rules),
        folder_(::open(records.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  HostFolders all() {
    for (const FolderEntry& entry : process::entries_of(folder_.get())) {
      const bool is_ours = entry.kind == FileKind::folder && entry.owner == ::geteuid();
      if (is_ours && store::is_run_name(entry.name) && goes(entry)) remove(entry.name);
      // What one that was killed had hidden.
      if (is_ours && entry.name.starts_with(kHidden)) remove(entry.name);
    }
    return found_;
  }

 private:
  static constexpr std::string_view kHidden = ".gone-";

  [[nodiscard]] bool goes(const FolderEntry& entry) const {
    const process::UniqueFd run = process::open_folder(folder_.get(), entry.name);
    const auto owner = blobs::read_whole_at(run.get(), kSent, kOwnerMax);
    const bool is_record =
        holds_file(run.get(), "spec.json") || holds_file(run.get(), "report.json");
    if (!owner || is_record || rules_.stay.contains(entry.name)) return false;
    if (!rules_.owner.empty() && *owner != rules_.owner) return false;
    const bool known = rules_.go.contains(entry.name);
    if (!known && !is_older(folder_.get(), entry.name, rules_.untouched)) return false;
    return !process::has_users(records_ + "/" + entry.name);
  }

  void remove(const std::string& name) {
    if (!rules_.really) {
      ++found_.count;
      found_.bytes += process::bytes_of(folder_.get(), name);
      return;
    }
    const int here = folder_.get();
    const std::string hidden = name.starts_with(kHidden) ? name : std::string(kHidden) + name;
    if (hidden != name && ::renameat(here, name.c_str(), here, hidden.c_str()) != 0) return;
    const process::Removed removed = process::remove_tree(here, hidden);
    if (removed.left.empty()) ++found_.count;
    found_.bytes += removed.bytes;
  }

  const std::string& records_;
  const HostFolderRules& rules_;
  process::UniqueFd folder_;
  HostFolders found_;
};

}  // namespace

void note_sent(const std::string& folder, const std::string& owner) {
  (void)store::replace_file(folder + "/" + kSent, owner);
}

HostFolders remove_host_folders(const std::string& records, const HostFolderRules& rules) {
  return HostSearch(records, rules).all();
}

}  // namespace muster::cli
