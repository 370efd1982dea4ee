// Asks the kernel.
#include "process/ownership.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::process {

bool is_own_socket(const std::string& path) {
  struct stat found {};
  return !path.empty() && ::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) &&
         found.st_uid == ::geteuid();
}

bool is_own_folder(const std::string& path) {
  struct stat found {};
  return !path.empty() && ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string why_others(const std::string& path) {
  if (is_others_link(path)) return "it is a link of another user's";
  struct stat found {};
  const bool is_there = ::stat(path.c_str(), &found) == 0;
  const bool is_fine = !is_there || found.st_uid == ::geteuid() || found.st_uid == 0;
  return is_fine ? "" : "it is another user's";
}

// An earlier step with a umask for groups may have made it.
std::string why_not_own(const std::string& path) {
  if (std::string why = why_others(path); !why.empty()) return why;
  const UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat found {};
  if (!folder || ::fstat(folder.get(), &found) != 0) return "";
  const bool is_mine = found.st_uid == ::geteuid() && found.st_gid == ::getegid();
  const bool is_closed = (found.st_mode & S_IWOTH) == 0 &&
                         ((found.st_mode & S_IWGRP) == 0 ||
                          (is_mine && ::fchmod(folder.get(), found.st_mode & 07755) == 0));
  return is_closed ? "" : "others may write to it";
}

bool is_others_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode) && is_others_place(path);
}

// As the kernel judges links in /tmp (fs.protected_symlinks): whom the folder belongs to may put
// anything there, as when a group keeps its records on two disks.
bool is_others_place(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return false;
  if (found.st_uid == ::geteuid() || found.st_uid == 0) return false;
  struct stat above {};
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return ::stat(folder.empty() ? "." : folder.c_str(), &above) != 0 || above.st_uid != found.st_uid;
}

bool is_own_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace muster::process
