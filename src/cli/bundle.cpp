// One manifest of texts, code and data, and the parcel of it.
#include "cli/bundle.hpp"

#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/blob_store.hpp"
#include "blobs/gathered.hpp"
#include "blobs/parcel.hpp"
#include "blobs/snapshot_of.hpp"
#include "cli/code.hpp"
#include "probe/random.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

// As seen from the root of the file system.
std::string inside(const std::string& path) {
  return fs::path(path).lexically_normal().relative_path().string();
}

// A signal that is held back meanwhile ends it.
class Packing {
 public:
  explicit Packing(const std::string& record)
      : store_(blobs::blobs_of(records_of(record))), scratch_(record + "/.travel/bundle") {}
  ~Packing() { process::remove_meanwhile(scratch_); }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  Result<void> add_text(const model::TypedCommand::File& text) {
    const std::string file = fmt::format("{}/texts/{}", scratch_, count_++);
    std::error_code wrong;
    fs::create_directories(scratch_ + "/texts", wrong);
    if (!store::write_file(file, text.text)) return store::cannot_write(Fault::output, file);
    return add_data(file, text.path);
  }

  void add_code(const BundledCode& code) {
    add_folders(inside(code.folder) + "/");
    for (snapshot::Entry entry : code.manifest.entries) {
      entry.path = inside(code.folder) + "/" + entry.path;
      all_.try_emplace(entry.path, std::move(entry));
    }
  }

  // What lies at `from`, as `path`.
  Result<void> add_data(const std::string& from, const std::string& path) {
    auto found = blobs::gather(from, from, process::no_signal_waits);
    if (!found) return tl::unexpected(std::move(found.error()));
    std::error_code wrong;
    const bool is_folder = fs::is_directory(from, wrong);
    if (found->manifest.entries.empty() && !is_folder) {
      const bool is_gone = found->left_out.empty();
      return base::fail(Fault::bad_file, "", "cannot read {}: {}", path,
                        is_gone ? "it is not there any more" : found->left_out.front().why);
    }
    add_folders(inside(path) + (is_folder ? "/" : ""));
    for (snapshot::Entry& entry : found->manifest.entries) {
      entry.path = inside(entry.path.empty() ? path : path + "/" + entry.path);
      all_.insert_or_assign(entry.path, std::move(entry));
    }
    places_.merge(found->places);
    return {};
  }

  Result<Bundle> write() {
    std::error_code wrong;
    fs::create_directories(scratch_, wrong);
    const std::string path = scratch_ + "/parcel";
    Bundle bundle{
        process::UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)), 0};
    if (!bundle.file) return store::cannot_write(Fault::output, path);
    snapshot::Manifest manifest;
    for (auto& [name, entry] : all_) manifest.entries.push_back(entry);
    const auto written = blobs::write_parcel(
        bundle.file.get(), path, manifest, blobs::contents_of(manifest),
        [&](const std::string& hash) {
          const auto other = places_.find(hash);
          return other == places_.end() ? store_.path_of(hash) : other->second;
        },
        process::no_signal_waits);
    if (!written) return tl::unexpected(written.error());
    bundle.bytes = static_cast<std::uint64_t>(::lseek(bundle.file.get(), 0, SEEK_END));
    (void)::lseek(bundle.file.get(), 0, SEEK_SET);
    return bundle;
  }

 private:
  // Those above a path: a manifest names a folder before what lies in it.
  void add_folders(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string folder = path.substr(0, slash);
      all_.try_emplace(
          folder,
          snapshot::Entry{.kind = snapshot::EntryKind::folder, .path = folder, .mode = 0700});
    }
  }

  blobs::BlobStore store_;
  std::string scratch_;
  std::size_t count_ = 0;
  std::map<std::string, snapshot::Entry> all_;  // by path
  std::map<std::string, std::string> places_;   // of contents that are no blobs
};

}  // namespace

Result<Bundle> make_bundle(const BundleContents& contents, const std::string& record) {
  Packing packing(record);
  for (const BundledCode& code : contents.code) packing.add_code(code);
  for (const std::string& path : contents.data) {
    if (auto added = packing.add_data(path, path); !added) return tl::unexpected(added.error());
  }
  for (const auto& text : contents.texts) {
    if (auto added = packing.add_text(text); !added) return tl::unexpected(added.error());
  }
  return packing.write();
}

Result<void> open_bundle(int file, const std::string& folder) {
  const std::string scratch = fmt::format("{}.new-{}", folder, probe::random_digits(12));
  std::error_code ignored;
  fs::create_directories(fs::path(folder).parent_path(), ignored);
  blobs::BlobStore store(scratch);
  auto done = store.hold().and_then([&](const process::UniqueFd&) {
    return blobs::read_parcel(file, store).and_then([&](const snapshot::Manifest& manifest) {
      return blobs::lay_out(store, manifest, folder);
    });
  });
  process::remove_meanwhile(scratch);
  return done;
}

}  // namespace muster::cli
