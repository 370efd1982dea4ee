// Sections and keys of Horovod's config file (horovod/runner/common/util/config_parser.py).
#include "front/horovod/config.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "front/horovod/knobs.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Fault;
using base::Result;
using spec::in_quotes;

struct ConfigFile {
  HorovodDraft& draft;
  std::string path;

  template <class... Args>
  [[nodiscard]] tl::unexpected<base::Error> refuse(job::Mark mark, std::string hint,
                                                   fmt::format_string<Args...> text,
                                                   Args&&... args) const {
    return base::fail_at({path, mark.line, mark.column}, Fault::bad_file, std::move(hint), text,
                         std::forward<Args>(args)...);
  }
};

std::string hint_for(const std::string& word, const std::vector<std::string>& known) {
  std::string names;
  for (const std::string& one : known) names += (names.empty() ? "" : ", ") + one;
  return base::did_you_mean(word, known, "known are " + names);
}

Result<void> read_controller(const ConfigFile& file, const job::Entry& entry) {
  const std::string word = base::lower(entry.value->text);
  if (word != "gloo" && word != "mpi") {
    return file.refuse(entry.value->begin, "", "controller must be gloo or mpi, not {}",
                       in_quotes(entry.value->text));
  }
  if (file.draft.controller == HorovodController::automatic) {
    file.draft.controller = word == "gloo" ? HorovodController::gloo : HorovodController::mpi;
  }
  return {};
}

// The command line wins.
Result<void> read_knob(const ConfigFile& file, const Knob& knob, const job::Entry& entry) {
  if (entry.value->kind == job::Kind::nothing) return {};
  if (entry.value->kind != job::Kind::text) {
    return file.refuse(entry.value->begin, "", "{} must be one value, not {}", entry.key,
                       job::word(entry.value->kind));
  }
  auto value = knob_value(knob.kind, entry.key, entry.value->text);
  if (!value) return file.refuse(entry.value->begin, "", "{}", value.error().what);
  file.draft.knobs.try_emplace(knob.variable, std::move(*value));
  return {};
}

Result<void> read_entry(const ConfigFile& file, std::string_view section, const job::Entry& entry) {
  std::vector<std::string> known;
  for (const Knob& knob : horovod_knobs()) {
    if (knob.section != section) continue;
    if (knob.key == entry.key) return read_knob(file, knob, entry);
    known.emplace_back(knob.key);
  }
  return file.refuse(entry.mark, hint_for(entry.key, known), "there is no {} in {}",
                     in_quotes(entry.key), section);
}

Result<void> read_section(const ConfigFile& file, const job::Entry& section) {
  if (section.key == "controller") return read_controller(file, section);
  std::vector<std::string> known = {"controller"};
  for (const Knob& knob : horovod_knobs()) {
    if (std::ranges::find(known, knob.section) == known.end()) known.emplace_back(knob.section);
  }
  if (std::ranges::find(known, section.key) == known.end()) {
    return file.refuse(section.mark, hint_for(section.key, known), "there is no section {}",
                       in_quotes(section.key));
  }
  if (section.value->kind == job::Kind::nothing) return {};
  if (section.value->kind != job::Kind::map) {
    return file.refuse(section.value->begin, "write its keys below it", "{} must be a map, not {}",
                       section.key, job::word(section.value->kind));
  }
  for (const job::Entry& entry : section.value->entries) {
    if (auto read = read_entry(file, section.key, entry); !read) return read;
  }
  return {};
}

}  // namespace

Result<void> settle_horovod_config(HorovodDraft& draft) {
  if (draft.config_file.empty()) return {};
  const auto text = draft.call->read_file(draft.config_file, job::kFileMax);
  if (!text) return tl::unexpected(text.error());
  const job::Document document = job::read_yaml(*text, draft.config_file);
  if (!document.complaints.empty()) return tl::unexpected(document.complaints.front());
  const ConfigFile file{draft, draft.config_file};
  if (document.root->kind != job::Kind::map) {
    return file.refuse(document.root->begin, "for example params:, with its keys below it",
                       "a config file is a map of sections, not {}",
                       job::word(document.root->kind));
  }
  for (const job::Entry& section : document.root->entries) {
    if (auto read = read_section(file, section); !read) return read;
  }
  return {};
}

}  // namespace muster::front
