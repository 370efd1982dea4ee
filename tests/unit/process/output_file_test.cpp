// Output files are emptied, unless this process prints to them.
#include "process/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "process/own_streams.hpp"
#include "process/write_all.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

// While it lives, `stream` of this process goes on at the end of a file.
class PrintedTo {
 public:
  PrintedTo(int stream, const std::string& path) : stream_(stream), before_(::dup(stream)) {
    std::fflush(nullptr);
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ::lseek(file.get(), 0, SEEK_END);
    ::dup2(file.get(), stream_);
  }
  ~PrintedTo() { ::dup2(before_.get(), stream_); }
  PrintedTo(const PrintedTo&) = delete;
  PrintedTo& operator=(const PrintedTo&) = delete;

 private:
  int stream_;
  UniqueFd before_;
};

// What an output file of that name leaves in `out`, which a script around prints to.
std::string around(const unit::Folder& folder, int stream, const std::string& name, NamedBy whom) {
  const std::string out = folder.file("out", "", false);
  const PrintedTo printed(stream, out);
  (void)write_all(stream, "before\n");
  {
    const UniqueFd file = open_output(name, whom);
    (void)write_all(file.get(), "output\n");
  }
  (void)write_all(stream, "after\n");
  return folder.read("out");
}

TEST(OutputFile, ThatIsPrintedToKeepsWhatItHas) {
  const unit::Folder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink("out", link);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    const std::string own = "/proc/self/fd/" + std::to_string(stream);
    for (const std::string& name : {own, folder.path() + "/out", link}) {
      const std::string left = around(folder, stream, name, NamedBy::user);
      EXPECT_EQ(left, "before\noutput\nafter\n") << stream << " " << name;
    }
    const std::string left = around(folder, stream, folder.path() + "/out", NamedBy::muster);
    EXPECT_EQ(left, "before\noutput\nafter\n") << stream;
  }
}

TEST(OutputFile, ThatIsPrintedToAndEmptyIsWrittenInTurn) {
  const unit::Folder folder;
  const std::string out = folder.file("out", "", false);
  bool is_known = false;
  {
    const PrintedTo printed(STDOUT_FILENO, out);
    const UniqueFd file = open_output(out, NamedBy::user);
    is_known = is_printed_to(file.get());
    (void)write_all(file.get(), "output\n");
    (void)write_all(STDOUT_FILENO, "after\n");
  }
  EXPECT_TRUE(is_known);
  EXPECT_EQ(folder.read("out"), "output\nafter\n");
}

TEST(OutputFile, OfAnyOtherNameIsEmptied) {
  const unit::Folder folder;
  const std::string out = folder.file("out", "old\n", false);
  const std::string other = folder.file("other", "old\n", false);
  bool is_known = true;
  {
    const PrintedTo printed(STDOUT_FILENO, out);
    const UniqueFd file = open_output(other, NamedBy::user);
    is_known = is_printed_to(file.get());
  }
  EXPECT_FALSE(is_known);
  EXPECT_EQ(folder.read("other"), "");
  EXPECT_EQ(folder.read("out"), "old\n");
}

// A name that leads to a descriptor of this process is told from one that leads to a file.
TEST(OutputFile, NamesADescriptor) {
  const unit::Folder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink("/dev/stdout", link);
  std::filesystem::create_symlink("round", folder.path() + "/round");
  EXPECT_EQ(descriptor_named("/dev/stdin"), 0);
  EXPECT_EQ(descriptor_named("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_named("/dev/fd/2"), 2);
  EXPECT_EQ(descriptor_named("/proc/self/../self/fd/71"), 71);
  EXPECT_EQ(descriptor_named(link), 1);
  EXPECT_EQ(descriptor_named("/dev/fd/x"), std::nullopt);
  EXPECT_EQ(descriptor_named("/dev/null"), std::nullopt);
  EXPECT_EQ(descriptor_named(folder.path() + "/round"), std::nullopt);
  EXPECT_EQ(descriptor_named(folder.path() + "/none"), std::nullopt);
  EXPECT_EQ(descriptor_named(""), std::nullopt);
}

int error_of_opening(const std::string& name) {
  errno = 0;
  return open_output(name, NamedBy::user) ? 0 : errno;
}

// As of /dev/stdout after >&-, where this process has put /dev/null: what is written is lost.
TEST(OutputFile, OfAStreamThatCannotBeWrittenToIsRefused) {
  const UniqueFd before(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  const UniqueFd own(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::fflush(nullptr);
  {
    const UniqueFd reading(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(reading.get(), STDOUT_FILENO);
  }
  const int of_stdout = error_of_opening("/dev/stdout");
  ::dup2(before.get(), STDOUT_FILENO);
  EXPECT_EQ(of_stdout, EBADF);
  EXPECT_EQ(error_of_opening("/dev/fd/" + std::to_string(own.get())), EBADF) << "not the caller's";
  const int inherited = ::dup(own.get());
  EXPECT_EQ(error_of_opening("/dev/fd/" + std::to_string(inherited)), 0);
  ::close(inherited);
  EXPECT_EQ(error_of_opening("/dev/fd/" + std::to_string(inherited)), EBADF) << "closed";
}

TEST(OutputFile, OnlyAPlainOneThatIsNotPrintedToMayBeReplaced) {
  const unit::Folder folder;
  const std::string out = folder.file("out", "", false);
  const std::string plain = folder.file("plain", "old\n", false);
  ASSERT_EQ(::symlink("plain", (folder.path() + "/link").c_str()), 0);
  bool is_printed = true;
  {
    const PrintedTo printed(STDOUT_FILENO, out);
    is_printed = !may_be_replaced(out);
  }
  EXPECT_TRUE(is_printed);
  EXPECT_TRUE(may_be_replaced(plain));
  EXPECT_TRUE(may_be_replaced(folder.path() + "/none"));
  EXPECT_FALSE(may_be_replaced(folder.path() + "/link"));
  EXPECT_FALSE(may_be_replaced("/dev/null"));
  const int closed = ::dup(STDOUT_FILENO);
  ::close(closed);
  EXPECT_FALSE(may_be_replaced("/dev/fd/" + std::to_string(closed))) << "nobody's";
}

TEST(OutputFile, HintsFitTheirTrouble) {
  EXPECT_TRUE(output_hint(EBADF).starts_with("is that stream open?"));
  EXPECT_EQ(output_hint(EACCES), "name a folder in which you may create files");
  EXPECT_EQ(output_hint(ENAMETOOLONG), "choose a shorter name");
  EXPECT_EQ(output_hint(EIO), "") << "no other folder is known to do better";
}

}  // namespace
}  // namespace muster::process
