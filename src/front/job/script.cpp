// Looks for the script, as the call shows files, and for others that may be meant.
#include "front/job/script.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/nearest.hpp"
#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "job/first_program.hpp"
#include "job/shell_reader.hpp"
#include "job/source.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

struct Script {
  std::string path;    // as it is called
  std::string folder;  // in which it is called, below the job's
};

std::optional<Script> script_of(std::span<const std::string> words, std::string folder) {
  auto path = job::script_in(words);
  if (!path) return std::nullopt;
  return Script{*std::move(path), std::move(folder)};
}

// Of the words themselves, or of the launcher that they call.
std::optional<Script> script_by(const Call& call, const model::JobSpec& spec,
                                const job::FirstProgram& program) {
  if (auto script = script_of(program.words, program.folder)) return script;
  for (const model::App& app : apps_of_launcher(call, spec, program.words)) {
    const bool stays = app.workdir.empty() || app.workdir == spec.apps.front().workdir;
    if (!stays) continue;
    if (auto script = script_of(app.command, program.folder)) return script;
  }
  return std::nullopt;
}

// Variables of the launching shell may be others where the job runs.
std::optional<std::string> own_value(const model::App& app, std::string_view name) {
  const auto found = std::ranges::find(app.exports, name, &model::EnvSetting::name);
  return found == app.exports.end() ? std::nullopt : found->value;
}

std::optional<Script> script_called(const Call& call, const job::JobFile& job,
                                    const model::JobSpec& spec) {
  if (job.parallel) {
    if (!job.parallel->script || job.parallel->script->text.starts_with('/')) return std::nullopt;
    return Script{job.parallel->script->text, ""};
  }
  const model::App& app = spec.apps.front();
  if (!job.command) return script_by(call, spec, {app.command, ""});
  const job::ValueOf value_of = [&](std::string_view name) { return own_value(app, name); };
  const auto program = job::first_program(app.command.back(), value_of);
  return program ? script_by(call, spec, *program) : std::nullopt;
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const bool has_one = dot != std::string::npos && path.find('/', dot) == std::string::npos;
  return has_one ? path.substr(dot) : "";
}

// A file of that name deeper down is nearer than any other name.
std::string hint_at(const Call& call, const Script& script, const std::string& folder) {
  if (!call.list_files) return "";
  const std::string ending = ending_of(script.path);
  std::vector<std::string> there = call.list_files(folder, {ending}).paths;
  for (std::string& path : there) {
    if (path.starts_with(folder)) path.erase(0, folder.size());
    path.erase(0, path.find_first_not_of('/'));
  }
  const std::string name = "/" + script.path.substr(script.path.rfind('/') + 1);
  const auto deeper = std::ranges::find_if(
      there, [&](const std::string& path) { return ("/" + path).ends_with(name); });
  if (deeper != there.end()) return fmt::format("did you mean {}?", *deeper);
  std::string others = there.empty() ? "" : "that folder has ";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, there.size()); ++i) {
    others += (i > 0 ? ", " : "") + there[i];
  }
  return base::did_you_mean(script.path, there, others + (there.size() > 3 ? " ..." : ""));
}

job::Mark place_of_script(const Call& call, const job::JobFile& job, const Script& script,
                          const std::vector<std::string>& sources) {
  if (job.parallel) return job.parallel->script->begin;
  for (const job::Text& word : job.words) {
    if (word.text == script.path) return word.begin;
  }
  return place_in_command(call, job, script.path, 0, sources);
}

// Whether the files that lie here are those which the command finds.
bool is_known(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
              const ScriptFolder& where) {
  const bool shows_all = call.is_file && call.has_file;  // not of a record
  const bool is_seen = job.code ? where.has_code : where.is_seen && !spec.container;
  return shows_all && is_seen && !spec.apps.empty();
}

// A program that is called by its path may be anything: "#!/bin/sh -e", "#!/usr/bin/env -S bash".
bool is_for_shell(std::string_view text) {
  if (!text.starts_with("#!")) return text.find('\0') == std::string_view::npos;
  const std::string_view line = text.substr(2, text.find('\n') - 2);
  return std::ranges::any_of(base::split(std::string(line), " \t\r"), [](const std::string& word) {
    return job::is_shell(word.substr(word.rfind('/') + 1));
  });
}

