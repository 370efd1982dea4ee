// What is read of which kind of file, and what is not waited for.
#include "cli/read_file.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "cli/asked_files.hpp"
#include "process/unique_fd.hpp"
#include "unit/folder.hpp"

namespace muster::cli::read_file_test {
namespace {

constexpr std::size_t kMost = 1000;

class ReadFile : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  // A link, so that what it leads to lies elsewhere.
  std::string link_to(const std::string& target) const {
    EXPECT_EQ(::symlink(target.c_str(), path("link").c_str()), 0);
    return path("link");
  }
  unit::Folder folder_;
};

std::string why_not(const base::Result<std::string>& read) {
  return read ? "read: " + *read : read.error().what;
}

TEST_F(ReadFile, OfAFileIsItsTextUpToABound) {
  const std::string file = folder_.file("file", "text\n", false);
  for (auto* const read : {read_input_file, read_found_file}) {
    EXPECT_EQ(read(file, kMost), "text\n");
    ASSERT_TRUE(read(file, 2));
    EXPECT_GT(read(file, 2)->size(), 2U) << "that it is too large can be told";
    EXPECT_EQ(read("/dev/null", kMost), "");
    EXPECT_EQ(why_not(read(path("none"), kMost)),
              "cannot open the file: No such file or directory");
    EXPECT_EQ(why_not(read(folder_.path(), kMost)), "this is a folder, not a file");
    EXPECT_EQ(read(folder_.path(), kMost).error().place.source, folder_.path());
  }
  EXPECT_EQ(read_found_file(link_to(file), kMost), "text\n");
}

// A reader that waited would never return here.
TEST_F(ReadFile, ThatWasFoundIsNeitherFifoNorDevice) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(why_not(read_found_file(path("fifo"), kMost)), "this is a fifo, not a file");
  EXPECT_EQ(why_not(read_found_file(link_to(path("fifo")), kMost)), "this is a fifo, not a file");
  EXPECT_EQ(why_not(read_found_file("/dev/zero", kMost)), "this is a device, not a file");
  const process::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path("socket").c_str(), path("socket").size() + 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto refused = read_found_file(path("socket"), kMost);
  EXPECT_EQ(why_not(refused), "this is a socket, not a file");
  EXPECT_FALSE(refused.error().hint.empty());
}

TEST_F(ReadFile, ThatWasNamedMayBeAFifoWhoseWriterComesLater) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path("fifo")) << "one\n" << std::flush << "two\n"; });
  EXPECT_EQ(read_input_file(path("fifo"), kMost), "one\ntwo\n");
  writer.join();
}

TEST_F(ReadFile, IsRememberedAsItWasRead) {
  const std::string file = folder_.file("file", "text\n", false);
  model::TypedCommand remembered;
  const front::ReadFile read = remembering(read_found_file, remembered);
  EXPECT_TRUE(read(file, kMost));
  EXPECT_FALSE(read(path("none"), kMost));
  ASSERT_EQ(remembered.files.size(), 1U);
  std::filesystem::remove(file);
  EXPECT_EQ(read_remembered(remembered)(file, kMost), "text\n");
  EXPECT_TRUE(has_remembered(remembered)(file));
  EXPECT_FALSE(has_remembered(remembered)(path("none")));
  const auto either = one_or_other(read_remembered(remembered), read_found_file);
  EXPECT_EQ(either(file, kMost), "text\n");
  EXPECT_EQ(either(folder_.file("other", "now", false), kMost), "now");
}

}  // namespace
}  // namespace muster::cli::read_file_test
