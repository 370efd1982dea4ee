// Reads what mpirun is told about output.
#include "front/mpirun/output.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

// What stands behind the ':' of a folder or file.
Result<void> apply_modifiers(MpirunDraft& draft, const Typed& typed, std::string_view text) {
  for (const std::string& written : base::split(text, ",:")) {
    const std::string word = base::lower(written);
    if (word == "nocopy") {
      draft.output.copy = false;
    } else if (word == "nojobid") {
      draft.output.job_folder = false;
    } else if (word == "pattern") {
      draft.output.pattern = true;
    } else if (word == "copy" || word == "jobid" || word == "raw") {
      continue;  // what is done anyway: output is carried as it came
    } else {
      return fail(Fault::usage, "a ':' parts the name from nojobid and nocopy",
                  "{} allows nojobid and nocopy after ':', not {}", typed.option,
                  in_quotes(written));
    }
  }
  return {};
}

Result<void> set_path(MpirunDraft& draft, const Typed& typed, std::string_view text,
                      std::string OpenMpiOutput::*path) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon == 0) return fail(Fault::usage, "", "{} names no folder or file", typed.option);
  draft.output.*path = absolute(*draft.call, text.substr(0, colon));
  return apply_modifiers(draft, typed, text.substr(std::min(colon + 1, text.size())));
}

void set_tag(MpirunDraft& draft, OpenMpiOutput::Tag tag) {
  draft.output.tag = tag;
  draft.output.of_five = true;
}

bool begins(std::string_view full, std::string_view word, std::size_t least) {
  return word.size() >= least && full.starts_with(word);
}

}  // namespace

Result<void> set_output_filename(MpirunDraft& draft, const Typed& typed) {
  return set_path(draft, typed, typed.value, &OpenMpiOutput::folder);
}

Result<void> set_output_directory(MpirunDraft& draft, const Typed& typed) {
  return set_path(draft, typed, typed.value, &OpenMpiOutput::folder);
}

Result<void> set_output(MpirunDraft& draft, const Typed& typed) {
  for (const std::string& written : base::split(typed.value, ",")) {
    const std::string word = base::lower(written);
    Result<void> done;
    if (word.starts_with("dir=") || word.starts_with("directory=")) {
      done = set_path(draft, typed, std::string_view(written).substr(word.find('=') + 1),
                      &OpenMpiOutput::folder);
    } else if (word.starts_with("file=") || word.starts_with("filename=")) {
      done = set_path(draft, typed, std::string_view(written).substr(word.find('=') + 1),
                      &OpenMpiOutput::file);
    } else if (begins("timestamp", word, 2)) {
      draft.output.timestamp = draft.output.of_five = true;
    } else if (begins("tag-detailed", word, 5)) {
      set_tag(draft, OpenMpiOutput::Tag::with_host);
    } else if (begins("tag-fullname", word, 1)) {
      set_tag(draft, OpenMpiOutput::Tag::job_and_rank);
    } else if (begins("rank", word, 2)) {
      set_tag(draft, OpenMpiOutput::Tag::rank);
    } else if (word == "xml") {
      draft.output.xml = true;
    } else if (begins("merge-stderr-to-stdout", word, 1)) {
      draft.output.merge = true;
    } else {
      done = apply_modifiers(draft, typed, word.starts_with(':') ? word.substr(1) : word);
      if (!done) {
        return fail(Fault::usage, "",
                    "{} must be tag, rank, timestamp, xml, merge, dir=DIR or file=NAME, not {}",
                    typed.option, in_quotes(written));
      }
    }
    if (!done) return done;
  }
  return {};
}

Result<void> set_display(MpirunDraft& draft, const Typed& typed) {
  const auto words = base::split(typed.value, ",");
  for (const std::string& written : words) {
    const std::string word = base::lower(std::string_view(written).substr(0, written.find(':')));
    Shown& shown = draft.request.shown;
    if (word == "map-devel" || word == "map-diffable" || begins("map", word, 1)) {
      shown.map = true;
    } else if (begins("allocation", word, 1)) {
      shown.allocation = true;
    } else if (begins("bindings", word, 1)) {
      shown.bindings = true;
    } else if (begins("topology", word, 1) || word == "cpus" || word == "proctable") {
      notice(draft, fmt::format("{} {} has no effect here: --dry-run shows cpus and ranks",
                                typed.option, written));
    } else {
      return fail(Fault::usage, "", "{} must be map, allocation or bind, not {}", typed.option,
                  in_quotes(written));
    }
  }
  if (words.empty()) return fail(Fault::usage, "", "{} has an empty value", typed.option);
  return {};
}

void settle_mpirun_output(MpirunDraft& draft) {
  draft.request.spec.output = open_mpi_output(draft.output);
}

}  // namespace muster::front
