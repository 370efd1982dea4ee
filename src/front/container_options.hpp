// The options of a container, which all commands that start ranks by themselves share.
#pragma once

#include <optional>

#include "front/call.hpp"
#include "front/table.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// More words for the runtime's `run`, with shell quoting: what all of a site's containers need.
inline constexpr std::string_view kContainerOptions = "MUSTER_CONTAINER_OPTIONS";

[[nodiscard]] base::Result<void> set_image(const Typed& typed, std::string& image);
[[nodiscard]] base::Result<void> set_runtime(const Typed& typed, model::ContainerSpec& container);
[[nodiscard]] base::Result<void> add_container_option(const Typed& typed,
                                                      model::ContainerSpec& container);
[[nodiscard]] base::Result<void> add_mount(const Typed& typed, const std::string& current_folder,
                                           model::ContainerSpec& container);
[[nodiscard]] base::Result<void> set_shared_memory(const Typed& typed,
                                                   model::ContainerSpec& container);
[[nodiscard]] base::Result<void> add_device(const Typed& typed, model::ContainerSpec& container);

// Gives the job the container of its apps' images, with what was typed and what the environment
// says. Without an image there is none, and what was typed is an error.
[[nodiscard]] base::Result<void> settle_container(const Call& call,
                                                  const model::ContainerSpec& typed,
                                                  model::JobSpec& spec);

// What was typed goes before what else is known of the container; the environment's words come
// first of all.
[[nodiscard]] base::Result<void> add_typed(const Call& call, const model::ContainerSpec& typed,
                                           std::optional<model::ContainerSpec>& container);

inline constexpr std::string_view kContainer = "Containers";

inline constexpr OptionText kImageText = {
    "--image",
    kContainer,
    Takes::text,
    "IMAGE",
    "Run the ranks of each host in a container of this image.",
    {.scope = Scope::program}};
inline constexpr OptionText kRuntimeText = {
    "--container-runtime",
    kContainer,
    Takes::choice,
    "NAME",
    "What starts containers: podman, docker, apptainer, enroot or charliecloud (default: the first "
    "of them that a host has).",
    {.choices = "podman docker apptainer enroot charliecloud"}};
inline constexpr OptionText kContainerOptionText = {
    "--container-option",
    kContainer,
    Takes::text,
    "WORD",
    "One more word for the runtime's own command line: --container-option --runtime=runc. "
    "Repeatable.",
    {.repeatable = true}};
inline constexpr OptionText kMountText = {
    "--mount",
    kContainer,
    Takes::text,
    "SOURCE[:TARGET][:ro]",
    "Show this folder or file of each host to its container. Repeatable; the folders in which "
    "ranks start are there anyway.",
    {.repeatable = true}};
inline constexpr OptionText kSharedMemoryText = {
    "--shm-size", kContainer, Takes::text, "SIZE",
    "Size of the container's own /dev/shm: 8g (default: that of the host is used)."};
inline constexpr OptionText kImageFromHereText = {
    "--image-from-here", kContainer, Takes::nothing, "",
    "Send the image to the hosts that do not have it, instead of having them pull it."};
inline constexpr OptionText kDeviceText = {
    "--device",
    kContainer,
    Takes::text,
    "DEVICE",
    "Give the container this device, by path or by its CDI name; GPUs need none. Repeatable.",
    {.repeatable = true}};

}  // namespace muster::front
