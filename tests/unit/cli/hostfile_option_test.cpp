// --hostfile: files as they lie on a disk, good and bad.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/read_file.hpp"
#include "front/run/front.hpp"

namespace muster::cli {
namespace {

class HostfileOption : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "muster-hostfile-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) {
    const std::string path = folder_ + "/hosts";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  base::Result<front::Reading> read(const std::string& path) {
    return front::read_run({.called = "run",
                            .words = {"--hostfile", path, "true"},
                            .current_folder = folder_,
                            .read_file = read_input_file});
  }

  void expect_bad(const std::string& path, const std::string& what) {
    const auto words = read(path);
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().fault, base::Fault::bad_file);
    EXPECT_EQ(words.error().what, what);
    EXPECT_EQ(words.error().place.source, path);
    EXPECT_FALSE(words.error().hint.empty());
  }

  std::string folder_;
};

TEST_F(HostfileOption, IsRead) {
  const std::string path = file("DEVICE1 slots=8\n192.168.0.1 slots=8\n");
  const auto words = read(path);
  ASSERT_TRUE(words) << to_string(words.error());
  const model::JobSpec& job = words->request->spec;
  EXPECT_EQ(job.source, model::kHostsInFile);
  EXPECT_EQ(job.source_name, path);
  ASSERT_EQ(job.hosts.size(), 2U);
  EXPECT_EQ(job.hosts[1].name, "192.168.0.1");
  EXPECT_EQ(job.hosts[1].slots, 8U);
  EXPECT_EQ(job.hosts[1].place, (base::Place{path, 2, 1}));
}

TEST_F(HostfileOption, NamesTheLineOfAComplaint) {
  const std::string path = file("a\nb slots=-1\n");
  EXPECT_EQ(to_string(read(path).error()),
            path +
                ":2:9: slots must be a whole number from 0 to 1000000, not '-1'\n  hint: for "
                "example: slots=8");
}

TEST_F(HostfileOption, MayNotBeMissing) {
  expect_bad(folder_ + "/absent", "cannot open the file: No such file or directory");
}

TEST_F(HostfileOption, MayNotBeAFolder) { expect_bad(folder_, "this is a folder, not a file"); }

TEST_F(HostfileOption, MayNotBeEmpty) { expect_bad(file(""), "the file names no host"); }

TEST_F(HostfileOption, MayNotBeBinary) {
  expect_bad(file(std::string("\x7f"
                              "ELF\x02\x01\x01\0",
                              8)),
             "byte 0x7f is not text");
}

TEST_F(HostfileOption, MayNotBeHuge) {
  expect_bad(file(std::string((std::size_t{16} << 20) + 1, '\n')),
             "the file is larger than 16 MiB");
}

}  // namespace
}  // namespace muster::cli
