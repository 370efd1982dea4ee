// The code of a job: what its snapshot would hold, and the copy in which its ranks run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/survey.hpp"
#include "cli/prospect.hpp"
#include "front/request.hpp"
#include "process/signal_mask.hpp"
#include "process/unique_fd.hpp"
#include "snapshot/manifest.hpp"
#include "view/plan.hpp"

namespace muster::cli {

// In the record of a run: what the snapshot holds, and the copy.
inline constexpr std::string_view kManifestFile = "code.manifest";
using front::kCodeFolder;

// The folder of all records, as that of one of them tells it.
[[nodiscard]] std::string records_of(const std::string& record);

// Whether the ranks of such a job get a copy: it has a record, the folder is here, and a copy can
// be sent to each host that is another machine.
[[nodiscard]] bool copies_code(const front::RunRequest& request, const Prospect& job,
                               const std::optional<Prospect>& inner);

// Of a job without a copy, whose output `artifacts` would be that; empty: it has none.
[[nodiscard]] std::string told_empty_run_folder(const front::RunRequest& request);

// What such a copy has beside the files of the folder.
void add_run_folders(const front::CodeFolder& code, snapshot::Manifest& manifest);

// The code is that of an earlier run, if that has left a snapshot in its record.
void use_code_of(const std::string& record, front::RunRequest& request);

// Its ranks start in the copy that the record will hold.
void start_in_copy(const front::RunRequest& request, model::JobSpec& spec);

// For a plan that is only shown: nothing is kept.
[[nodiscard]] base::Result<view::CodeWords> look_at_code(const front::RunRequest& request);

// The snapshot of a run that is about to start. No blob of it is removed while this lives. A signal
// that is held back meanwhile ends what is being done.
class CodeSnapshot {
 public:
  // Takes it, or reads that of an earlier run, and says what others should know of it.
  [[nodiscard]] static base::Result<CodeSnapshot> take(const front::RunRequest& request);

  [[nodiscard]] const snapshot::Manifest& manifest() const { return manifest_; }

  // Writes the manifest alone.
  [[nodiscard]] base::Result<void> write_manifest(const std::string& path) const;

  // Writes the manifest and the copy below the folder of a record.
  [[nodiscard]] base::Result<void> write_to(const std::string& folder);

 private:
  CodeSnapshot(const std::string& records, process::UniqueFd hold)
      : store_(blobs::blobs_of(records), process::no_signal_waits), hold_(std::move(hold)) {}

  [[nodiscard]] base::Result<snapshot::Manifest> taken(const front::RunRequest& request);

  blobs::BlobStore store_;
  process::UniqueFd hold_;
  snapshot::Manifest manifest_;
};

}  // namespace muster::cli
