// Looks at the outputs of a step that has ended.
#include "cli/step_outputs.hpp"

#include <algorithm>
#include <filesystem>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"
#include "store/files.hpp"
#include "store/growing_file.hpp"

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
  // It may be a file of any size: no word begins further on than this.
  std::string text;
  if (const process::UniqueFd file = store::open_file(output.path)) {
    constexpr std::size_t kFrontMax = 4096;
    store::GrowingFile().read(file.get(), kFrontMax, [&](std::string_view one) { text += one; });
  }
  std::string word = base::lower(text);
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

}  // namespace

Result<std::map<std::string, bool>> what_it_says(const std::string& record,
                                                 const StepRequest& step) {
  if (auto fine = check_written(record, step); !fine) return tl::unexpected(fine.error());
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
