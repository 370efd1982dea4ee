// Compares the images of each host's ranks.
#include "container/images.hpp"

namespace muster::container {

const std::string& image_of(const model::JobSpec& spec, const model::App& app) {
  return app.image.empty() && spec.container ? spec.container->image : app.image;
}

base::Result<void> check_images(const model::JobSpec& spec, const model::Plan& plan) {
  if (!spec.container) return {};
  for (const model::PlannedNode& node : plan.nodes) {
    const std::string* first = nullptr;
    for (const base::Rank rank : node.ranks) {
      const std::string& image = image_of(spec, spec.apps[plan.ranks[rank.value].app]);
      if (first == nullptr) first = &image;
      if (image == *first) continue;
      return base::fail(base::Fault::no_slots,
                        "a host has one container: give each image hosts of its own (as many ranks "
                        "as a host has slots), or use one image for all",
                        "{} would run ranks of two images, {} and {}", node.host.name, *first,
                        image);
    }
  }
  return {};
}

}  // namespace muster::container
