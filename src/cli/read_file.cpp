// Opens, looks at what that is, and reads it.
#include "cli/read_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>
#include <unistd.h>

#include "blobs/survey.hpp"
#include "process/unique_fd.hpp"

namespace muster::cli {
namespace {

constexpr base::Fault kFault = base::Fault::bad_file;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NOCTTY;

std::string open_hint(int number) {
  if (number == ENOENT) return "is the name right? `ls` shows what is here";
  if (number == EACCES) return "make it readable, for example with chmod u+r";
  return "";
}

tl::unexpected<base::Error> cannot_open(const std::string& path, int number) {
  return base::fail_at({path, 0, 0}, kFault, open_hint(number), "cannot open the file: {}",
                       std::generic_category().message(number));
}

tl::unexpected<base::Error> refuse_folder(const std::string& path) {
  return base::fail_at({path, 0, 0}, kFault, "name a file in it", "this is a folder, not a file");
}

base::Result<std::string> all_of(const std::string& path, const process::UniqueFd& file,
                                 std::size_t most) {
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= most) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::fail_at({path, 0, 0}, kFault, "", "cannot read the file to its end");
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool is_null(const struct stat& facts) {
  constexpr unsigned kMajor = 1;  // Linux, Documentation/admin-guide/devices.txt
  constexpr unsigned kMinor = 3;
  return S_ISCHR(facts.st_mode) && facts.st_rdev == makedev(kMajor, kMinor);
}

// What was only found is to be a file; nothing: it is one.
base::Result<void> check_found(const std::string& path, const struct stat& facts) {
  if (S_ISDIR(facts.st_mode)) return refuse_folder(path);
  if (S_ISREG(facts.st_mode) || is_null(facts)) return {};
  return base::fail_at({path, 0, 0}, kFault, "move it, or put a file in its place",
                       "this is {}, not a file", blobs::odd_kind(facts.st_mode));
}

}  // namespace

base::Result<std::string> read_input_file(const std::string& path, std::size_t most) {
  struct stat facts {};
  const std::string name = path == "-" ? "/dev/stdin" : path;
  int opened = -1;
  do {
    opened = ::open(name.c_str(), kToRead);
  } while (opened < 0 && errno == EINTR);
  const process::UniqueFd file(opened);
  if (!file) return cannot_open(path, errno);
  if (::fstat(file.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) return refuse_folder(path);
  return all_of(path, file, most);
}

base::Result<std::string> read_found_file(const std::string& path, std::size_t most) {
  struct stat facts {};
  // To open a device may already do something. What is there may be another thing by then.
  if (::stat(path.c_str(), &facts) != 0) return cannot_open(path, errno);
  if (auto fine = check_found(path, facts); !fine) return tl::unexpected(fine.error());
  const process::UniqueFd file(::open(path.c_str(), kToRead | O_NONBLOCK));
  if (!file || ::fstat(file.get(), &facts) != 0) return cannot_open(path, errno);
  if (auto fine = check_found(path, facts); !fine) return tl::unexpected(fine.error());
  return all_of(path, file, most);
}

}  // namespace muster::cli
