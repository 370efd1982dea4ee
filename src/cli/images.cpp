// An errand for each image; where it is sent from here, one that looks and one that takes it.
#include "cli/images.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "blobs/cache.hpp"
#include "blobs/files.hpp"
#include "cli/desk.hpp"
#include "cli/image_store.hpp"
#include "cli/packages.hpp"
#include "cli/readiness.hpp"
#include "cli/speak.hpp"
#include "container/images.hpp"
#include "container/runtimes.hpp"
#include "probe/random.hpp"
#include "process/signal_mask.hpp"
#include "view/first_few.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;
using model::ContainerSpec;
using model::Host;

constexpr std::string_view kHas = "has ";

// Unless a signal has ended it.
model::RunReport failed_with(base::Error error) {
  model::RunReport report;
  report.signal = process::waiting_signal();
  if (report.signal != 0) {
    report.cause = model::Cause::interrupted;
    return report;
  }
  report.cause = model::Cause::fault;
  report.error = std::move(error);
  return report;
}

// What has been saved for hosts that lack it; gone at the end, and what a killed run has left with
// it.
class SavedImage {
 public:
  static Result<SavedImage> make(const ImageStore& store, const std::string& image,
                                 const std::vector<std::string>& environment) {
    const auto cache = blobs::cache_folder(environment);
    if (!cache) {
      return base::fail(Fault::output, "set HOME, or XDG_CACHE_HOME", "there is no cache folder");
    }
    const auto folder = blobs::own_part_of(*cache, "images", blobs::Use::executed);
    if (!folder) return tl::unexpected(folder.error());
    remove_stale(*folder);
    SavedImage saved;
    saved.path_ = fmt::format("{}/{}.tar", *folder, probe::random_digits(12));
    Progress progress;
    const auto done = store.save(image, saved.path_, [](std::string_view) {});
    if (!done) return tl::unexpected(done.error());
    return saved;
  }
  ~SavedImage() {
    if (!path_.empty()) (void)::unlink(path_.c_str());
  }
  SavedImage(SavedImage&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SavedImage& operator=(SavedImage&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SavedImage() = default;
  struct Progress {
    Progress() { say_line("muster: saving the image\r"); }
    ~Progress() { say_line("\r\x1b[K"); }
    static void say_line(std::string_view line) {
      if (draws_progress()) say(line);
    }
  };

  static void remove_stale(const std::string& folder) {
    std::error_code wrong;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, wrong)) {
      // Hosts may share the folder, so that another one's process cannot be seen.
      const auto age = fs::file_time_type::clock::now() - entry.last_write_time(wrong);
      if (!wrong && age > std::chrono::hours(24)) fs::remove(entry.path(), wrong);
    }
  }

  std::string path_;
};

// One image, and the hosts whose ranks want it.
class ImageDelivery {
 public:
  ImageDelivery(const std::string& image, std::vector<Host> hosts, const model::JobSpec& spec,
                const Invocation& invocation)
      : image_(image),
        hosts_(std::move(hosts)),
        spec_(spec),
        container_(*spec.container),
        invocation_(invocation) {}

  std::optional<model::RunReport> deliver() {
    if (desk_.path().empty()) return failed_with({Fault::output, "no temporary folder", {}, {}});
    const auto began = std::chrono::steady_clock::now();
    auto report = container_.from_here ? send() : errand("pull", hosts_, "");
    if (report) return report;
    warn_of_different();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (spec_.verbose) {
      constexpr std::size_t kDigits = 12;
      const std::string id = ids_.empty() ? "" : ids_.begin()->first.substr(0, kDigits);
      note(fmt::format("image {} ({}) is on {} host{}, after {:.1f} s", image_, id, hosts_.size(),
                       hosts_.size() == 1 ? "" : "s", took.count()));
    }
    return std::nullopt;
  }

 private:
  static std::string_view runtime_word(model::ContainerRuntime runtime) {
    if (runtime == model::ContainerRuntime::automatic) return "automatic";
    return container::name_of(runtime);
  }

