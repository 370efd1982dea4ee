// What was typed becomes the job's container.
#include "front/container_options.hpp"

#include <algorithm>
#include <utility>

#include "option/values.hpp"
#include "spec/container.hpp"

namespace muster::front {
namespace {

using base::Result;

// An error that says what must be, of the option that was typed.
template <class T>
Result<T> of_option(const Typed& typed, Result<T> read) {
  if (!read) read.error().what = fmt::format("{} {}", typed.option, read.error().what);
  return read;
}

template <class T>
Result<void> append(const Typed& typed, Result<T> read, std::vector<T>& to) {
  read = of_option(typed, std::move(read));
  if (!read) return tl::unexpected(std::move(read.error()));
  to.push_back(std::move(*read));
  return {};
}

bool is_plain(const model::ContainerSpec& typed) { return typed == model::ContainerSpec(); }

tl::unexpected<base::Error> no_image() {
  return base::fail(base::Fault::usage, "add --image IMAGE",
                    "options of containers work only with --image");
}

}  // namespace

Result<void> set_image(const Typed& typed, std::string& image) {
  return option::store(of_option(typed, spec::read_image(typed.value)), image);
}

Result<void> set_runtime(const Typed& typed, model::ContainerSpec& container) {
  return option::store(of_option(typed, spec::read_runtime(typed.value)), container.runtime);
}

Result<void> add_container_option(const Typed& typed, model::ContainerSpec& container) {
  return append(typed, option::read_text(typed), container.options);
}

Result<void> add_mount(const Typed& typed, const std::string& current_folder,
                       model::ContainerSpec& container) {
  return append(typed, spec::read_mount(typed.value, current_folder), container.mounts);
}

Result<void> set_shared_memory(const Typed& typed, model::ContainerSpec& container) {
  return option::store(of_option(typed, spec::read_shared_memory(typed.value)),
                       container.shared_memory);
}

Result<void> add_device(const Typed& typed, model::ContainerSpec& container) {
  return append(typed, spec::read_device(typed.value), container.devices);
}

Result<void> settle_container(const Call& call, const model::ContainerSpec& typed,
                              model::JobSpec& spec) {
  const auto has_image = [](const model::App& app) { return !app.image.empty(); };
  const auto first = std::ranges::find_if(spec.apps, has_image);
  if (first == spec.apps.end()) return add_typed(call, typed, spec.container);
  if (!std::ranges::all_of(spec.apps, has_image)) {
    return base::fail(base::Fault::usage, "give it before the first program: then it holds for all",
                      "some programs have an --image and some have none");
  }
  const std::string image = first->image;
  for (model::App& app : spec.apps) {
    if (app.image == image) app.image.clear();
  }
  spec.container.emplace().image = image;
  return add_typed(call, typed, spec.container);
}

Result<void> add_typed(const Call& call, const model::ContainerSpec& typed,
                       std::optional<model::ContainerSpec>& container) {
  if (!container) return is_plain(typed) ? Result<void>() : no_image();
  const auto more = variable(call, kContainerOptions);
  if (more && !more->empty()) {
    auto words = option::read_words({kContainerOptions, *more});
    if (!words) return tl::unexpected(std::move(words.error()));
    container->options.insert(container->options.begin(), words->begin(), words->end());
  }
  const auto add = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(typed.options, container->options);
  add(typed.mounts, container->mounts);
  add(typed.devices, container->devices);
  container->from_here = container->from_here || typed.from_here;
  if (typed.shared_memory != 0) container->shared_memory = typed.shared_memory;
  if (typed.runtime != model::ContainerRuntime::automatic) container->runtime = typed.runtime;
  return {};
}

}  // namespace muster::front
