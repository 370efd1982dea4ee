// Links in the record, and files that are fetched into it.
#include "cli/downloads.hpp"

#include <filesystem>
#include <map>

#include "cli/code.hpp"
#include "cli/fetch.hpp"
#include "job/names.hpp"
#include "snapshot/manifest.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

Result<void> link_input(const front::DataPath& one) {
  std::error_code wrong;
  if (!fs::exists(one.from, wrong)) {
    return base::fail(Fault::bad_file, "mode: download takes it from this machine",
                      "the input {} is not there", one.from);
  }
  fs::create_symlink(one.from, one.path, wrong);
  if (!wrong || wrong == std::errc::file_exists) return {};
  return base::fail(Fault::output, "", "cannot make {}: {}", one.path, wrong.message());
}

class FetchedInputs {
 public:
  FetchedInputs(const std::string& record, const std::vector<std::string>& environment)
      : record_(record), environment_(environment) {}

  Result<void> add(const front::DataPath& one) {
    const auto fetched = fetch({one.from, one.sha256, one.path, records_of(record_)}, environment_);
    if (!fetched) return tl::unexpected(fetched.error());
    const std::string path = one.path.substr(record_.size() + 1);
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string folder = path.substr(0, slash);
      entries_[folder] = {.kind = snapshot::EntryKind::folder, .path = folder, .mode = 0755};
    }
    entries_[path] = {.path = path, .mode = 0644, .size = fetched->size, .hash = fetched->hash};
    return {};
  }

  Result<void> write_manifest() {
    if (entries_.empty()) return {};
    snapshot::Manifest manifest;
    for (auto& [path, entry] : entries_) manifest.entries.push_back(entry);
    const std::string file = record_ + "/" + std::string(kInputsManifest);
    if (store::write_file(file, snapshot::manifest_text(manifest))) return {};
    return store::cannot_write(Fault::output, file);
  }

 private:
  const std::string& record_;
  const std::vector<std::string>& environment_;
  std::map<std::string, snapshot::Entry> entries_;  // by path
};

}  // namespace

Result<void> link_inputs(const std::vector<front::DataPath>& data, const std::string& record,
                         const std::vector<std::string>& environment) {
  FetchedInputs fetched(record, environment);
  for (const front::DataPath& one : data) {
    if (one.from.empty()) continue;
    std::error_code ignored;
    fs::create_directories(fs::path(one.path).parent_path(), ignored);
    auto made = job::is_fetched(one.from) ? fetched.add(one) : link_input(one);
    if (!made) return made;
  }
  return fetched.write_manifest();
}

}  // namespace muster::cli
