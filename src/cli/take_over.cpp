// Copies the outputs of a step that completed, and writes a record that says so.
#include "cli/take_over.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "cli/code.hpp"
#include "cli/copy_written.hpp"
#include "cli/look_back.hpp"
#include "cli/speak.hpp"
#include "process/signal_mask.hpp"
#include "store/folder.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "store/writer.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;
using model::RunRecord;

bool is_others(const std::string& record) {
  return !store::other_owner(records_of(record), record).empty();
}

bool is_link(const fs::path& path) {
  std::error_code wrong;
  return fs::is_symlink(fs::symlink_status(path, wrong));
}

// What is not there has not been written.
// Links that lead out of another user's outputs would make what lies there this user's output, and
// later steps would read it, or write to it.
Result<void> copy_if_there(std::string from, std::string to, bool is_theirs) {
  while (from.ends_with('/')) from.pop_back();
  while (to.ends_with('/')) to.pop_back();
  std::error_code wrong;
  if (!fs::exists(from, wrong)) return {};
  fs::create_directories(fs::path(to).parent_path(), wrong);  // if not, the copy says why
  return copy_written(from, to, to,
                      is_theirs ? blobs::CopiedLinks::inside : blobs::CopiedLinks::all);
}

// Those that lie in its record, its code among them if that is one, and those whose paths name the
// run; others are where they were.
Result<void> copy_outputs(const RunRecord& from, const RunRecord& to) {
  const bool is_theirs = is_others(from.folder);
  auto whole = copy_if_there(from.folder + "/outputs", to.folder + "/outputs", is_theirs);
  if (!whole) return whole;
  for (std::size_t i = 0; i < from.outputs.size(); ++i) {
    const std::string& path = from.outputs[i].path;
    if (path.starts_with(from.folder + "/outputs/") || path == to.outputs[i].path) continue;
    auto copied = copy_if_there(path, to.outputs[i].path, is_theirs);
    if (!copied) return copied;
  }
  return {};
}

RunRecord new_record(const RunRecord& from, const front::StepRequest& step,
                     const std::string& folder) {
  RunRecord record = from;
  record.folder = folder;
  record.run = store::run_of(folder);
  record.reused_from = from.reused_from.empty() ? from.folder : from.reused_from;
  record.created = record.started = record.ended = store::utc_now();
  record.head = store::this_place();
  for (model::NamedPath& output : record.outputs) {
    const auto own = std::ranges::find(step.outputs, output.name, &model::NamedPath::name);
    if (from.holds(output.path)) {
      output.path = folder + output.path.substr(from.folder.size());
    } else if (own != step.outputs.end()) {
      output.path = own->path;
    }
  }
  return record;
}

// As it is before its outputs are there.
RunRecord begun(RunRecord record) {
  record.state = model::RunState::starting;
  record.exit_code.reset();
  record.started.reset();
  record.ended.reset();
  return record;
}

RunRecord failed(RunRecord record, const base::Error& error) {
  record.state = model::RunState::failed;
  record.exit_code = base::exit_code(error.fault);
  record.code_from = model::word(model::CodeFrom::muster);
  record.cause = error.what;
  if (const int signal = process::waiting_signal(); signal != 0) {
    record.state = model::RunState::stopped;
    record.exit_code = 128 + signal;
    record.code_from = model::word(model::CodeFrom::signal);
  }
  return record;
}

Result<void> finish(store::RecordWriter& writer, const RunRecord& record) {
  writer.add(view::run_ended_line(record));
  return writer.finish(view::record_json(record, *record.ended) + "\n", "");
}

// Returns the step's exit code. Why it failed is in its record, which the conductor reads.
Result<int> write(const RunRecord& record, const RunRecord& from,
                  const model::TypedCommand& asked) {
  auto writer = store::RecordWriter::create(
      record.folder, {view::spec_json(begun(record), asked, MUSTER_VERSION), "{}\n",
                      view::event_line(*record.created, "created")});
  if (!writer) return tl::unexpected(writer.error());
  const auto copied = copy_outputs(from, record);
  const RunRecord whole = copied ? record : failed(record, copied.error());
  const auto finished = finish(*writer, whole);
  if (finished) return *whole.exit_code;
  return tl::unexpected(copied ? finished.error() : copied.error());
}

// A fifo, a socket or a device, of which there is no copy: the step failed for it when it ended.
bool is_odd(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  std::error_code wrong;
  return fs::is_other(fs::symlink_status(path, wrong));
}

// Whether what it made is still where it says. It may not have written a file that no step reads.
bool has_outputs(const RunRecord& record, const front::StepRequest& step) {
  std::error_code wrong;
  return std::ranges::all_of(record.outputs, [&](const model::NamedPath& output) {
    const auto own = std::ranges::find(step.outputs, output.name, &model::NamedPath::name);
    const bool is_copied = own == step.outputs.end() || own->path != output.path;
    if (is_copied && is_odd(output.path)) return false;
    const bool is_file = own != step.outputs.end() && own->is_file;
    return (is_file && !step.needed.contains(output.name)) || fs::exists(output.path, wrong);
  });
}

// Another user's record may name anything as an output, and lead anywhere.
bool are_within(const RunRecord& record, const front::StepRequest& step) {
  const auto is_within = [&](const model::NamedPath& output) {
    const auto own = std::ranges::find(step.outputs, output.name, &model::NamedPath::name);
    if (own != step.outputs.end() && own->path == output.path) return true;  // it is not copied
    fs::path path = output.path;
    if (!record.holds(output.path) || path != path.lexically_normal()) return false;
    for (; path.native().size() > record.folder.size(); path = path.parent_path()) {
      if (is_link(path)) return false;
    }
    return true;
  };
  return !is_link(record.folder + "/outputs") && std::ranges::all_of(record.outputs, is_within);
}

// A pipeline that was ended before it came to a step has nothing of it, but may have gone on from
// one that has.
std::optional<std::string> completed_in(const std::string& pipeline,
                                        const front::StepRequest& step) {
  bool is_there = false;
  std::string folder = look_back(pipeline, step.name, [&](const std::string& one) {
    const auto record = store::read_record(one);
    is_there = record && record->ended_well() && has_outputs(*record, step) &&
               (!is_others(one) || are_within(*record, step));
    return record && (record->ended_well() || record->reused_from.empty());  // it has run
  });
  return is_there ? std::optional(std::move(folder)) : std::nullopt;
}

}  // namespace

std::string latest_record(const front::PipelineRequest& request, const front::StepRequest& step) {
  if (request.anew.contains(step.name)) return "";
  return look_back(request.earlier, step.name, [](const std::string& folder) {
    return store::read_record(folder).has_value();
  });
}

std::optional<std::string> earlier_step(const front::PipelineRequest& request,
                                        const front::StepRequest& step) {
  if (request.anew.contains(step.name)) return std::nullopt;
  return completed_in(request.earlier, step);
}

std::optional<int> take_over(const front::PipelineRequest& request, const front::StepRequest& step,
                             const std::string& from) {
  const auto earlier = store::read_record(from);
  if (!earlier) return std::nullopt;
  const RunRecord record =
      new_record(*earlier, step, store::step_folder(request.record.folder, step.name));
  const model::TypedCommand& asked = request.record.asked;
  const auto written = write(record, *earlier, {asked.words, asked.folder, {}});
  return written ? *written : complain(written.error());
}

}  // namespace muster::cli
