// Makes a record's folder under a hidden name, and shows it when all is there.
#include "store/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "process/heard_meanwhile.hpp"
#include "store/files.hpp"
#include "store/lock.hpp"
#include "store/taken_over.hpp"

namespace muster::store {
namespace {

constexpr std::string_view kHint = "MUSTER_RECORDS names another folder for records";

bool is_lack_of_room(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

tl::unexpected<base::Error> cannot_make(const std::string& folder, int error) {
  return base::fail(is_lack_of_room(error) ? base::Fault::output : base::Fault::cannot_start,
                    std::string(kHint), "cannot keep a record in {}: {}", folder,
                    std::strerror(error));
}

// Earlier versions let others list it. A folder that MUSTER_RECORDS names may be more than ours,
// and stays as its owner made it.
void close_to_others(const std::string& records) {
  struct stat info {};
  if (!records.ends_with("/muster/runs") || ::lstat(records.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode) && (info.st_mode & 0077) != 0) ::chmod(records.c_str(), 0700);
}

bool make_folders_below(const std::string& folder, const std::vector<std::string>& paths) {
  return std::ranges::all_of(paths, [&](const std::string& path) {
    std::error_code wrong;
    const std::string whole = folder + "/" + path;
    return make_closed_folder(whole) || std::filesystem::is_directory(whole, wrong);
  });
}

std::string hidden(const std::string& folder) {
  const std::size_t name = folder.rfind('/') + 1;
  return folder.substr(0, name) + ".new-" + folder.substr(name);
}

process::UniqueFd locked_events(const std::string& folder, std::string_view lines) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
  process::UniqueFd file(::open((folder + "/events.jsonl").c_str(), kFlags, 0600));
  if (!file || !take_lock(file.get()) || !write_all(file.get(), lines)) return {};
  return file;
}

bool show(const std::string& fresh, const std::string& folder, const FirstFiles& files) {
  const bool is_there = files.takes_over && ::access(folder.c_str(), F_OK) == 0;
  if (is_there) return take_record_over(fresh, folder);
  if (files.early.empty()) return ::rename(fresh.c_str(), folder.c_str()) == 0;
  // At once, unless a rank has made the folder, or the file system (NFS) cannot tell.
  return ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) == 0 ||
         add_to_early(fresh, folder, files.early);
}

}  // namespace

bool reserve_record(const std::string& folder) {
  const std::string fresh = hidden(folder);
  struct statvfs room {};
  if (!make_closed_folder(fresh)) return false;
  if (::statvfs(fresh.c_str(), &room) == 0 && room.f_bavail > 0) return true;
  (void)::rmdir(fresh.c_str());
  return false;
}

bool is_being_made(const std::string& folder) {
  return ::access(hidden(folder).c_str(), F_OK) == 0;
}

base::Result<RecordWriter> RecordWriter::create(const std::string& folder,
                                                const FirstFiles& files) {
  const std::string fresh = hidden(folder);
  const process::UniqueFd turn = files.takes_over ? wait_for_turn(folder) : process::UniqueFd();
  // By a head that was killed just here; its job begins again.
  if (files.takes_over) process::remove_meanwhile(fresh);
  const bool is_reserved = !files.early.empty() && is_being_made(folder);
  if (!is_reserved && !make_closed_folder(fresh)) return cannot_make(folder, errno);
  close_to_others(folder.substr(0, folder.rfind('/')));
  process::UniqueFd events = locked_events(fresh, files.events);
  const auto take_back = [&] {
    const int error = errno;
    events.reset();  // NFS keeps files that are open
    process::remove_meanwhile(fresh);
    return cannot_make(folder, error);
  };
  const bool made = events && write_file(fresh + "/spec.json", files.spec) &&
                    (files.plan.empty() || write_file(fresh + "/plan.json", files.plan)) &&
                    make_folders_below(fresh, files.folders);
  if (!made) return take_back();
  if (files.fill) {
    if (auto filled = files.fill(fresh); !filled) {
      process::remove_meanwhile(fresh);
      return tl::unexpected(std::move(filled.error()));
    }
  }
  if (!show(fresh, folder, files)) return take_back();
  return RecordWriter(folder, std::move(events));
}

base::Result<void> RecordWriter::plan_anew(std::string_view plan) {
  if (replace_file(folder_ + "/plan.json", plan)) return {};
  return base::fail(base::Fault::bad_file, "", "cannot write the plan in {}: {}", folder_,
                    std::strerror(errno));
}

void RecordWriter::add(std::string_view lines) {
  if (!write_all(events_.get(), lines) && missing_ == 0) missing_ = errno;
}

base::Result<void> RecordWriter::complete() const {
  if (missing_ == 0) return {};
  return base::fail(base::Fault::output, "", "cannot write all events in {}: {}", folder_,
                    std::strerror(missing_));
}

base::Result<void> RecordWriter::finish(std::string_view report_json,
                                        std::string_view report_text) {
  const bool told = report_text.empty() || replace_file(folder_ + "/report.txt", report_text);
  if (!replace_file(folder_ + "/report.json", report_json) || !told) {
    return base::fail(base::Fault::output, "", "cannot write the report in {}: {}", folder_,
                      std::strerror(errno));
  }
  return complete();
}

}  // namespace muster::store