// Below that, launchers may be others than muster's.
bool sets_path(const std::string& text, const job::ValueOf& value_of) {
  job::ShellReader reader(text, value_of);
  while (!reader.done()) {
    const std::vector<std::string> words = reader.command();
    const auto sets = [](const std::string& word) { return word.starts_with("PATH="); };
    if (std::ranges::any_of(words, sets)) return true;
  }
  return false;
}

// "jobs/run.sh" beside "jobs/job.yml", which lies in that folder.
std::string named_beside(const std::string& source, const std::string& folder,
                         const std::string& path) {
  if (source.starts_with('/') || !path.starts_with(folder + "/")) return path;
  return source.substr(0, source.rfind('/') + 1) + path.substr(folder.size() + 1);
}

std::string text_for_shell(const job::JobFile& job, const model::App& app) {
  if (app.command.empty()) return {};
  return job.command ? app.command.back() : base::shell_words(app.command);
}

}  // namespace

ScriptLaunchers launchers_in_scripts(const Call& call, const job::JobFile& job,
                                     const model::JobSpec& spec, const ScriptFolder& where,
                                     const std::vector<std::string>& sources) {
  constexpr std::size_t kScriptMax = std::size_t{1} << 20;
  ScriptLaunchers all;
  if (!call.look_into || !is_known(call, job, spec, where)) return all;
  const std::string root = job.code ? job::below(where.folder, job.code->text) : where.folder;
  const std::string& source = sources[job.command ? job.command->begin.file : 0];
  const model::App& app = spec.apps.front();
  const job::ValueOf value_of = [&](std::string_view name) { return own_value(app, name); };
  const std::string text_of_job = text_for_shell(job, app);
  const auto first =
      sets_path(text_of_job, value_of) ? std::nullopt : script_called(call, job, spec);
  for (const job::ShellScript& script : job::shell_scripts(text_of_job, value_of)) {
    const std::string path = job::below(job::below(root, script.folder), script.path);
    if (!call.is_file(path)) continue;
    const auto text = call.look_into(path, kScriptMax);
    if (!text || !is_for_shell(*text)) continue;
    ScriptLauncher launcher = launcher_in(call, spec, *text);
    if (launcher.name.empty()) continue;
    const bool is_sure =
        first && first->path == script.path && first->folder == script.folder && !all.mistake;
    if (launcher.mistake && is_sure) {
      all.mistake = std::move(launcher.mistake);
      all.mistake->fault = base::Fault::bad_file;
      all.mistake->place.source = named_beside(source, where.folder, path);
      continue;
    }
    all.unforeseen.push_back(
        {std::move(launcher.name), std::move(launcher.why), spec::in_quotes(script.path)});
  }
  return all;
}

std::string told_unforeseen(const std::vector<Unforeseen>& found) {
  if (found.empty()) return {};
  const Unforeseen& first = found.front();
  const auto others = std::ranges::count_if(found, [&](const Unforeseen& one) {
    return one.launcher != first.launcher || one.where != first.where;
  });
  return fmt::format("what {} in {} will start cannot be foreseen{}: {}", first.launcher,
                     first.where,
                     others == 0   ? ""
                     : others == 1 ? ", nor what another launcher will"
                                   : fmt::format(", nor what {} other launchers will", others),
                     first.why);
}

void check_script(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                  const ScriptFolder& where, job::Complaints& complaints) {
  const job::Text* code = job.code ? &*job.code : nullptr;
  if (!is_known(call, job, spec, where)) return;
  const auto script = script_called(call, job, spec);
  if (!script) return;
  const std::string root = code ? job::below(where.folder, code->text) : where.folder;
  const std::string folder = job::below(root, script->folder);
  if (!call.has_file(folder) || call.has_file(job::below(folder, script->path))) return;
  const std::string place = code ? job::below(code->text, script->folder)
                                 : job::below("the folder of the job file", script->folder);
  complaints.add(place_of_script(call, job, *script, complaints.sources()),
                 fmt::format("the command starts {}, which is not in {}",
                             spec::in_quotes(script->path), place),
                 hint_at(call, *script, folder));
}

job::Mark place_in_command(const Call& call, const job::JobFile& job, const std::string& word,
                           std::size_t before, const std::vector<std::string>& sources) {
  if (!job.command) return {};
  const std::string& source = sources[job.command->begin.file];
  if (!call.look_into || word.empty() || source == "-") return job.command->begin;
  const auto text = call.look_into(source, job::kFileMax);
  if (!text) return job.command->begin;
  return job::mark_of_part(*text, *job.command, word, before);
}

}  // namespace muster::front
