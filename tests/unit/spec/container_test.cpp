// Words that describe a container.
#include "spec/container.hpp"

#include <gtest/gtest.h>
#include <string>

namespace muster::spec {
namespace {

using model::ContainerMount;
using model::ContainerRuntime;

TEST(ReadMount, SourceTargetAndMode) {
  EXPECT_EQ(read_mount("/data", "/here"), (ContainerMount{"/data", "/data", false}));
  EXPECT_EQ(read_mount("/data:ro", "/here"), (ContainerMount{"/data", "/data", true}));
  EXPECT_EQ(read_mount("/data:/in:ro", "/here"), (ContainerMount{"/data", "/in", true}));
  EXPECT_EQ(read_mount("/data:/in:rw", "/here"), (ContainerMount{"/data", "/in", false}));
  EXPECT_EQ(read_mount("sub:/in", "/here"), (ContainerMount{"/here/sub", "/in", false}));
  EXPECT_EQ(read_mount(".", "/here"), (ContainerMount{"/here", "/here", false}));
}

TEST(ReadMount, WhatRuntimesWouldTakeForSomethingElse) {
  for (const char* text :
       {"", ":", ":/in", "/a:in", "/a,b", "/a:/b:/c", "/a:/", "/a:ro:ro", "/a\n"}) {
    EXPECT_FALSE(read_mount(text, "/here")) << text;
  }
}

TEST(ReadSharedMemory, UnitsArePowersOf1024) {
  EXPECT_EQ(read_shared_memory("8g"), std::uint64_t{8} << 30);
  EXPECT_EQ(read_shared_memory("8Gi"), std::uint64_t{8} << 30);
  EXPECT_EQ(read_shared_memory("512MB"), std::uint64_t{512} << 20);
  EXPECT_EQ(read_shared_memory("64"), 64u);
  for (const char* text : {"", "0", "-1", "8x", "g", "1e30", "nan"}) {
    EXPECT_FALSE(read_shared_memory(text)) << text;
  }
}

TEST(ReadImage, NamesAndNothingElse) {
  EXPECT_EQ(read_image("docker.io/a/b:1"), "docker.io/a/b:1");
  for (const char* text : {"", "-v", "a b", "a\n"}) EXPECT_FALSE(read_image(text)) << text;
}

TEST(ReadDevice, PathsAndDevicesOfCdi) {
  EXPECT_EQ(read_device("/dev/fuse"), "/dev/fuse");
  EXPECT_EQ(read_device("nvidia.com/gpu=all"), "nvidia.com/gpu=all");
  for (const char* text : {"", "/etc", "gpu", "-a/b=c"}) EXPECT_FALSE(read_device(text)) << text;
}

TEST(ReadRuntime, ByNameOrProgram) {
  EXPECT_EQ(read_runtime("podman"), ContainerRuntime::podman);
  EXPECT_EQ(read_runtime("Docker"), ContainerRuntime::docker);
  EXPECT_EQ(read_runtime("charliecloud"), ContainerRuntime::charliecloud);
  EXPECT_EQ(read_runtime("ch-run"), ContainerRuntime::charliecloud);
  const auto wrong = read_runtime("podmann");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().hint, "did you mean podman?");
}

}  // namespace
}  // namespace muster::spec
