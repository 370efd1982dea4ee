// Looks for marks, and asks for the owners of folders only where others can have added anything.
#include "store/owner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/ownership.hpp"
#include "store/folder.hpp"
#include "store/foreign.hpp"

namespace muster::store {
namespace {

// What is not there has no owner.
std::string owner_if_other(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || found.st_uid == ::geteuid()) return {};
  return fmt::format("uid {}", found.st_uid);
}

}  // namespace

std::string other_owner(const std::string& records, const std::string& folder) {
  const std::string below = below_records(records, folder);
  if (std::string owner = foreign_owner(records, below.substr(0, below.find('/')));
      !owner.empty()) {
    return owner;
  }
  if (process::is_own_folder(records)) return {};
  std::string path = folder;
  while (path.size() > records.size() && path.starts_with(records)) {
    if (std::string owner = owner_if_other(path); !owner.empty()) return owner;
    path.resize(path.rfind('/'));
  }
  return {};
}

// Nobody else can have made anything in a folder of all records that is this user's alone.
bool own_below(const std::string& records, std::string_view name) {
  const std::string path = fmt::format("{}/{}", records, name);
  struct stat found {};
  const bool is_there = ::lstat(path.c_str(), &found) == 0;
  return is_there && (process::is_own_folder(records) || process::is_own_folder(path));
}

std::string not_own_below(const std::string& records, std::string_view name) {
  const std::string path = fmt::format("{}/{}", records, name);
  struct stat found {};
  const bool is_there = ::lstat(path.c_str(), &found) == 0;
  return path + (is_there ? " is not a folder of yours alone" : " cannot be made");
}

std::vector<std::string> own_run_names(const std::string& records) {
  return own_among(records, run_names(records));
}

std::vector<std::string> own_among(const std::string& records, std::vector<std::string> names) {
  const std::vector<std::string> foreign = foreign_runs(records);
  std::erase_if(names,
                [&](const std::string& name) { return std::ranges::binary_search(foreign, name); });
  if (process::is_own_folder(records)) return names;
  std::erase_if(names, [&](const std::string& name) {
    return !owner_if_other(records + "/" + name).empty();
  });
  return names;
}

}  // namespace muster::store
