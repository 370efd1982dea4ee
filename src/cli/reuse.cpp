// Keys, and a file for each beside the records.
#include "cli/reuse.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

#include "blobs/files.hpp"
#include "blobs/fingerprint.hpp"
#include "blobs/sha256.hpp"
#include "blobs/survey.hpp"
#include "cli/code.hpp"
#include "process/signal_mask.hpp"
#include "process/tree.hpp"
#include "snapshot/manifest.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOffers = ".steps";
constexpr int kOffersFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Beside the records: a file for each key, with the folder of the record.
std::string offer_of(const std::string& records, const std::string& key) {
  return fmt::format("{}/{}/{}", records, kOffers, key);
}

// In the record of a step that completed: what its outputs were then.
std::string seal_of(const std::string& folder) { return folder + "/outputs.sha256"; }

std::string hash_of(const std::string& text) {
  blobs::Sha256 hash;
  hash.add(text);
  return hash.take();
}

// Of what a step reads or has written: whoever follows its links may read what they lead to.
base::Result<std::string> fingerprint_of(const std::string& path) {
  return blobs::fingerprint(path, blobs::LeadsOutLinks::with_contents, process::no_signal_waits);
}

base::Result<snapshot::Manifest> manifest_in(const std::string& file) {
  const auto text = store::read_file(file, snapshot::kManifestMax);
  if (text) return snapshot::read_manifest(*text);
  return base::fail(base::Fault::bad_file, "", "cannot read {}", file);
}

// Of the files of now, none of which is kept.
base::Result<snapshot::Manifest> manifest_of(const front::CodeFolder& code,
                                             const std::string& records) {
  auto survey =
      blobs::survey(code.folder, {.excluded = records, .goes_on = process::no_signal_waits});
  if (!survey) return tl::unexpected(std::move(survey.error()));
  for (snapshot::Entry& entry : survey->manifest.entries) {
    if (entry.kind != snapshot::EntryKind::file) continue;
    auto hash = blobs::file_hash(code.folder + "/" + entry.path, process::no_signal_waits);
    if (!hash) return tl::unexpected(std::move(hash.error()));
    entry.hash = std::move(*hash);
  }
  return std::move(survey->manifest);
}

// Those that lead out of the code, to something that is there.
std::vector<const snapshot::Entry*> links_outside(const snapshot::Manifest& manifest) {
  std::vector<const snapshot::Entry*> links;
  for (const snapshot::Entry& entry : manifest.entries) {
    std::error_code wrong;
    if (entry.target.starts_with('/') && fs::exists(entry.target, wrong)) links.push_back(&entry);
  }
  return links;
}

// What a link in the code leads to outside of it reaches the step as well.
base::Result<std::string> contents_outside(const snapshot::Manifest& manifest) {
  std::string text;
  for (const snapshot::Entry* link : links_outside(manifest)) {
    auto hash = fingerprint_of(link->target);
    if (!hash) return hash;
    text += fmt::format("{} leads to {}\n", link->path, *hash);
  }
  return text;
}

// When files were written does not matter.
base::Result<std::string> code_key(const front::CodeFolder& code, const std::string& records) {
  auto manifest = code.again.empty() ? manifest_of(code, records) : manifest_in(code.again);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  add_run_folders(code, *manifest);
  for (snapshot::Entry& entry : manifest->entries) entry.modified = 0;
  return contents_outside(*manifest).map(
      [&](const std::string& outside) { return hash_of(manifest_text(*manifest) + outside); });
}

std::string moved(const std::string& path, const Elsewhere& elsewhere) {
  for (const auto& [folder, now] : elsewhere) {
    if (path.starts_with(folder + "/")) return now + path.substr(folder.size());
  }
  return path;
}

// What it offers; empty: it says nothing of the kind.
std::string offered_by(int offers, const std::string& name, const std::string& records) {
  constexpr std::size_t kPathMax = 4096;
  const auto folder = blobs::read_whole_at(offers, name, kPathMax);
  return folder ? store::below_records(records, *folder) : "";
}

