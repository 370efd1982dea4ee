// Without a name by O_TMPFILE; a link gives it one, which is then exchanged for the wanted one.
#include "process/fresh_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "process/copy_file.hpp"

namespace muster::process {
namespace {

constexpr std::string_view kNew = ".new-";
constexpr std::size_t kDigits = 12;
constexpr mode_t kOwnMode = 0600;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

UniqueFd made_as(const std::string& name) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return UniqueFd(::open(name.c_str(), kFlags, kOwnMode));
}

UniqueFd made_without_name(const std::string& path) {
  return UniqueFd(::open(folder_of(path).c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, kOwnMode));
}

}  // namespace

std::string fresh_name(const std::string& path) {
  const auto digits = fmt::format("{:08x}{:08x}", ::arc4random(), ::arc4random());
  constexpr std::size_t kLongest = NAME_MAX - kNew.size() - kDigits;
  const std::size_t name = path.rfind('/') + 1;
  const std::string begin = path.substr(0, name + std::min(kLongest, path.size() - name));
  return fmt::format("{}{}{}", begin, kNew, digits.substr(0, kDigits));
}

bool is_fresh_name(std::string_view name) {
  const std::size_t at = name.rfind(kNew);
  if (at == std::string_view::npos) return false;
  const std::string_view digits = name.substr(at + kNew.size());
  return digits.size() == kDigits &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Where it cannot be made the second way, either, that says why.
FreshFile::FreshFile(std::string path) : path_(std::move(path)), file_(made_without_name(path_)) {
  if (file_) return;
  name_ = fresh_name(path_);
  file_ = made_as(name_);
  if (!file_) name_.clear();
}

FreshFile::~FreshFile() {
  const int before = errno;
  if (!name_.empty()) (void)::unlink(name_.c_str());
  errno = before;
}

bool FreshFile::take_place() { return take_place_of(path_); }

bool FreshFile::take_place_of(const std::string& path) {
  if (name_.empty() && !take_name()) return false;
  if (::rename(name_.c_str(), path.c_str()) != 0) return false;
  name_.clear();
  return true;
}

// Some file systems make such files and give none of them a name: then a copy gets it.
bool FreshFile::take_name() {
  const std::string name = fresh_name(path_);
  const std::string file = fmt::format("/proc/self/fd/{}", file_.get());
  if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    name_ = name;
    return true;
  }
  const UniqueFd copy = made_as(name);
  if (!copy) return false;
  name_ = name;
  struct stat facts {};
  return copy_file(file_.get(), copy.get()) && ::fstat(file_.get(), &facts) == 0 &&
         ::fchmod(copy.get(), facts.st_mode) == 0;
}

}  // namespace muster::process
