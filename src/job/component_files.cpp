// Finds the files of components where the files that name them say.
#include "job/component_files.hpp"

#include <fmt/format.h>

#include "job/read_job_map.hpp"
#include "job/source.hpp"
#include "job/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

constexpr FileKind kComponentKind = {"a component", "KEY: VALUE"};

// "" for a path without folders.
std::string folder_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string within(const std::string& folder, std::string_view path) {
  if (!folder.empty()) return below(folder, path);
  while (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
}

std::string_view without_scheme(std::string_view path) {
  constexpr std::string_view kFile = "file:";
  return path.starts_with(kFile) ? path.substr(kFile.size()) : path;
}

// A component that a program has registered, and that has no file, has them below a key of its own.
SharedNode keys_of_component(const SharedNode& root) {
  const Entry* keys = root ? find(*root, "keys") : nullptr;
  const bool is_only = keys != nullptr && root->entries.size() == 1;
  return is_only && keys->value->kind == Kind::map ? keys->value : root;
}

}  // namespace

ComponentFiles::ComponentFiles(std::string_view text, const std::string& source, ReadComponent read,
                               Complaints& complaints)
    : read_(std::move(read)), complaints_(complaints) {
  File& first = files_.emplace_back();
  first.about = {source, ""};
  first.text = text;
  first.root = read_job_map(text, {"a pipeline", "KEY: VALUE"}, complaints);
  numbers_[source] = 0;
}

std::uint32_t ComponentFiles::add(SourceFile about, std::string text) {
  const std::uint32_t number = complaints_.add_source(about.path);
  File& file = files_.emplace_back();
  file.about = std::move(about);
  file.owned = std::move(text);
  file.text = file.owned;
  file.root = keys_of_component(read_job_map(file.text, kComponentKind, complaints_, number));
  return number;
}

std::optional<std::uint32_t> ComponentFiles::open(std::uint32_t from, const Text& named) {
  const std::string_view said = without_scheme(named.text);
  const SourceFile& namer = files_[from].about;
  std::string path = within(folder_part(namer.path), said);
  const auto [known, is_new] = numbers_.try_emplace(path);
  if (!is_new) return known->second;
  if (files_.size() >= kComponentFilesMax) {
    complaints_.add(named.begin,
                    fmt::format("the pipeline has more than {} files", kComponentFilesMax), "");
    return std::nullopt;
  }
  if (said.find("://") != std::string_view::npos) {
    numbers_.erase(known);
    complaints_.add(named.begin,
                    fmt::format("the component {} is an address, from which muster fetches none",
                                in_quotes(said)),
                    "save it beside the pipeline, and name that file");
    return std::nullopt;
  }
  auto text = read_(path);
  if (!text) {
    numbers_.erase(known);  // whoever else names it hears the same
    complaints_.add(named.begin,
                    fmt::format("the component {}: {}", in_quotes(said), text.error().what),
                    text.error().hint);
    return std::nullopt;
  }
  std::string folder = folder_part(within(namer.folder, said));
  known->second = add({std::move(path), std::move(folder)}, std::move(*text));
  return known->second;
}

std::vector<SourceFile> ComponentFiles::about() const {
  std::vector<SourceFile> all;
  for (const File& file : files_) all.push_back(file.about);
  return all;
}

Mark ComponentFiles::mark_of_part(const Text& value, std::string_view part) const {
  return job::mark_of_part(files_[value.begin.file].text, value, part);
}

}  // namespace muster::job
