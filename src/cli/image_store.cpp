// Calls the runtime as a person would: credentials, proxies and certificates are those of its
// users.
#include "cli/image_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/words.hpp"
#include "blobs/cache.hpp"
#include "blobs/goes_on.hpp"
#include "blobs/sha256.hpp"
#include "cli/lock_file.hpp"
#include "cli/readiness.hpp"
#include "container/runtimes.hpp"
#include "host/contain_here.hpp"
#include "probe/probe.hpp"
#include "process/converse.hpp"
#include "process/signal_mask.hpp"
#include "spec/in_quotes.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using model::ContainerRuntime;

struct Processor {
  std::string_view kernel;
  std::string_view image;
  std::string_view emulator;  // as QEMU's packages register it
};

constexpr std::array kProcessors = {
    Processor{"x86_64", "amd64", "x86_64"}, Processor{"aarch64", "arm64", "aarch64"},
    Processor{"armv7l", "arm", "arm"},      Processor{"ppc64le", "ppc64le", "ppc64le"},
    Processor{"s390x", "s390x", "s390x"},   Processor{"riscv64", "riscv64", "riscv64"},
    Processor{"i686", "386", "i386"}};

// What runtimes and registries say, in lower case.
struct PullSaying {
  std::string_view words;
  std::string_view what;  // "{}": the image
  std::string_view hint;  // "{0}": the runtime, "{1}": the registry, "{2}": the image
};

constexpr std::string_view kLogin = "log in there: {0} login {1}";
constexpr std::string_view kReach =
    "--image-from-here sends it from this machine; proxies and certificates are those of {0} there";
constexpr std::string_view kIsThere = "is the name right? see the registry {1}";

constexpr std::array kPullSayings = {
    PullSaying{"no space left", "there is no room for the image {}",
               "`{0} system df` shows what takes it there; `{0} image prune` removes what is "
               "unused"},
    PullSaying{"unauthorized", "the registry does not give the image {} to us", kLogin},
    PullSaying{"authentication required", "the registry does not give the image {} to us", kLogin},
    PullSaying{"access to the resource is denied", "the registry does not give the image {} to us",
               kLogin},
    PullSaying{"denied:", "the registry does not give the image {} to us", kLogin},
    PullSaying{"no basic auth credentials", "the registry does not give the image {} to us",
               kLogin},
    PullSaying{"manifest unknown", "the registry has no image {}", kIsThere},
    PullSaying{"name unknown", "the registry has no image {}", kIsThere},
    PullSaying{"repository does not exist", "the registry has no image {}", kIsThere},
    PullSaying{"no image found in manifest list", "there is no image {} for this processor",
               "choose one that was built for it"},
    PullSaying{"no matching manifest", "there is no image {} for this processor",
               "choose one that was built for it"},
    PullSaying{"short-name", "nobody knows which registry has the image {}",
               "name it: docker.io/library/{2}"},
    PullSaying{"certificate", "the registry of the image {} cannot be trusted", kReach},
    PullSaying{"server gave http response to https",
               "the registry of the image {} cannot be "
               "trusted: it does not encrypt",
               "allow it there: insecure = true for {1} in /etc/containers/registries.conf, or "
               "insecure-registries of docker"},
    PullSaying{"connection refused", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"no such host", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"name resolution", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"server misbehaving", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"network is unreachable", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"no route to host", "the registry of the image {} cannot be reached", kReach},
    PullSaying{"timeout", "the registry of the image {} cannot be reached", kReach},
};

bool is_file(const std::string& image) {
  return image.starts_with('/') || image.starts_with('.') || image.ends_with(".sif");
}

base::Error not_there(const std::string& image) {
  return {Fault::cannot_start,
          fmt::format("the image {} is not there", spec::in_quotes(image)),
          "it has a name of one machine only: --image-from-here sends it from this one",
          {}};
}

}  // namespace

std::string registry_of(const std::string& image) {
  const std::size_t slash = image.find('/');
  const std::string first = image.substr(0, slash);
  const bool names_one = slash != std::string::npos &&
                         (first.find_first_of(".:") != std::string::npos || first == "localhost");
  return names_one ? first : "docker.io";
}

