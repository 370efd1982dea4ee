// Which MPI library a task has loaded, and of which version.
#pragma once

#include <string>
#include <sys/types.h>

namespace muster::probe {

// Of a library's file: "Open MPI 4.1.4", "MPICH 4.2.1", "Intel MPI 2021.18.1"; empty for others.
[[nodiscard]] std::string mpi_library_in(const std::string& path);

// Of the task, or of a process that descends from it, as behind a shell; empty where none of them
// has loaded one that is known. `root` stands before /proc.
[[nodiscard]] std::string mpi_library_of(const std::string& root, pid_t task);

}  // namespace muster::probe
