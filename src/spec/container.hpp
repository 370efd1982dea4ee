// What people write of a container: an image, a runtime, mounts, devices. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/container.hpp"

namespace muster::spec {

// The runtimes' names, as they are listed for people.
inline constexpr std::string_view kRuntimeNames = "podman docker apptainer enroot charliecloud";

// Each error begins with what is wrong, as in "must be ..., not ...": its caller knows the option
// or key.
[[nodiscard]] base::Result<model::ContainerRuntime> read_runtime(std::string_view text);

// SOURCE[:TARGET][:ro|:rw]; a SOURCE that is not absolute is taken from `folder`.
[[nodiscard]] base::Result<model::ContainerMount> read_mount(std::string_view text,
                                                             const std::string& folder);

// Bytes, with docker's units: "8g" and "8Gi" are 8 times 1024 to the third.
[[nodiscard]] base::Result<std::uint64_t> read_shared_memory(std::string_view text);

// No dash at the beginning, which would make an option of it, no blanks.
[[nodiscard]] base::Result<std::string> read_image(std::string_view text);
// A path below /dev, or one of CDI: VENDOR/CLASS=NAME.
[[nodiscard]] base::Result<std::string> read_device(std::string_view text);

}  // namespace muster::spec
