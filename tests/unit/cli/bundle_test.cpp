// What is put in a bundle comes out of it at its own path, and nothing else does.
#include "cli/bundle.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/blob_store.hpp"
#include "blobs/snapshot_of.hpp"
#include "blobs/survey.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

class BundleTest : public testing::Test {
 protected:
  BundleTest() {
    char form[] = "/tmp/muster-bundle-XXXXXX";
    root_ = ::mkdtemp(form);
    fs::create_directories(record());
  }
  ~BundleTest() override { fs::remove_all(root_); }

  [[nodiscard]] std::string path(const std::string& name) const { return root_ + "/" + name; }
  [[nodiscard]] std::string record() const { return path("runs/20261121-212530.123-kufa"); }
  [[nodiscard]] std::string out(const std::string& name) const {
    return path("out" + root_ + "/" + name);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }

  // As CodeSnapshot does it.
  BundledCode code(const std::string& name) const {
    blobs::BlobStore store(blobs::blobs_of(path("runs")));
    const auto hold = store.hold();
    const auto survey = blobs::survey(path(name));
    const auto manifest = blobs::keep_all(store, survey->manifest, path(name));
    return {path(name), *manifest};
  }

  void round_trip(const BundleContents& contents) const {
    const auto bundle = make_bundle(contents, record());
    ASSERT_TRUE(bundle) << bundle.error().what;
    EXPECT_GT(bundle->bytes, 0U);
    const auto opened = open_bundle(bundle->file.get(), path("out"));
    ASSERT_TRUE(opened) << opened.error().what;
  }

  std::string root_;
};

TEST_F(BundleTest, HoldsTextsCodeAndData) {
  write("job/src/train.py", "print(1)\n");
  write("job/src/run.sh", "exit 0\n");
  fs::permissions(path("job/src/run.sh"), fs::perms(0755));
  write("data/a/b.txt", "deep\n");
  round_trip({{{path("job/job.yml"), "command: x\n"}}, {code("job/src")}, {path("data")}});
  EXPECT_EQ(store::read_file(out("job/job.yml")), "command: x\n");
  EXPECT_EQ(store::read_file(out("job/src/train.py")), "print(1)\n");
  EXPECT_EQ(store::read_file(out("data/a/b.txt")), "deep\n");
  EXPECT_EQ(::access(out("job/src/run.sh").c_str(), X_OK), 0);
}

TEST_F(BundleTest, HoldsASingleFile) {
  write("data/one.bin", "1");
  write("data/two.bin", "2");
  round_trip({{}, {}, {path("data/one.bin")}});
  EXPECT_EQ(store::read_file(out("data/one.bin")), "1");
  EXPECT_FALSE(fs::exists(out("data/two.bin")));
}

// The job file within the code's folder: as it was read, not as it is.
TEST_F(BundleTest, TakesATextAsItWasRead) {
  write("job/job.yml", "new\n");
  round_trip({{{path("job/job.yml"), "old\n"}}, {code("job")}, {}});
  EXPECT_EQ(store::read_file(out("job/job.yml")), "old\n");
}

TEST_F(BundleTest, NormalisesPaths) {
  round_trip({{{path("job/../muster.yml"), "targets: {}\n"}}, {}, {}});
  EXPECT_EQ(store::read_file(out("muster.yml")), "targets: {}\n");
}

TEST_F(BundleTest, LeavesNothingBehind) {
  round_trip({{{path("job.yml"), "x"}}, {}, {}});
  EXPECT_FALSE(fs::exists(record() + "/.travel/bundle"));
  for (const auto& entry : fs::directory_iterator(root_)) {
    EXPECT_EQ(entry.path().filename().string().find(".new-"), std::string::npos);
  }
}

TEST_F(BundleTest, SaysWhatIsNotThere) {
  const auto bundle = make_bundle({{}, {}, {path("nothing")}}, record());
  EXPECT_FALSE(bundle);
}

TEST_F(BundleTest, TakesNothingThatIsNone) {
  write("file", "not a parcel");
  const int file = ::open(path("file").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(open_bundle(file, path("out")));
  ::close(file);
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace muster::cli
