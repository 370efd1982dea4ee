// The file in memory in which a launcher in a rank says how it has ended. MUSTER_REPORT_FILE names
// it: "/proc/PID/fd/N:INODE". Ranks hand that variable on, so that it may outlive the run: by then
// the same path is somebody else's file, which the inode and the file's kind tell.
#pragma once

#include <string>

#include "process/unique_fd.hpp"

namespace muster::host {

inline constexpr const char* kReportFile = "MUSTER_REPORT_FILE";

// Empty where the kernel has no room for it.
[[nodiscard]] process::UniqueFd make_report_file();

// Where other processes find a file that this one has open.
[[nodiscard]] std::string path_of(const process::UniqueFd& file);

// What the variable says of a file that make_report_file() has made; empty: it cannot be named.
[[nodiscard]] std::string name_of_report(const process::UniqueFd& file);

// That file, open for writing, as it was left. Nothing: the name is of no such file of this user.
[[nodiscard]] process::UniqueFd open_report_file(const std::string& name);

}  // namespace muster::host
