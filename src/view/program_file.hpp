// What the first bytes of a program's file tell about why it cannot be started. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::view {

// So many of them hold a script's first line (the kernel reads 256) and, as linkers lay programs
// out, what is asked of an ELF file.
inline constexpr std::size_t kProgramHeadBytes = 4096;

// A script's first line, "#!/usr/bin/env python3", without the line end.
struct Script {
  std::string line;
  std::string interpreter;  // "/usr/bin/env"; may end with a carriage return
  std::string sought;       // what env shall find on PATH: "python3"; empty: nothing, or not known
};
[[nodiscard]] std::optional<Script> script_of(std::string_view first_bytes);

// What ELF says of a program: elf(5).
struct Elf {
  std::uint16_t machine = 0;  // EM_X86_64 and so on
  std::string loader;         // "/lib64/ld-linux-x86-64.so.2"; empty: static, or not known
};
[[nodiscard]] std::optional<Elf> elf_of(std::string_view first_bytes);

// "x86_64"; "machine 999" for one without a name here.
[[nodiscard]] std::string machine_name(std::uint16_t machine);

// A program that was found, and what its host says of it.
struct ProgramFile {
  std::string word;         // as the user wrote it
  std::string first_bytes;  // at most kProgramHeadBytes
  // Whether there is such a file, and whether such a program is on the rank's PATH.
  std::function<bool(const std::string&)> has_file;
  std::function<bool(const std::string&)> on_path;
  std::uint16_t host_machine = 0;  // as in Elf
  bool no_exec = false;            // its file system is mounted so that nothing is executed
};

// What a word in a program's place is by its name: `line` is several words, in quotes.
enum class Meant : std::uint8_t { program, python, shell, job_file, line };
[[nodiscard]] Meant meant_by(std::string_view word);

// Of a script that nobody could start, since its first line asks for what is not there.
[[nodiscard]] std::optional<base::Error> script_fault(const ProgramFile& program);

// Why exec failed with this errno; `words` are the system's own for it. Does not name the rank.
[[nodiscard]] base::Error exec_fault(const ProgramFile& program, int error, std::string_view words);

}  // namespace muster::view
