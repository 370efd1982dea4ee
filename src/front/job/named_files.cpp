// Reads the first keys of files, and compares names and versions.
#include "front/job/named_files.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/words.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Fault;
using job::Asset;
using job::Node;

std::string text_at(const Node& map, std::string_view key) {
  const job::Entry* entry = job::find(map, key);
  return entry != nullptr && entry->value->kind == job::Kind::text ? entry->value->text : "";
}

bool has_any(const Node& map, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](auto key) { return job::find(map, key) != nullptr; });
}

// Jobs have names, too, but nobody registers those.
std::optional<Asset> kind_of_file(const Node& map) {
  const std::string type = base::lower(text_at(map, "type"));
  if (has_any(map, {"command", "jobs", "task", "launcher", "trial"})) return Asset::component;
  if (has_any(map, {"path"}) && !has_any(map, {"inputs", "outputs"})) return Asset::data;
  if (has_any(map, {"image", "build", "conda_file"})) return Asset::environment;
  return std::nullopt;
}

job::SharedNode map_in(const Call& call, const std::string& path) {
  const auto text = call.look_into(path, job::kFileMax);
  if (!text) return nullptr;
  job::SharedNode root = job::read_yaml(*text, path).root;
  return root && root->kind == job::Kind::map ? root : nullptr;
}

std::optional<NamedFile> named_file(const Call& call, const std::string& path) {
  const job::SharedNode root = map_in(call, path);
  if (!root) return std::nullopt;
  const std::string name = text_at(*root, "name");
  const auto kind = kind_of_file(*root);
  if (name.empty() || !kind) return std::nullopt;
  return NamedFile{path, *kind, name, text_at(*root, "version"), text_at(*root, "path")};
}

// ---- registers ----------------------------------------------------------------------------------

// As python/muster/registers.py writes it.
std::string safe(std::string_view name) {
  std::string file;
  for (const char c : name) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' ||
                         static_cast<unsigned char>(c) > 127;
    file += is_word ? c : '_';
  }
  file.erase(0, std::min(file.find_first_not_of('.'), file.size()));
  return file.empty() ? "_" : file;
}

std::string stem_of_file(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.rfind('.'));
}

// Numbers by their size, behind all other words.
std::pair<std::int64_t, std::string> order_of(const std::string& path) {
  const std::string version = stem_of_file(path);
  std::int64_t number = -1;
  const auto* const end = version.data() + version.size();
  if (std::from_chars(version.data(), end, number).ptr != end) number = -1;
  return {number, version};
}

std::optional<std::string> file_in_register(const Call& call, const std::string& folder,
                                            const job::AssetName& name) {
  std::vector<std::string> files = call.list_files(folder, {".json"}).paths;
  if (!name.version.empty()) {
    const std::string wanted = safe(name.version);
    std::erase_if(files, [&](const std::string& one) { return stem_of_file(one) != wanted; });
  }
  if (files.empty() || !(name.label.empty() || name.label == "latest")) return std::nullopt;
  return *std::ranges::max_element(files, {}, order_of);
}

std::vector<std::string> registers_of(const std::string& records, Asset kind,
                                      const std::string& name) {
  std::vector<std::string> registers = {std::string(job::key_of(kind))};
  if (kind == Asset::data) registers.emplace_back("models");
  for (std::string& one : registers) {
    one = fmt::format("{}/.registered/{}/{}", records, one, safe(name));
  }
  return registers;
}

std::string meant_by(const Node& said, Asset kind) {
  if (kind == Asset::data) return text_at(said, "path");
  if (kind == Asset::component) return text_at(said, "file");
  return has_any(said, {"conda_file", "build"}) ? "" : text_at(said, "image");
}

}  // namespace

base::Result<std::optional<NamedFile>> NamedFiles::find(Asset kind, const job::AssetName& name) {
  look();
  std::vector<NamedFile> found = called(kind, name);
  const auto says_version = [](const NamedFile& one) { return !one.version.empty(); };
  if (!name.version.empty() && found.size() > 1 && std::ranges::any_of(found, says_version)) {
    std::erase_if(found, [&](const NamedFile& one) { return !says_version(one); });
  }
  if (found.empty()) return std::optional<NamedFile>();
  if (found.size() == 1) {
    (void)call_.read_file(found.front().path, job::kFileMax);  // it is part of what was asked
    return std::optional(std::move(found.front()));
  }
  return base::fail(Fault::bad_file, fmt::format("say which: {}", job::how_to_say(kind, name.name)),
                    "two files are called {}: {} and {}", spec::in_quotes(name.name), found[0].path,
                    found[1].path);
}

std::vector<std::string> NamedFiles::names(Asset kind) {
  look();
  std::vector<std::string> names;
  for (const NamedFile& one : files_) {
    if (one.kind == kind) names.push_back(one.name);
  }
  return names;
}

std::vector<std::string> NamedFiles::versions(Asset kind, const std::string& name) {
  look();
  std::vector<std::string> versions;
  for (const NamedFile& one : files_) {
    const bool fits = one.kind == kind && one.name == name && !one.version.empty();
    if (fits) versions.push_back(one.version);
  }
  return versions;
}

void NamedFiles::look() {
  if (has_looked_ || !call_.list_files || !call_.look_into) return;
  has_looked_ = true;
  const FilesBelow below = call_.list_files(folder_, {".yml", ".yaml"});
  are_all_ = below.are_all;
  for (const std::string& path : below.paths) {
    if (auto file = named_file(call_, path)) files_.push_back(std::move(*file));
  }
}

std::vector<NamedFile> NamedFiles::called(Asset kind, const job::AssetName& name) const {
  std::vector<NamedFile> found;
  for (const NamedFile& one : files_) {
    const bool fits = name.version.empty() || one.version.empty() || one.version == name.version;
    if (one.kind == kind && one.name == name.name && fits) found.push_back(one);
  }
  return found;
}

std::optional<Registered> registered(const Call& call, const std::string& records, Asset kind,
                                     const job::AssetName& name) {
  if (!call.list_files || !call.look_into || records.empty()) return std::nullopt;
  for (const std::string& folder : registers_of(records, kind, name.name)) {
    const auto file = file_in_register(call, folder, name);
    const job::SharedNode said = file ? map_in(call, *file) : nullptr;
    if (!said || said->entries.empty()) continue;
    (void)call.read_file(*file, job::kFileMax);  // it is part of what was asked
    Registered found{*file, meant_by(*said, kind)};
    if (kind == Asset::data && found.to.empty()) continue;
    return found;
  }
  return std::nullopt;
}

std::vector<std::string> registered_versions(const Call& call, const std::string& records,
                                             Asset kind, const std::string& name) {
  std::vector<std::string> versions;
  if (!call.list_files || records.empty()) return versions;
  for (const std::string& folder : registers_of(records, kind, name)) {
    std::vector<std::string> files = call.list_files(folder, {".json"}).paths;
    std::ranges::sort(files, {}, order_of);
    for (const std::string& path : files) versions.push_back(stem_of_file(path));
  }
  return versions;
}

}  // namespace muster::front
