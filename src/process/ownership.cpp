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

bool is_others_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode) &&
         found.st_uid != ::geteuid() && found.st_uid != 0;
}

bool is_own_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace muster::process
