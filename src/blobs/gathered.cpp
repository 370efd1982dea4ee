// Surveys folders, follows some links, and hashes what is found.
#include "blobs/gathered.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <sys/stat.h>

#include "base/path.hpp"
#include "blobs/files.hpp"
#include "snapshot/paths.hpp"

namespace muster::blobs {
namespace {

using base::Result;
using snapshot::Entry;
using snapshot::EntryKind;
using snapshot::Manifest;

constexpr std::string_view kManifest = "/code.manifest";

bool is_folder(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Whether a survey found it as it was laid out: modes may have been widened.
bool is_as_sent(const Entry& found, const std::map<std::string, Entry>& sent) {
  const auto entry = sent.find(found.path);
  if (entry == sent.end() || entry->second.kind != found.kind) return false;
  if (found.kind == EntryKind::link) return entry->second.target == found.target;
  return found.kind == EntryKind::folder ||
         (entry->second.size == found.size && entry->second.modified == found.modified);
}

Result<Manifest> code_sent(const std::string& record) {
  const auto text = read_whole(record + std::string(kManifest), snapshot::kManifestMax);
  return text ? snapshot::read_manifest(*text) : Result<Manifest>(Manifest());
}

// What lies in one folder, where some links stand for what they lead to.
class Folder {
 public:
  [[nodiscard]] static Result<Folder> look_at(const std::string& path, const GoesOn& goes_on = {}) {
    auto found = survey(path, {.excluded = {}, .everything = true, .goes_on = goes_on});
    if (!found) return tl::unexpected(std::move(found.error()));
    return Folder(path, std::move(*found), goes_on);
  }

  // Those that `leads` chooses: it gets a link and the real path of what that leads to. A link to a
  // folder in which it lies itself stays one.
  template <class Leads>
  Result<void> follow(Leads leads) {
    const std::string own = real_path(path_).value_or(path_);
    const std::size_t before = found_.manifest.entries.size();
    for (std::size_t i = 0; i < before; ++i) {
      const Entry& entry = found_.manifest.entries[i];
      if (entry.kind != EntryKind::link) continue;
      const auto real = real_path(path_ + "/" + entry.path);
      if (!real || base::lies_in(own, *real) || !leads(entry, *real)) continue;
      if (auto done = replace(i, *real); !done) return done;
    }
    std::ranges::sort(found_.manifest.entries, {}, &Entry::path);
    return {};
  }

  // Adds it to the whole at `name`, with hashes; of those entries only that `wanted` names.
  template <class Wanted>
  void add_to(Gathered& whole, const std::string& name, Wanted wanted) {
    const std::string front = name.empty() ? "" : name + "/";
    for (Entry& entry : found_.manifest.entries) {
      if (!wanted(entry)) continue;
      if (is_given_up(goes_on_)) return;
      if (entry.kind == EntryKind::file && !hash(entry, whole)) continue;
      entry.path.insert(0, front);
      whole.manifest.entries.push_back(std::move(entry));
    }
    for (LeftOut& one : found_.left_out) {
      one.path = one.path.empty() ? name : front + one.path;
      whole.left_out.push_back(std::move(one));
    }
  }

  [[nodiscard]] std::vector<Entry>& entries() { return found_.manifest.entries; }

  // Alone, as "".
  static void add_file(const std::string& path, Gathered& whole, const GoesOn& goes_on) {
    Folder none(path, {}, goes_on);
    Entry file{EntryKind::file, ""};
    if (none.hash(file, whole)) whole.manifest.entries.push_back(std::move(file));
    whole.left_out = std::move(none.found_.left_out);
  }

 private:
  Folder(std::string path, Survey found, GoesOn goes_on)
      : path_(std::move(path)), found_(std::move(found)), goes_on_(std::move(goes_on)) {}

  [[nodiscard]] std::string place_of(const std::string& path) const {
    const auto elsewhere = elsewhere_.find(path);
    if (elsewhere != elsewhere_.end()) return elsewhere->second;
    return path.empty() ? path_ : path_ + "/" + path;
  }

  Result<void> replace(std::size_t which, const std::string& real) {
    const std::string link = found_.manifest.entries[which].path;
    struct stat facts {};
    if (::lstat(real.c_str(), &facts) != 0) return {};
    Entry stands{EntryKind::file, link, facts.st_mode & 0777};
    if (S_ISDIR(facts.st_mode)) {
      stands.kind = EntryKind::folder;
      auto inside = survey(real, {.excluded = {}, .everything = true, .goes_on = goes_on_});
      if (!inside) return tl::unexpected(std::move(inside.error()));
      for (Entry& entry : inside->manifest.entries) {
        entry.path = fmt::format("{}/{}", link, entry.path);
        found_.manifest.entries.push_back(std::move(entry));
      }
      for (LeftOut& one : inside->left_out) {
        found_.left_out.push_back({fmt::format("{}/{}", link, one.path), one.why, one.holds});
      }
    } else if (!S_ISREG(facts.st_mode)) {
      return {};
    }
    elsewhere_[link] = real;
    found_.manifest.entries[which] = std::move(stands);
    return {};
  }

  // False: it cannot be read, or is gone, or nobody wants to go on.
  bool hash(Entry& entry, Gathered& whole) {
    const std::string path = place_of(entry.path);
    const process::UniqueFd file = open_regular(path);
    auto hash = file ? hash_of(file.get(), goes_on_) : std::nullopt;
    if (!hash) {
      const int error = errno;
      struct stat found {};
      const bool is_odd = !file && ::lstat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
      if (is_odd) {
        found_.left_out.push_back({entry.path, odd_kind(found.st_mode)});
      } else if (file || error != ENOENT) {
        found_.left_out.push_back({entry.path, word_of_error(error), true});
      }
      return false;
    }
    entry.hash = std::move(*hash);
    struct stat facts {};
    (void)::fstat(file.get(), &facts);
    entry.size = static_cast<std::uint64_t>(facts.st_size);
    entry.mode = facts.st_mode & 0777;
    entry.modified = facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
    whole.places[entry.hash] = path;
    return true;
  }

  std::string path_;
  Survey found_;
  GoesOn goes_on_;
  std::map<std::string, std::string> elsewhere_;  // files by the links that they stand for
};

// Links by their whole path to what lies in the record lead there from wherever the record is; so
// do those whose words alone do not tell whether they stay in it.
void make_relative(std::vector<Entry>& entries, const std::string& name,
                   const std::string& record) {
  const std::string tops[] = {record + "/", real_path(record).value_or(record) + "/"};
  for (Entry& entry : entries) {
    const std::string path = fmt::format("{}/{}", name, entry.path);
    if (entry.kind != EntryKind::link || snapshot::link_stays(path, entry.target)) continue;
    std::string whole = entry.target;
    if (!whole.starts_with('/')) {
      const std::string folder(snapshot::parent_of(path));
      whole = real_path(fmt::format("{}{}/{}", tops[1], folder, entry.target)).value_or("");
    }
    const auto top =
        std::ranges::find_if(tops, [&](const std::string& one) { return whole.starts_with(one); });
    if (top != std::end(tops)) entry.target = snapshot::way_up(path) + whole.substr(top->size());
  }
}

// Folders in which nothing is new are left out, unless all counts.
Result<void> add_below(const std::string& record, const std::string& name,
                       const std::map<std::string, Entry>& sent, Gathered& whole) {
  const std::string path = record + "/" + name;
  if (!is_folder(path)) return {};
  auto folder = Folder::look_at(path);
  if (!folder) return tl::unexpected(std::move(folder.error()));
  std::set<std::string> wanted;
  for (const Entry& entry : folder->entries()) {
    if (is_as_sent(entry, sent)) continue;
    for (std::string up = entry.path; !up.empty(); up = snapshot::parent_of(up)) wanted.insert(up);
  }
  if (name == "outputs") {
    auto followed = folder->follow([&](const Entry& link, const std::string& real) {
      return link.path.find('/') == std::string::npos && is_folder(real);
    });
    if (!followed) return followed;
  }
  make_relative(folder->entries(), name, record);
  whole.manifest.entries.push_back({EntryKind::folder, name, 0700});
  folder->add_to(whole, name,
                 [&](const Entry& entry) { return name != "code" || wanted.contains(entry.path); });
  return {};
}

}  // namespace

Result<Gathered> written_in(const std::string& record) {
  const auto sent = code_sent(record);
  if (!sent) return tl::unexpected(sent.error());
  Gathered whole;
  auto added = add_below(record, "code", by_path(*sent), whole);
  for (const char* name : {"outputs", "checkpoints", "mlruns"}) {
    if (added) added = add_below(record, name, {}, whole);
  }
  if (!added) return tl::unexpected(std::move(added.error()));
  std::ranges::sort(whole.manifest.entries, {}, &Entry::path);
  return whole;
}

Result<Gathered> gather(const std::string& path, const std::string& root, const GoesOn& goes_on) {
  Gathered whole;
  const std::string real = real_path(path).value_or(path);
  if (!is_folder(real)) {
    Folder::add_file(real, whole, goes_on);
    if (is_given_up(goes_on)) return given_up();
    return whole;
  }
  auto folder = Folder::look_at(real, goes_on);
  if (!folder) return tl::unexpected(std::move(folder.error()));
  const std::string inside = real_path(root).value_or(root);
  auto followed = folder->follow([&](const Entry& link, const std::string& leads_to) {
    return base::lies_in(leads_to, inside) && !snapshot::link_stays(link.path, link.target);
  });
  if (!followed) return tl::unexpected(std::move(followed.error()));
  folder->add_to(whole, "", [](const Entry&) { return true; });
  if (is_given_up(goes_on)) return given_up();
  return whole;
}

Result<void> write_parcel(int to, const std::string& name, const Gathered& gathered) {
  return write_parcel(to, name, gathered.manifest, contents_of(gathered.manifest),
                      [&](const std::string& hash) { return gathered.places.at(hash); });
}

}  // namespace muster::blobs
