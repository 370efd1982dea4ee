// Images: the command line's, the role's, the job's, the target's, in this order.
#include "job/container_of.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/words.hpp"
#include "job/names.hpp"
#include "spec/container.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

void complain_of_software(const JobFile& job, const Target& target, Complaints& complaints) {
  for (const Text* one : software_of(job)) {
    complaints.add(one->begin,
                   fmt::format("target {} cannot give the job its environment {}: no image is "
                               "known for it",
                               in_quotes(target.name), in_quotes(one->text)),
                   fmt::format("name one: {}, environment: {{image: IMAGE}}, or --image; if its "
                               "hosts hold that software themselves: --without environment, or "
                               "without: environment in muster.yml",
                               how_to_say(Asset::environment, one->text)));
  }
}

class ContainerReader {
 public:
  ContainerReader(const JobFile& job, const Place& place, Complaints& complaints)
      : job_(job), place_(place), complaints_(complaints) {}

  model::ContainerSpec read(std::string image) {
    const Target& target = place_.target;
    model::ContainerSpec container;
    container.image = std::move(image);
    if (target.container_runtime) {
      take(*target.container_runtime, spec::read_runtime(target.container_runtime->text),
           container.runtime);
    }
    for (const Text& option : target.container_options) container.options.push_back(option.text);
    for (const Text& words : job_.docker_args) add_words(words, container.options);
    for (const Text& text : target.mounts) {
      take(text, spec::read_mount(text.text, "relative"), container.mounts.emplace_back());
    }
    if (job_.shared_memory) {
      take(*job_.shared_memory, spec::read_shared_memory(job_.shared_memory->text),
           container.shared_memory);
    }
    return container;
  }

  // Of the image as it is written; what cannot be one has been complained about.
  std::string image(const Text& text) {
    std::string image = text.text;
    take(text, spec::read_image(text.text), image);
    return image;
  }

 private:
  template <class T>
  void take(const Text& text, base::Result<T> read, T& to) {
    if (read) {
      to = std::move(*read);
    } else {
      complaints_.add(text.begin, "this " + read.error().what, read.error().hint);
    }
  }

  // A list is words; a text is cut at blanks, for no shell reads it.
  void add_words(const Text& text, std::vector<std::string>& words) {
    if (text.text.find_first_of("'\"\\") != std::string::npos) {
      complaints_.add(text.begin, "docker_args must have no quotes",
                      "write a list of words: [--ulimit, memlock=-1]");
    }
    for (std::string& word : base::split(text.text, " \t\n")) words.push_back(std::move(word));
  }

  const JobFile& job_;
  const Place& place_;
  Complaints& complaints_;
};

// The image of an app whose role names one.
const Text* image_of_role(const JobFile& job, const model::App& app) {
  const Role& role = app.serves ? job.servers : job.workers;
  return app.role.empty() || !role.image ? nullptr : &*role.image;
}

}  // namespace

bool is_base_of_packages(const JobFile& job) {
  constexpr std::string_view kOfAzure = "mcr.microsoft.com/azureml/";
  constexpr std::string_view kBases[] = {"openmpi", "intelmpi", "base:", "base-gpu:", "minimal-"};
  if (!job.conda || !job.image || !job.image->text.starts_with(kOfAzure)) return false;
  const std::string_view name = std::string_view(job.image->text).substr(kOfAzure.size());
  return std::ranges::any_of(kBases, [&](std::string_view one) { return name.starts_with(one); });
}

std::vector<const Text*> software_of(const JobFile& job) {
  std::vector<const Text*> asked;
  for (const Text& one : job.environment) asked.push_back(&one);
  const bool is_only_named =
      asked.empty() && !job.image && !job.build && !job.conda && job.environment_name;
  if (is_only_named) asked.push_back(&*job.environment_name);
  for (const Role* role : {&job.workers, &job.servers}) {
    if (role->environment) asked.push_back(&*role->environment);
  }
  return asked;
}

std::optional<model::ContainerSpec> container_of(const JobFile& job, const Place& place,
                                                 model::JobSpec& spec, Complaints& complaints) {
  ContainerReader reader(job, place, complaints);
  if (!place.image.empty()) return reader.read(place.image);
  if (goes_without(place.target, "environment") || place.target.kubernetes) return std::nullopt;
  const Text* image = job.image && !is_base_of_packages(job) ? &*job.image : nullptr;
  if (image == nullptr && !job.build && place.target.image) image = &*place.target.image;
  const bool by_target = image != nullptr && !job.image && !job.build;
  if (!by_target) complain_of_software(job, place.target, complaints);
  if ((image != nullptr || job.build) && job.conda) {
    complaints.add(job.conda->begin, "muster adds no conda packages to an image",
                   "put them into the image, leave out one of the two, or, if the hosts hold that "
                   "software themselves: --without environment");
  }
  std::string first = image != nullptr ? reader.image(*image) : "";
  const bool builds = job.build && !job.image;
  if (builds) first = kBuiltImage;
  for (model::App& app : spec.apps) {
    const Text* own = image_of_role(job, app);
    if (own != nullptr) app.image = reader.image(*own);
    if (first.empty()) first = app.image;
  }
  if (first.empty()) return std::nullopt;
  model::ContainerSpec container = reader.read(std::move(first));
  container.from_here = container.from_here || builds;  // no other host has it
  return container;
}

}  // namespace muster::job
