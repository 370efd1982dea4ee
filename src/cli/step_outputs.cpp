// Looks at the outputs of a step that has ended.
#include "cli/step_outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

#include "base/words.hpp"
#include "blobs/survey.hpp"
#include "cli/written_value.hpp"
#include "spec/in_quotes.hpp"
#include "store/folder.hpp"

namespace muster::cli {
namespace {

using base::Result;
using front::StepRequest;

// The beginning of a word that may be anything.
std::string shown(const std::string& word) {
  constexpr std::size_t kWordMax = 20;
  return word.empty() ? "nothing" : spec::in_quotes(word.substr(0, kWordMax));
}

// The word that a step has written into a file, or into the only file of a folder.
Result<bool> said(const model::NamedPath& output) {
  const auto text = written_value(output.path);
  if (!text) {
    return base::fail(base::Fault::bad_file, text.error().hint,
                      "its output {} decides what runs next: {}", output.name, text.error().what);
  }
  std::string word = base::lower(*text);
  std::erase_if(word, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return base::fail(base::Fault::bad_file, "",
                    "its output {} decides what runs next, and holds {}, which is neither true nor "
                    "false ({})",
                    output.name, shown(word), output.path);
}

// What later steps read must be there; files whose path the user says may lie on another host.
Result<void> check_written(const std::string& record, const StepRequest& step) {
  for (const std::string& name : step.needed) {
    const auto output = std::ranges::find(step.outputs, name, &model::NamedPath::name);
    std::error_code wrong;
    const bool is_ours = output != step.outputs.end() && output->path.starts_with(record + "/");
    if (!is_ours || std::filesystem::exists(output->path, wrong)) continue;
    return base::fail(base::Fault::bad_file, "", "it has not written its output {} ({})", name,
                      output->path);
  }
  return {};
}

// What reruns copy: what lies in the record, or at a path that names the run. Nothing can be copied
// of a fifo in the place of an output, and whoever read it would wait for ever.
Result<void> check_kinds(const std::string& record, const StepRequest& step) {
  const std::string run = store::run_of(record);
  for (const model::NamedPath& output : step.outputs) {
    std::string path = output.path;
    while (path.ends_with('/')) path.pop_back();
    const bool is_copied = path.starts_with(record + "/") || path.find(run) != std::string::npos;
    struct stat facts {};
    if (!is_copied || ::lstat(path.c_str(), &facts) != 0) continue;
    const mode_t mode = facts.st_mode;
    if (S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode)) continue;
    return base::fail(base::Fault::bad_file, "", "its output {} is {}, not a file or a folder ({})",
                      output.name, blobs::odd_kind(mode), path);
  }
  return {};
}

}  // namespace

Result<std::map<std::string, bool>> what_it_says(const std::string& record,
                                                 const StepRequest& step) {
  if (auto fine = check_written(record, step); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_kinds(record, step); !fine) return tl::unexpected(fine.error());
  std::map<std::string, bool> says;
  for (const std::string& name : step.control) {
    const auto output = std::ranges::find(step.outputs, name, &model::NamedPath::name);
    if (output == step.outputs.end()) continue;
    const auto word = said(*output);
    if (!word) return tl::unexpected(word.error());
    says[name] = *word;
  }
  return says;
}

}  // namespace muster::cli
