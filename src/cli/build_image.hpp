// build_image: makes a job's image from the folder with its Dockerfile.
#pragma once

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/container.hpp"

namespace muster::cli {

// On this machine, once for each content of the folder, whose name the image bears; that becomes
// the container's. What .dockerignore leaves out does not count.
[[nodiscard]] base::Result<void> build_image(const front::ImageBuild& build,
                                             model::ContainerSpec& container,
                                             const Invocation& invocation);

}  // namespace muster::cli
