// Subject: the real head or agent, in a process of its own, and what became of it.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

#include "process/unique_fd.hpp"

namespace muster::talk {

// A folder of this process, gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Subject {
 public:
  // Calls `run` in a child whose stdin, stdout and stderr are `in`, `out` (none: a file) and a
  // file.
  Subject(const Folder& folder, process::UniqueFd in, process::UniqueFd out,
          const std::function<void()>& run);
  ~Subject();  // ends it, and whatever it has left
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Waits for its end and for that of all that it started. Empty, or what was wrong: a sanitizer's
  // complaint, a signal, no end within the time.
  [[nodiscard]] std::string verdict(int seconds);
  // What it and its processes said on stderr, the end of it.
  [[nodiscard]] std::string words() const;

 private:
  [[nodiscard]] std::string end_of_child(int seconds);
  [[nodiscard]] static std::string leftovers(int seconds);
  [[nodiscard]] std::string complaint() const;

  std::string folder_;
  pid_t pid_ = 0;
};

// The processes that sanitizers complain of write to files there: some have no stderr.
void report_below(const std::string& folder);

}  // namespace muster::talk
