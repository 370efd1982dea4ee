// The builder is the runtime of this machine: podman, docker, or buildah beside podman.
#include "cli/build_image.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "base/words.hpp"
#include "blobs/files.hpp"
#include "blobs/sha256.hpp"
#include "blobs/survey.hpp"
#include "cli/image_store.hpp"
#include "cli/speak.hpp"
#include "job/container_of.hpp"
#include "process/signal_mask.hpp"
#include "process/terminal.hpp"
#include "snapshot/ignore.hpp"
#include "snapshot/paths.hpp"
#include "store/files.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;

// Every pattern of .dockerignore is seen from the folder, as one that begins with "/" is elsewhere.
snapshot::IgnoreRules docker_rules(const std::string& folder) {
  std::string rules;
  for (const std::string& line : base::split(
           store::read_file(folder + "/.dockerignore", store::kTextMax, store::Links::followed)
               .value_or(""),
           "\r\n")) {
    const bool keeps = line.starts_with('!');
    const std::string pattern = line.substr(keeps ? 1 : 0);
    if (pattern.empty() || pattern.starts_with('#')) continue;
    rules +=
        fmt::format("{}{}{}\n", keeps ? "!" : "", pattern.starts_with('/') ? "" : "/", pattern);
  }
  return snapshot::IgnoreRules(rules);
}

bool is_in_context(const snapshot::IgnoreRules& rules, const snapshot::Entry& entry) {
  bool leaves_out = false;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = entry.path.find('/', end + 1);
    const bool is_folder = end != std::string::npos || entry.kind == snapshot::EntryKind::folder;
    leaves_out = rules.leaves_out(entry.path.substr(0, end), is_folder).value_or(leaves_out);
  }
  return !leaves_out;
}

// Names, modes, links and contents of what the builder sees.
Result<std::string> name_of_context(const front::ImageBuild& build) {
  const auto found =
      blobs::survey(build.folder, {.everything = true, .goes_on = process::no_signal_waits});
  if (!found) return tl::unexpected(found.error());
  const snapshot::IgnoreRules rules = docker_rules(build.folder);
  blobs::Sha256 hash;
  hash.add(build.dockerfile + '\0');
  for (const snapshot::Entry& entry : found->manifest.entries) {
    const bool is_file = entry.kind == snapshot::EntryKind::file;
    if (entry.path != build.dockerfile && !is_in_context(rules, entry)) continue;
    hash.add(
        fmt::format("{}\t{}\t{:o}\t{}", int(entry.kind), entry.path, entry.mode, entry.target));
    hash.add(std::string_view("\0", 1));
    if (!is_file) continue;
    const process::UniqueFd file = blobs::open_regular(build.folder + "/" + entry.path);
    const auto content = file ? blobs::hash_of(file.get(), process::no_signal_waits) : std::nullopt;
    if (!content) {
      const int error = errno;
      if (!process::no_signal_waits()) return blobs::given_up();
      return base::fail(Fault::bad_file, "", "cannot read {}/{}: {}", build.folder, entry.path,
                        std::strerror(error));
    }
    hash.add(*content);
  }
  constexpr std::size_t kDigits = 20;
  return fmt::format("{}:{}", job::kBuiltImage, hash.take().substr(0, kDigits));
}

// On a terminal one line that is written again and again.
class BuildLine {
 public:
  BuildLine() : is_terminal_(draws_progress()) {}
  ~BuildLine() {
    if (has_line_) say("\r\x1b[K");
  }
  BuildLine(const BuildLine&) = delete;
  BuildLine& operator=(const BuildLine&) = delete;

  void show(std::string_view text) {
    if (!is_terminal_) return;
    has_line_ = true;
    std::string line = "muster: " + view::one_line(text);
    const std::size_t room = process::terminal_size(STDERR_FILENO).columns;
    if (room > 1 && line.size() >= room) line.resize(room - 1);
    say(fmt::format("\r\x1b[K{}\r", line));
  }

 private:
  bool is_terminal_;
  bool has_line_ = false;
};

}  // namespace

Result<void> build_image(const front::ImageBuild& build, model::ContainerSpec& container,
                         const Invocation& invocation) {
  const std::string file = build.folder + "/" + build.dockerfile;
  if (::access(file.c_str(), R_OK) != 0) {
    return base::fail(Fault::bad_file, "environment.build.dockerfile_path names it, in the folder",
                      "there is no {} to build the image from", file);
  }
  auto name = name_of_context(build);
  if (!name) return tl::unexpected(std::move(name.error()));
  const auto store = ImageStore::open(container.runtime, invocation.environment);
  if (!store) {
    return base::fail(store.error().fault, store.error().hint,
                      "this machine cannot build the image: {}", store.error().what);
  }
  const auto found = store->find(*name);
  if (!found) return tl::unexpected(found.error());
  container.image = *name;
  if (*found) return {};
  note(fmt::format("{} builds the image {} from {}", store->runtime(), *name, build.folder));
  BuildLine line;
  const Doing doing = [&](std::string_view text) { line.show(text); };
  ToolCall call({store->program(), "build", "-t", *name, "-f", file, build.folder},
                invocation.environment, doing);
  const auto well = call.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return {};
  return base::fail(Fault::cannot_start,
                    fmt::format("try it here: {} build {}", store->runtime(), build.folder),
                    "{} cannot build the image: {}", store->runtime(), call.why());
}

}  // namespace muster::cli
