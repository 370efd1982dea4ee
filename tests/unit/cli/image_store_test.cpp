// What runtimes say when they cannot pull an image, in our words.
#include "cli/image_store.hpp"

#include <gtest/gtest.h>

namespace {

using namespace muster;

TEST(ImageStore, KnowsTheRegistryOfAnImage) {
  EXPECT_EQ(cli::registry_of("python:3"), "docker.io");
  EXPECT_EQ(cli::registry_of("library/python"), "docker.io");
  EXPECT_EQ(cli::registry_of("quay.io/a/b:1"), "quay.io");
  EXPECT_EQ(cli::registry_of("host:5000/b@sha256:0"), "host:5000");
  EXPECT_EQ(cli::registry_of("localhost/b"), "localhost");
}

TEST(ImageStore, SaysWhatToDo) {
  struct Case {
    const char* why;
    const char* what;
    const char* hint;
  };
  const Case cases[] = {
      {"Error: initializing source docker://r.io/a: unauthorized: incorrect", "does not give",
       "podman login r.io"},
      {"Error: reading manifest 1 in r.io/a: manifest unknown",
       "the registry has no image 'r.io/a'", "r.io"},
      {"Error: pinging r.io: dial tcp 1.2.3.4:443: connect: connection refused",
       "cannot be reached", "--image-from-here"},
      {"Error: x509: certificate signed by unknown authority", "cannot be trusted", "podman"},
      {"write /var/lib/x: no space left on device", "no room for the image 'r.io/a'",
       "podman system df"},
      {"Error: something new", "podman cannot pull the image 'r.io/a': Error: something new",
       "podman pull r.io/a"}};
  for (const Case& one : cases) {
    const base::Error error = cli::pull_error("podman", "r.io/a", one.why);
    EXPECT_NE(error.what.find(one.what), std::string::npos) << error.what;
    EXPECT_NE(error.hint.find(one.hint), std::string::npos) << error.hint;
    EXPECT_NE(error.what.find("r.io/a"), std::string::npos) << error.what;
  }
}

TEST(ImageStore, RunsProgramsForThisProcessor) {
  EXPECT_TRUE(cli::can_run(cli::processor_here()));
  EXPECT_TRUE(cli::can_run(""));
  EXPECT_FALSE(cli::can_run("none"));
}

}  // namespace