  // Afterwards `lacking_` are those that do not have it.
  std::optional<model::RunReport> errand(const std::string& how, std::vector<Host> hosts,
                                         const std::string& archive) {
    const process::UniqueFd input =
        archive.empty() ? process::UniqueFd() : blobs::open_regular(archive);
    Errand errand{{"image", how, std::string(runtime_word(container_.runtime)), image_},
                  hosts,
                  input.get(),
                  fmt::format("{}/{}", desk_.path(), how)};
    errand.exports = settings_of_tools(spec_);
    const MadeReady made = make_ready(errand, "image " + image_, spec_, invocation_);
    const model::RunReport& report = made.report;
    if (report.cause != model::Cause::completed || !report.same_hosts.empty()) return report;
    lacking_.clear();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (made.ready[i].starts_with(kHas)) {
        ids_[made.ready[i].substr(kHas.size())].push_back(hosts[i].name);
      } else {
        lacking_.push_back(hosts[i]);
      }
    }
    return std::nullopt;
  }

  std::optional<model::RunReport> send() {
    if (auto report = errand("look", hosts_, "")) return report;
    if (lacking_.empty()) return std::nullopt;
    const auto store = ImageStore::open(container_.runtime, invocation_.environment);
    if (!store) return failed_here(store.error());
    if (auto got = have_it_here(*store); !got) return failed_here(got.error());
    const bool only_here = lacking_.size() == 1 && lacking_.front().carrier.same_machine;
    if (only_here) return errand("look", lacking_, "");
    const auto saved = SavedImage::make(*store, image_, invocation_.environment);
    if (!saved) return failed_here(saved.error());
    const std::vector<Host> hosts = lacking_;
    return errand("load", hosts, saved->path());
  }

  Result<void> have_it_here(const ImageStore& store) const {
    const auto found = store.find(image_);
    if (!found) return tl::unexpected(found.error());
    if (*found) return {};
    return store.pull(image_, [](std::string_view) {});
  }

  static model::RunReport failed_here(base::Error error) {
    error.what = "this machine: " + error.what;
    return failed_with(std::move(error));
  }

  // A name may mean something else on each host.
  void warn_of_different() const {
    if (ids_.size() < 2) return;
    std::vector<std::string> words;
    for (const auto& one : ids_) {
      constexpr std::size_t kDigits = 12;
      const auto& hosts = one.second;
      const auto name = [&](std::size_t i) { return hosts[i]; };
      words.push_back(fmt::format("{} on {}", one.first.substr(0, kDigits),
                                  view::first_few(hosts.size(), name, ", ", 3)));
    }
    const auto word = [&](std::size_t i) { return words[i]; };
    say(fmt::format("muster: warning: the image {} is not the same on all hosts: {}\n", image_,
                    view::first_few(words.size(), word, "; ", 4)));
  }

  const std::string& image_;
  std::vector<Host> hosts_;
  const model::JobSpec& spec_;
  const ContainerSpec& container_;
  const Invocation& invocation_;
  Desk desk_;
  std::vector<Host> lacking_;
  std::map<std::string, std::vector<std::string>> ids_;  // to the hosts that have it
};

// Hosts that only a launcher in the command uses have the job's image.
std::map<std::string, std::vector<Host>> hosts_of_images(const Prospect& job,
                                                         const std::optional<Prospect>& inner) {
  std::map<std::string, std::string> images;  // of hosts by name; "": this machine
  for (const model::PlannedNode& node : job.plan.nodes) {
    if (node.ranks.empty()) continue;
    const std::uint32_t app = job.plan.ranks[node.ranks.front().value].app;
    const std::string name = node.host.carrier.same_machine ? "" : node.host.name;
    images.try_emplace(name, container::image_of(job.spec, job.spec.apps[app]));
  }
  std::map<std::string, std::vector<Host>> all;
  for (Host& host : hosts_of(job, inner)) {
    const auto found = images.find(host.carrier.same_machine ? "" : host.name);
    const std::string& image = found == images.end() ? job.spec.container->image : found->second;
    all[image].push_back(std::move(host));
  }
  return all;
}

}  // namespace

std::optional<model::RunReport> give_images(const Prospect& job,
                                            const std::optional<Prospect>& inner,
                                            const Invocation& invocation) {
  for (const auto& [image, hosts] : hosts_of_images(job, inner)) {
    if (auto report = ImageDelivery(image, hosts, job.spec, invocation).deliver()) return report;
  }
  return std::nullopt;
}

}  // namespace muster::cli