base::Error pull_error(const std::string& runtime, const std::string& image,
                       const std::string& why) {
  const std::string low = base::lower(why);
  const auto* known = std::ranges::find_if(kPullSayings, [&](const PullSaying& one) {
    return low.find(one.words) != std::string::npos;
  });
  const std::string quoted = spec::in_quotes(image);
  if (known == kPullSayings.end()) {
    return {Fault::cannot_start,
            fmt::format("{} cannot pull the image {}: {}", runtime, quoted, why),
            fmt::format("try it there: {} pull {}", runtime, image),
            {}};
  }
  return {Fault::cannot_start,
          fmt::format("{} ({})", fmt::format(fmt::runtime(known->what), quoted), why),
          fmt::format(fmt::runtime(known->hint), runtime, registry_of(image), image),
          {}};
}

std::string processor_here() {
  struct utsname machine {};
  (void)::uname(&machine);
  const auto* row = std::ranges::find(kProcessors, machine.machine, &Processor::kernel);
  return row == kProcessors.end() ? machine.machine : std::string(row->image);
}

bool can_run(const std::string& processor) {
  if (processor.empty() || processor == processor_here()) return true;
  if (processor == "386" && processor_here() == "amd64") return true;
  const auto* row = std::ranges::find(kProcessors, processor, &Processor::image);
  if (row == kProcessors.end()) return false;
  const std::string file = fmt::format("/proc/sys/fs/binfmt_misc/qemu-{}", row->emulator);
  return ::access(file.c_str(), F_OK) == 0;
}

Result<ImageStore> ImageStore::open(ContainerRuntime wanted,
                                    const std::vector<std::string>& environment) {
  host::ContainerPlan plan;
  plan.spec.runtime = wanted;
  if (auto chosen = host::choose_runtime(plan, environment); !chosen) {
    return tl::unexpected(std::move(chosen.error()));
  }
  return ImageStore(std::string(container::name_of(plan.spec.runtime)), plan.facts.program,
                    environment);
}

Result<std::optional<ImageFacts>> ImageStore::find(const std::string& image) const {
  if (!keeps_images()) {
    std::error_code wrong;
    if (is_file(image) && !std::filesystem::exists(image, wrong)) return std::nullopt;
    return ImageFacts{};
  }
  constexpr base::Duration kPatience = std::chrono::seconds(60);
  const auto asked = process::converse(
      {.words = {program_, "image", "inspect", "--format", "{{.Id}} {{.Architecture}}", image},
       .environment = environment_,
       .limit = kPatience,
       .goes_on = process::no_signal_waits});
  if (!asked) return tl::unexpected(asked.error());
  if (asked->is_given_up) return blobs::given_up();
  const std::vector<std::string> words = base::split(asked->out, " \n");
  if (asked->ended_well() && words.size() >= 2) {
    std::string id = words[0].starts_with("sha256:") ? words[0].substr(7) : words[0];
    return ImageFacts{std::move(id), words[1]};
  }
  const std::string low = base::lower(asked->err);
  const bool is_lacking = low.find("no such image") != std::string::npos ||
                          low.find("image not known") != std::string::npos ||
                          low.find("failed to find image") != std::string::npos;
  if (is_lacking) return std::nullopt;
  const std::vector<std::string> lines = base::split(asked->err, "\n");
  return base::fail(Fault::cannot_start, fmt::format("try it there: {} images", name_),
                    "{} does not work: {}", name_,
                    lines.empty() ? "it says nothing" : lines.back());
}

Result<void> ImageStore::pull(const std::string& image, const Doing& doing) const {
  if (registry_of(image) == "localhost" || !keeps_images()) {
    return tl::unexpected(not_there(image));
  }
  ToolCall call({program_, "pull", image}, environment_, doing);
  const auto well = call.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return {};
  return tl::unexpected(pull_error(name_, image, call.why()));
}

Result<void> ImageStore::load(const std::string& archive, const Doing& doing) const {
  ToolCall call({program_, "load"}, environment_, doing, archive);
  const auto well = call.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return {};
  return base::fail(Fault::cannot_start, fmt::format("`{} system df` shows what takes room", name_),
                    "{} cannot take the image that was sent: {}", name_, call.why());
}

