// Looks for the program the way a shell would, and says what a shell would not.
#include "host/program.hpp"

#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "probe/text_file.hpp"

namespace muster::host {
namespace {

using base::Fault;

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool is_executable(const std::string& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

std::string absolute(const std::string& path, const std::string& workdir) {
  return path.starts_with('/') || workdir.empty() ? path : workdir + "/" + path;
}

// How to start a file that is not a program, judging by its name. Empty if the name does not tell.
std::string hint_for(const std::string& word) {
  switch (view::meant_by(word)) {
    case view::Meant::python:
      return "start it with Python: python3 " + word;
    case view::Meant::shell:
      return "start it with a shell: sh " + word;
    case view::Meant::job_file:
      return "a job file is started with: muster submit " + word;
    case view::Meant::line:
      return "quotes make one word of it; without them: " + word;
    case view::Meant::program:
      return {};
  }
  return {};
}

tl::unexpected<base::Error> not_executable(const std::string& word) {
  std::string hint = hint_for(word);
  if (hint.empty()) hint = "make it executable: chmod +x " + word;
  return base::fail(Fault::cannot_start, std::move(hint), "{} is not executable", word);
}

tl::unexpected<base::Error> no_program(const std::string& what, const std::string& word,
                                       const char* otherwise) {
  const view::Meant meant = view::meant_by(word);
  const bool is_elsewhere = meant == view::Meant::python || meant == view::Meant::shell;
  std::string hint = is_elsewhere ? "" : hint_for(word);
  if (hint.empty()) hint = otherwise;
  return base::fail(Fault::cannot_start, std::move(hint), "no program {}", what);
}

base::Result<std::string> given_path(const std::string& word, const std::string& workdir) {
  const std::string path = absolute(word, workdir);
  if (is_executable(path)) return path;
  if (is_folder(path)) {
    return base::fail(Fault::cannot_start, "name a program in it", "{} is a folder, no program",
                      word);
  }
  if (is_file(path)) return not_executable(word);
  return no_program(path, word, "is the path right, and the same on every host?");
}

base::Result<std::string> looked_up(const std::string& word, const std::string& workdir,
                                    std::string_view path) {
  while (true) {
    const std::size_t colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    const std::string candidate = absolute((folder.empty() ? "." : folder) + "/" + word, workdir);
    if (is_executable(candidate)) return candidate;
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  const std::string here = absolute(word, workdir);
  if (is_executable(here)) {
    return base::fail(Fault::cannot_start, "it lies in the working folder: type ./" + word,
                      "no program {} on PATH", word);
  }
  if (is_file(here)) return not_executable(word);
  return no_program(word + " on PATH", word, "is it installed there, and is its folder on PATH?");
}

}  // namespace

base::Result<void> check_workdir(const std::string& workdir, bool of_job_file) {
  if (workdir.empty()) return {};
  if (!is_folder(workdir)) {
    const char* hint = of_job_file
                           ? "code: must be on every host of the job: copy the folder there, under "
                             "the same path, or use a shared one"
                           : "the working folder (code: of a job file) must be on every host: copy "
                             "it there, use a shared one, or name another with --workdir";
    return base::fail(Fault::cannot_start, hint, "no folder {}", workdir);
  }
  if (::access(workdir.c_str(), X_OK) != 0) {
    return base::fail(
        Fault::cannot_start,
        of_job_file ? "let it be entered there: chmod +x" : "name another one with --workdir",
        "the folder {} may not be entered", workdir);
  }
  return {};
}

base::Result<std::string> find_program(const std::string& word, const std::string& workdir,
                                       const std::string& path) {
  if (word.find('/') != std::string::npos) return given_path(word, workdir);
  return looked_up(word, workdir, path);
}

std::string sought_on_path(const std::string& word, const std::string& program) {
  const auto script = view::script_of(probe::first_bytes(program, view::kProgramHeadBytes));
  const std::string& sought = script && !script->sought.empty() ? script->sought : word;
  return sought.find('/') == sought.npos ? sought : std::string();
}

view::ProgramFile program_file(const std::string& word, const std::string& program,
                               const std::string& workdir, const std::string& path) {
  view::ProgramFile file;
  file.word = word;
  file.first_bytes = probe::first_bytes(program, view::kProgramHeadBytes);
  file.has_file = [](const std::string& name) { return ::access(name.c_str(), F_OK) == 0; };
  file.on_path = [workdir, path](const std::string& name) {
    return find_program(name, workdir, path).has_value();
  };
  const auto own = view::elf_of(probe::first_bytes("/proc/self/exe", view::kProgramHeadBytes));
  if (own) file.host_machine = own->machine;
  struct statvfs system {};
  if (::statvfs(program.c_str(), &system) == 0) file.no_exec = (system.f_flag & ST_NOEXEC) != 0;
  return file;
}

}  // namespace muster::host
