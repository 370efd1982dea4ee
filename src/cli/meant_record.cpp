// Finds records by what people call them, and outputs in them.
#include "cli/meant_record.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "cli/list.hpp"
#include "spec/in_quotes.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;
using model::RunRecord;

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// "artifacts" and "default" are what a run has written beside its outputs, in its code or record.
bool is_by_the_way(const std::string& output) {
  return output == "artifacts" || output == "default";
}

Result<std::string> path_of_artifact(const RunRecord& record, const job::RunOutput& output) {
  for (const std::string& folder : {record.code, record.folder}) {
    if (folder.empty()) continue;
    std::string path = folder + (output.below.empty() ? "" : "/" + output.below);
    if (is_there(path)) return path;
  }
  return base::fail(Fault::bad_file, fmt::format("muster show {} names its folders", record.run),
                    "the run {} has no {}", record.run, spec::in_quotes(output.below));
}

}  // namespace

Result<std::string> folder_of_run(const std::string& records, const std::string& word) {
  std::size_t slash = std::min(word.find('/'), word.size());
  const auto below = [&](const std::string& name) { return records + "/" + name; };
  auto folder = run_meant(records, word.substr(0, slash)).map(below);
  if (!folder && slash < word.size()) {
    const auto whole = run_meant(records, word);
    if (whole) return below(*whole);
    if (!runs_called(records, word).empty()) return tl::unexpected(whole.error());
  }
  while (folder && slash < word.size()) {
    const std::size_t end = std::min(word.find('/', slash + 1), word.size());
    const std::string name = word.substr(slash + 1, end - slash - 1);
    folder = store::find_step(store::step_names(*folder), name).map([&](const std::string& step) {
      return store::step_folder(*folder, step);
    });
    slash = end;
  }
  return folder;
}

Result<RunRecord> meant_record(const std::string& records, const std::string& word) {
  return folder_of_run(records, word).and_then([&](const std::string& folder) {
    auto record = store::read_record(folder);
    const std::string run = store::run_of(folder);
    return record ? Result<RunRecord>(std::move(*record))
                  : base::fail(Fault::bad_file, "muster rm " + run + " removes it",
                               "the record of {} cannot be read", run);
  });
}

base::Error foreign_run(const std::string& run, const std::string& owner) {
  return {Fault::usage,
          fmt::format("{} is a run of another user ({})", run, owner),
          fmt::format("look at its command first: muster show {}; then add --foreign", run),
          {}};
}

Result<std::string> path_of_output(const std::string& records, const job::RunOutput& output) {
  const auto record = meant_record(records, output.run);
  if (!record) return tl::unexpected(record.error());
  const auto found = std::ranges::find(record->outputs, output.output, &model::NamedPath::name);
  if (found == record->outputs.end()) {
    if (is_by_the_way(output.output)) return path_of_artifact(*record, output);
    std::vector<std::string> names;
    for (const model::NamedPath& one : record->outputs) names.push_back(one.name);
    const std::string all =
        names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    return base::fail(Fault::bad_file, base::did_you_mean(output.output, names, all),
                      "the run {} has no output {}", store::run_of(record->folder),
                      spec::in_quotes(output.output));
  }
  if (!record->code.empty() && found->path == record->code)
    return path_of_artifact(*record, output);
  std::string path = found->path + (output.below.empty() ? "" : "/" + output.below);
  // What lies elsewhere may be seen by the hosts alone.
  if (!record->holds(path) || is_there(path)) return path;
  return base::fail(Fault::bad_file, fmt::format("muster show {} tells how it ended", output.run),
                    "the run {} has not made {}", store::run_of(record->folder), path);
}

}  // namespace muster::cli