base::Result<std::string> outputs_hash(const std::string& folder) {
  std::error_code wrong;
  if (!fs::exists(folder + "/outputs", wrong)) return "none";
  return fingerprint_of(folder + "/outputs");
}

}  // namespace

ReuseKey reuse_key(const front::PipelineRequest& request, const front::StepRequest& step,
                   const Elsewhere& elsewhere) {
  if (!request.reuses || !step.reuse) return {"", request.reuses ? step.never_reused : ""};
  std::string text = step.reuse->facts;
  for (const std::string& path : step.reuse->paths) {
    const auto hash = fingerprint_of(moved(path, elsewhere));
    if (!hash) return {"", hash.error().what};
    text += "content " + *hash + "\n";
  }
  if (step.code) {
    const auto code = code_key(*step.code, records_of(request.record.folder));
    if (!code) return {"", code.error().what};
    text += "code " + *code + "\n";
  }
  return {hash_of(text), ""};
}

std::string reuse_stamp(const front::PipelineRequest& request, const front::StepRequest& step) {
  if (!request.reuses || !step.reuse) return "";
  std::vector<std::string> paths = step.reuse->paths;
  std::string text;
  if (step.code) {
    // The copy is made of what the manifest names; only links in it lead to what may change.
    if (step.code->again.empty()) return "";
    const auto manifest = manifest_in(step.code->again);
    if (!manifest) return "";
    text = manifest_text(*manifest);
    for (const snapshot::Entry* link : links_outside(*manifest)) paths.push_back(link->target);
  }
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  for (const std::string& path : paths) {
    const auto one =
        blobs::stamp(path, blobs::LeadsOutLinks::with_contents, process::no_signal_waits);
    if (!one || !one->is_settled(now)) return "";
    text += one->text + "\n";
  }
  return hash_of(text);
}

std::optional<std::string> find_reusable(const front::PipelineRequest& request,
                                         const std::string& key) {
  const std::string records = records_of(request.record.folder);
  // Whoever can write there could offer anything.
  if (!store::own_below(records, kOffers)) return std::nullopt;
  const auto folder = store::read_file(offer_of(records, key));
  if (!folder || !folder->starts_with(records + "/")) return std::nullopt;
  if (!store::other_owner(records, *folder).empty()) return std::nullopt;
  const auto record = store::read_record(*folder);
  const auto seal = store::read_file(seal_of(*folder));
  if (!record || !record->ended_well() || !seal) return std::nullopt;
  const auto hash = outputs_hash(*folder);
  return hash && *hash == *seal ? folder : std::nullopt;
}

base::Result<void> offer_for_reuse(const front::PipelineRequest& request, const std::string& key,
                                   const std::string& folder) {
  const std::string records = records_of(request.record.folder);
  (void)::mkdir(fmt::format("{}/{}", records, kOffers).c_str(), 0755);
  if (!store::own_below(records, kOffers)) {
    return base::fail(base::Fault::output, "", "{}", store::not_own_below(records, kOffers));
  }
  const auto hash = outputs_hash(folder);
  if (!hash) return tl::unexpected(hash.error());
  if (store::write_file(seal_of(folder), *hash) &&
      store::replace_file(offer_of(records, key), folder)) {
    return {};
  }
  return base::fail(base::Fault::output, "", "cannot write to {}/.steps: {}", records,
                    std::strerror(errno));
}

std::vector<StaleOffer> stale_offers(const std::string& records,
                                     const std::set<std::string>& except) {
  std::vector<StaleOffer> stale;
  const process::UniqueFd folder(::open((records + "/.steps").c_str(), kOffersFolder));
  for (const process::FolderEntry& entry : process::entries_of(folder.get())) {
    const bool is_offer = entry.kind == process::FileKind::file && snapshot::is_hash(entry.name);
    const std::string record = is_offer ? offered_by(folder.get(), entry.name, records) : "";
    if (record.empty()) continue;
    std::error_code wrong;
    const bool has_gone =
        except.contains(record.substr(0, record.find('/'))) ||
        fs::symlink_status(fs::path(records) / record, wrong).type() == fs::file_type::not_found;
    if (has_gone) stale.push_back({".steps/" + entry.name, entry.bytes});
  }
  return stale;
}

}  // namespace muster::cli
