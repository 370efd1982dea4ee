// Asks the kernel.
#include "process/ownership.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

// As the kernel judges links in /tmp (fs.protected_symlinks): whom the folder belongs to may put
// anything there, as when a group keeps its records on two disks.
bool is_others_link(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) return false;
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