Result<void> ImageStore::save(const std::string& image, const std::string& archive,
                              const Doing& doing) const {
  std::vector<std::string> words = {program_, "save", "-o", archive, image};
  if (name_ == "podman") words = {program_, "save", "-q", "-o", archive, image};
  ToolCall call(std::move(words), environment_, doing);
  const auto well = call.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return {};
  const std::string why = call.why();
  const std::string hint =
      tells_of_no_room(why) ? "make room there, or set XDG_CACHE_HOME to a folder with more" : "";
  return base::fail(Fault::cannot_start, hint, "{} cannot save the image {} in {}: {}", name_,
                    spec::in_quotes(image), archive, why);
}

namespace {

// Alone with getting one image, among the runs of this user here; then its file is gone. Hosts may
// share the folder, and have images of their own. What has no place for the file is done without:
// runtimes bear others beside them.
class ImageLock {
 public:
  ImageLock(const std::string& image, const std::vector<std::string>& environment,
            const Doing& doing) {
    const auto cache = blobs::cache_folder(environment);
    if (!cache) return;
    const auto folder = blobs::own_part_of(*cache, "images", blobs::Use::executed);
    if (!folder) return;
    blobs::Sha256 hash;
    hash.add(fmt::format("{}\n{}", probe::identity(), image));
    path_ = fmt::format("{}/{}.lock", *folder, hash.take());
    file_ = lock_file(path_, Busy::fails);
    if (file_ || errno != EWOULDBLOCK) return;
    doing("another run gets the same image");
    file_ = lock_file(path_, Busy::waits);
  }
  ~ImageLock() {
    if (file_) (void)::unlink(path_.c_str());
  }
  ImageLock(const ImageLock&) = delete;
  ImageLock& operator=(const ImageLock&) = delete;

 private:
  std::string path_;
  process::UniqueFd file_;
};

// HOW: what is to be done where it is not there.
Result<std::string> ready_image_by(const std::string& how, const std::string& image,
                                   const ImageStore& store,
                                   const std::vector<std::string>& environment,
                                   const Doing& doing) {
  auto found = store.find(image);
  if (found && !*found && how == "look") return std::string("lacks");
  std::optional<ImageLock> alone;
  if (found && !*found && store.keeps_images()) {
    alone.emplace(image, environment, doing);
    found = store.find(image);  // another run may have got it meanwhile
  }
  if (found && !*found) {
    auto got = how == "load" ? store.load(fmt::format("/proc/{}/fd/0", ::getpid()), doing)
                             : store.pull(image, doing);
    if (!got) return tl::unexpected(std::move(got.error()));
    found = store.find(image);
  }
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!*found) return tl::unexpected(not_there(image));
  const ImageFacts& facts = **found;
  if (can_run(facts.processor)) return "has " + facts.id;
  return base::fail(Fault::cannot_start, "choose one that was built for this host's processor",
                    "the image {} is for {}, and this host is {}", spec::in_quotes(image),
                    facts.processor, processor_here());
}

std::optional<ContainerRuntime> runtime_named(const std::string& name) {
  if (name == "automatic") return ContainerRuntime::automatic;
  for (const ContainerRuntime one : container::all_runtimes()) {
    if (container::name_of(one) == name) return one;
  }
  return std::nullopt;
}

}  // namespace

int ready_image(const std::vector<std::string>& words,
                const std::vector<std::string>& environment) {
  ReadyAnswer answer;
  const auto runtime = runtime_named(words.at(1));
  if (!runtime) return answer.failed({Fault::usage, "there is no such runtime", {}, {}});
  const auto store = ImageStore::open(*runtime, environment);
  if (!store) return answer.failed(store.error());
  const auto ready = ready_image_by(words.at(0), words.at(2), *store, environment,
                                    [&](std::string_view doing) { answer.doing(doing); });
  return ready ? answer.ready(*ready) : answer.failed(ready.error());
}

}  // namespace muster::cli
