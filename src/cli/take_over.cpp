// Copies the outputs of a step that completed, and writes a record that says so.
#include "cli/take_over.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "cli/speak.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "store/writer.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;
using model::RunRecord;

// Those that lie in its record; others are where they were.
Result<void> copy_outputs(const RunRecord& from, const std::string& folder) {
  const std::string outputs = from.folder + "/outputs";
  std::error_code wrong;
  if (!fs::exists(outputs, wrong)) return {};
  constexpr auto kAll = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  fs::copy(outputs, folder + "/outputs", kAll, wrong);
  if (!wrong) return {};
  return base::fail(base::Fault::output, "", "cannot copy the outputs of {}: {}", from.run,
                    wrong.message());
}

RunRecord new_record(const RunRecord& from, const std::string& folder) {
  RunRecord record = from;
  record.folder = folder;
  record.run = store::run_of(folder);
  record.reused_from = from.reused_from.empty() ? from.folder : from.reused_from;
  record.created = record.started = record.ended = store::utc_now();
  record.head = store::this_place();
  for (model::NamedPath& output : record.outputs) {
    if (from.holds(output.path)) output.path = folder + output.path.substr(from.folder.size());
  }
  return record;
}

Result<void> write(const RunRecord& record, const RunRecord& from,
                   const model::TypedCommand& asked) {
  auto writer = store::RecordWriter::create(record.folder,
                                            {view::spec_json(record, asked, MUSTER_VERSION), "{}\n",
                                             view::event_line(*record.created, "created")});
  if (!writer) return tl::unexpected(writer.error());
  if (auto copied = copy_outputs(from, record.folder); !copied) return copied;
  writer->add(view::run_ended_line(record));
  return writer->finish(view::record_json(record, *record.ended) + "\n", "");
}

}  // namespace

std::optional<std::string> earlier_step(const front::PipelineRequest& request,
                                        const front::StepRequest& step) {
  if (request.earlier.empty() || request.anew.contains(step.name)) return std::nullopt;
  std::string folder = store::step_folder(request.earlier, step.name);
  const auto record = store::read_record(folder);
  return record && record->ended_well() ? std::optional(std::move(folder)) : std::nullopt;
}

std::optional<int> take_over(const front::PipelineRequest& request, const front::StepRequest& step,
                             const std::string& from) {
  const auto earlier = store::read_record(from);
  if (!earlier) return std::nullopt;
  const RunRecord record =
      new_record(*earlier, store::step_folder(request.record.folder, step.name));
  const auto written = write(record, *earlier, request.record.asked);
  return written ? 0 : complain(written.error());
}

}  // namespace muster::cli
