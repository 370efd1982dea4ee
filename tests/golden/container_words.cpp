// The command line of each runtime, as it is for a host with GPUs, for one without, and as root.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "container/runtimes.hpp"
#include "container/words.hpp"
#include "golden/golden.hpp"

namespace muster::container {
namespace {

model::ContainerSpec image(model::ContainerRuntime runtime) {
  model::ContainerSpec spec;
  spec.image = "localhost/torch:2";
  spec.runtime = runtime;
  spec.mounts = {{"/home/a/job", "/home/a/job", false}, {"/data/in", "/in", true}};
  return spec;
}

Facts plain_host(const model::ContainerSpec& spec) {
  Facts facts;
  facts.program = "/usr/bin/" + programs_of(spec.runtime).front();
  facts.name = "muster-5f3a-0-1234";
  facts.muster = "/home/a/bin/muster";
  facts.folder = "/dev/shm/muster-abcd";
  facts.uid = 1000;
  facts.gid = 100;
  facts.variables = {{"SSH_CONNECTION", "10.0.0.1 4 10.0.0.2 22"},
                     {"MUSTER_OUTSIDE", "/dev/shm/muster-abcd"}};
  return facts;
}

std::string text_of(const model::ContainerSpec& spec, const Facts& facts) {
  const auto command = container_words(spec, facts);
  if (!command) return base::to_string(command.error()) + "\n";
  std::string text;
  for (const std::string& word : command->words) text += word + "\n";
  for (const std::string& entry : command->environment) text += "environment: " + entry + "\n";
  for (const std::string& word : removal_words(spec, facts)) text += "removed by: " + word + "\n";
  return text;
}

void expect_words(const std::string& name, const model::ContainerSpec& spec, const Facts& facts) {
  golden::expect_golden("container/" + name + ".txt", text_of(spec, facts));
}

TEST(ContainerWords, OfEachRuntime) {
  for (const model::ContainerRuntime runtime : all_runtimes()) {
    const model::ContainerSpec spec = image(runtime);
    expect_words(std::string(name_of(runtime)), spec, plain_host(spec));
  }
}

TEST(ContainerWords, OfAHostWithGpus) {
  for (const model::ContainerRuntime runtime : all_runtimes()) {
    const model::ContainerSpec spec = image(runtime);
    Facts facts = plain_host(spec);
    facts.nvidia = true;
    facts.cdi = true;
    facts.devices = {"/dev/infiniband"};
    expect_words(fmt::format("{}_gpus", name_of(runtime)), spec, facts);
  }
}

TEST(ContainerWords, WithAllThatCanBeAskedFor) {
  for (const model::ContainerRuntime runtime : all_runtimes()) {
    model::ContainerSpec spec = image(runtime);
    spec.options = {"--runtime=runc", "--ulimit=nofile=4096:4096"};
    spec.shared_memory = std::uint64_t{8} << 30;
    spec.devices = {"/dev/fuse"};
    Facts facts = plain_host(spec);
    facts.uid = facts.gid = 0;
    expect_words(fmt::format("{}_all", name_of(runtime)), spec, facts);
  }
}

TEST(ContainerWords, OfAHostWithoutMessageQueues) {
  const model::ContainerSpec spec = image(model::ContainerRuntime::podman);
  Facts facts = plain_host(spec);
  facts.queues = false;
  expect_words("podman_without_queues", spec, facts);
}

TEST(ContainerWords, GpusWithoutTheirDescriptionAreFiles) {
  const model::ContainerSpec spec = image(model::ContainerRuntime::podman);
  Facts facts = plain_host(spec);
  facts.nvidia = true;
  facts.devices = {"/dev/nvidia0", "/dev/nvidiactl"};
  expect_words("podman_gpus_without_cdi", spec, facts);
}

}  // namespace
}  // namespace muster::container
