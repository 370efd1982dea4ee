// ImageStore: the images that a container runtime of this machine has, and how it gets more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/tool_call.hpp"
#include "model/container.hpp"

namespace muster::cli {

struct ImageFacts {
  std::string id;         // the same wherever the image is; "" where a runtime tells none
  std::string processor;  // as images name it: "amd64"
};

class ImageStore {
 public:
  // The runtime that is wanted or, failing that, the first that this machine has.
  [[nodiscard]] static base::Result<ImageStore> open(model::ContainerRuntime wanted,
                                                     const std::vector<std::string>& environment);

  [[nodiscard]] const std::string& runtime() const { return name_; }
  [[nodiscard]] const std::string& program() const { return program_; }
  // podman and docker; the images of others are files, or their own business.
  [[nodiscard]] bool keeps_images() const { return name_ == "podman" || name_ == "docker"; }

  // Nothing: it is not there.
  [[nodiscard]] base::Result<std::optional<ImageFacts>> find(const std::string& image) const;

  // Each says in one line why it cannot, and what to do.
  [[nodiscard]] base::Result<void> pull(const std::string& image, const Doing& doing) const;
  [[nodiscard]] base::Result<void> load(const std::string& archive, const Doing& doing) const;
  [[nodiscard]] base::Result<void> save(const std::string& image, const std::string& archive,
                                        const Doing& doing) const;

 private:
  ImageStore(std::string name, std::string program, const std::vector<std::string>& environment)
      : name_(std::move(name)), program_(std::move(program)), environment_(environment) {}

  std::string name_;
  std::string program_;
  const std::vector<std::string>& environment_;
};

// "docker.io" of "python:3" and "docker.io/library/python".
[[nodiscard]] std::string registry_of(const std::string& image);

// What a runtime says when it cannot pull an image, in our words.
[[nodiscard]] base::Error pull_error(const std::string& runtime, const std::string& image,
                                     const std::string& why);

// The processor of this machine, as images name it, and whether it can run programs for another:
// with the kernel's help (binfmt_misc), for example by QEMU.
[[nodiscard]] std::string processor_here();
[[nodiscard]] bool can_run(const std::string& processor);

// Errand `image`: `words` are HOW RUNTIME IMAGE, where HOW is pull, look or load; see errand.hpp.
[[nodiscard]] int ready_image(const std::vector<std::string>& words,
                              const std::vector<std::string>& environment);

}  // namespace muster::cli
