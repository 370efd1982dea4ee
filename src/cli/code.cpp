// Between a request and the snapshots of `blobs`.
#include "cli/code.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.hpp"
#include "blobs/snapshot_of.hpp"
#include "cli/speak.hpp"
#include "cli/travel.hpp"
#include "front/inherited.hpp"
#include "job/values.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;

bool is_folder(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

std::vector<std::string> notices_of(const blobs::Survey& survey) {
  std::vector<std::string> notices;
  if (!survey.leads_out.empty()) {
    const auto name = [&](std::size_t i) {
      return survey.leads_out[i].path + " -> " + survey.leads_out[i].target;
    };
    notices.push_back("links in the code that lead out of its folder stay links to that place: " +
                      view::first_few(survey.leads_out.size(), name));
  }
  if (!survey.left_out.empty()) {
    const auto name = [&](std::size_t i) {
      return fmt::format("{} ({})", survey.left_out[i].path, survey.left_out[i].why);
    };
    notices.push_back("not copied with the code: " + view::first_few(survey.left_out.size(), name));
  }
  return notices;
}

Result<blobs::Survey> survey_of(const front::RunRequest& request) {
  const front::CodeFolder& code = *request.code;
  auto survey = blobs::survey(code.folder, {.excluded = records_of(request.record->folder),
                                            .goes_on = process::no_signal_waits});
  if (!survey) return survey;
  if (auto fine = blobs::check_limit(*survey, code.folder, code.limit); !fine) {
    return tl::unexpected(std::move(fine.error()));
  }
  return survey;
}

// Of the run that is started again.
Result<snapshot::Manifest> manifest_of_then(const front::CodeFolder& code) {
  const auto text = store::read_file(code.again, snapshot::kManifestMax);
  auto manifest = text ? snapshot::read_manifest(*text)
                       : base::fail(base::Fault::bad_file, "", "it cannot be read");
  if (manifest) return manifest;
  return base::fail(base::Fault::bad_file, "muster rerun takes --fresh-code, for the files of now",
                    "{}: {}", code.again, manifest.error().what);
}

// An output that is the copy: whoever brings the code makes it.
void leave_out(const std::string& folder, model::JobSpec& spec) {
  std::erase(spec.folders, folder);
  for (model::App& app : spec.apps) {
    const auto told =
        std::ranges::find(app.exports, front::kOutputFolders, &model::EnvSetting::name);
    if (told == app.exports.end() || !told->value) continue;
    std::vector<std::string> folders = base::split(*told->value, "\n");
    std::erase(folders, folder);
    told->value = fmt::format("{}", fmt::join(folders, "\n"));
  }
}

}  // namespace

// That of a step lies in that of its pipeline.
std::string records_of(const std::string& record) {
  std::string folder = record;
  for (const char one : store::run_of(record)) {
    if (one == '/') folder = fs::path(folder).parent_path().parent_path();
  }
  return fs::path(folder).parent_path();
}

bool copies_code(const front::RunRequest& request, const Prospect& job,
                 const std::optional<Prospect>& inner) {
  const bool has_place = request.code && request.record && !request.record->folder.empty();
  if (!has_place || !hosts_elsewhere(job, inner)) return false;
  return !request.code->again.empty() || is_folder(request.code->folder);
}

std::string told_empty_run_folder(const front::RunRequest& request) {
  if (!request.code || !request.record || request.record->folder.empty()) return "";
  const std::string copy = fmt::format("{}/{}", request.record->folder, kCodeFolder);
  const auto& outputs = request.record->outputs;
  const auto output = std::ranges::find(outputs, copy, &model::NamedPath::path);
  return output == outputs.end() ? "" : job::empty_run_folder(output->name, request.code->folder);
}

void add_run_folders(const front::CodeFolder& code, snapshot::Manifest& manifest) {
  if (!code.has_run_folders) return;
  for (const char* name : {"logs", "outputs"}) snapshot::add_folder(manifest, name);
}

void use_code_of(const std::string& record, front::RunRequest& request) {
  const std::string manifest = record + "/" + std::string(kManifestFile);
  if (request.code && ::access(manifest.c_str(), F_OK) == 0) request.code->again = manifest;
}

void start_in_copy(const front::RunRequest& request, model::JobSpec& spec) {
  leave_out(fmt::format("{}/{}", request.record->folder, kCodeFolder), spec);
  // A plan that is only shown belongs to no run.
  const std::string run =
      request.dry_run ? records_of(request.record->folder) + "/<run>" : request.record->folder;
  for (model::App& app : spec.apps) {
    if (app.workdir != request.code->folder) continue;
    app.workdir = run + "/" + std::string(kCodeFolder);
  }
}

Result<view::CodeWords> look_at_code(const front::RunRequest& request) {
  if (!request.code->again.empty()) {
    return manifest_of_then(*request.code).map([&](const snapshot::Manifest& manifest) {
      const snapshot::Extent extent = extent_of(manifest);
      return view::CodeWords{request.code->folder, extent.files, extent.bytes, {}};
    });
  }
  return survey_of(request).map([&](const blobs::Survey& survey) {
    const snapshot::Extent extent = extent_of(survey.manifest);
    return view::CodeWords{request.code->folder, extent.files, extent.bytes, notices_of(survey)};
  });
}

Result<CodeSnapshot> CodeSnapshot::take(const front::RunRequest& request) {
  const std::string records = records_of(request.record->folder);
  auto hold = blobs::BlobStore(blobs::blobs_of(records)).hold();
  if (!hold) return tl::unexpected(std::move(hold.error()));
  CodeSnapshot code(records, std::move(*hold));
  auto manifest =
      request.code->again.empty() ? code.taken(request) : manifest_of_then(*request.code);
  if (!manifest && !process::no_signal_waits()) {
    return base::fail(base::Fault::timeout, "", "given up before it had begun");
  }
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  code.manifest_ = std::move(*manifest);
  add_run_folders(*request.code, code.manifest_);
  return code;
}

Result<snapshot::Manifest> CodeSnapshot::taken(const front::RunRequest& request) {
  return survey_of(request).and_then([&](const blobs::Survey& survey) {
    for (const std::string& notice : notices_of(survey)) {
      note(view::one_line(notice));
    }
    return blobs::keep_all(store_, survey.manifest, request.code->folder);
  });
}

Result<void> CodeSnapshot::write_manifest(const std::string& path) const {
  if (store::write_file(path, manifest_text(manifest_))) return {};
  return store::cannot_write(base::Fault::output, path);
}

Result<void> CodeSnapshot::write_to(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kManifestFile);
  if (auto written = write_manifest(path); !written) return written;
  return blobs::lay_out(store_, manifest_, folder + "/" + std::string(kCodeFolder));
}

}  // namespace muster::cli
