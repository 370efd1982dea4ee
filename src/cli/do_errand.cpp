// The host's side of errands: stdin in, stdout out.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/blob_store.hpp"
#include "blobs/cache.hpp"
#include "blobs/files.hpp"
#include "blobs/parcel.hpp"
#include "blobs/snapshot_of.hpp"
#include "blobs/written.hpp"
#include "cli/code.hpp"
#include "cli/errand.hpp"
#include "cli/speak.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::size_t kMarkMax = 100;

bool sees(const std::string& folder, const std::string& mark) {
  const auto found = blobs::read_whole(folder + "/" + std::string(kMarkFile), kMarkMax);
  return found == mark;
}

Result<void> cannot(std::string_view what, const std::string& path, const std::error_code& why) {
  return base::fail(Fault::cannot_start, "", "cannot {} {}: {}", what, path, why.message());
}

// Only its owner may look into the record's folder.
Result<void> make_record(const std::string& folder) {
  std::error_code wrong;
  fs::create_directories(fs::path(folder).parent_path(), wrong);
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return cannot("make", folder, std::error_code(errno, std::generic_category()));
}

// It is whole from the moment that it has its name. What an earlier round left there goes.
Result<void> lay_out_in(blobs::BlobStore& store, const snapshot::Manifest& manifest,
                        const std::string& record) {
  if (auto made = make_record(record); !made) return made;
  const std::string place = record + "/" + std::string(kCodeFolder);
  const std::string fresh = fmt::format("{}/.code-{}", record, ::getpid());
  auto done = blobs::lay_out(store, manifest, fresh);
  std::error_code wrong;
  if (!done) {
    fs::remove_all(fresh, wrong);
    return done;
  }
  const std::string listed = record + "/" + std::string(kManifestFile);
  if (!store::replace_file(listed, manifest_text(manifest))) {
    return cannot("write", listed, std::error_code(errno, std::generic_category()));
  }
  fs::remove_all(place, wrong);
  fs::rename(fresh, place, wrong);
  return wrong ? cannot("make", place, wrong) : Result<void>();
}

std::string lacking_of(const blobs::BlobStore& store, const snapshot::Manifest& manifest) {
  std::string lacking;
  for (const auto& [hash, size] : blobs::contents_of(manifest)) {
    if (!store.has(hash, size)) lacking += fmt::format("{}{}\n", kLacks, hash);
  }
  return lacking;
}

Result<std::string> take_code(const std::string& record, const std::string& mark,
                              const Invocation& invocation) {
  if (sees(record, mark)) return std::string(kSees);
  const auto cache = blobs::cache_folder(invocation.environment);
  if (!cache) {
    return base::fail(Fault::cannot_start, "set HOME there", "this host has no folder for a cache");
  }
  blobs::BlobStore store(blobs::blobs_of(*cache));
  const auto hold = store.hold();
  if (!hold) return tl::unexpected(hold.error());
  auto manifest = blobs::read_parcel(STDIN_FILENO, store);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  if (std::string lacking = lacking_of(store, *manifest); !lacking.empty()) return lacking;
  auto done = lay_out_in(store, *manifest, record);
  if (done) return std::string(kLaidOut);
  // A blob that was found to be damaged has gone, and can be sent again.
  if (std::string lacking = lacking_of(store, *manifest); !lacking.empty()) return lacking;
  return tl::unexpected(std::move(done.error()));
}

// Straight to stdout: it may be long.
Result<void> give_outputs(const std::string& record, const std::string& mark) {
  if (sees(record, mark)) {
    (void)store::write_all(STDOUT_FILENO, kSees);
    return {};
  }
  return blobs::written_in(record).and_then(
      [](const blobs::Written& written) { return blobs::write_parcel(STDOUT_FILENO, written); });
}

}  // namespace

int do_errand(const std::vector<std::string>& words, const Invocation& invocation) {
  if (words.size() != 3 || !words[1].starts_with('/')) {
    return complain({Fault::usage, "muster errand is for muster itself", {}, {}});
  }
  if (words[0] == "outputs") {
    const auto given = give_outputs(words[1], words[2]);
    return given ? 0 : complain(given.error());
  }
  const auto taken = take_code(words[1], words[2], invocation);
  return taken ? print(*taken) : complain(taken.error());
}

}  // namespace muster::cli
