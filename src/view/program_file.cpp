// Reads the first line of scripts and the headers of ELF files.
#include "view/program_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "view/tail.hpp"

namespace muster::view {
namespace {

using base::Error;
using base::Fault;

constexpr std::string_view kBlanks = " \t";

// Takes the next word off the front.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

// `env NAME`, `env -S NAME ARGUMENT`; other options and settings of variables are not looked into.
std::string sought_by_env(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  if (word == "-S") word = take_word(arguments);
  const bool plain = !word.starts_with('-') && word.find_first_of("=/'\"$\\") == word.npos;
  return plain ? std::string(word) : std::string();
}

// Numbers of ELF files lie in the order of the file's own machine.
class ElfBytes {
 public:
  ElfBytes(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  // 0 beyond the end.
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = big_endian_ ? i : size - 1 - i;
      value = value << 8U | static_cast<unsigned char>(bytes_[at + from]);
    }
    return value;
  }

  // Up to its NUL.
  [[nodiscard]] std::string text(std::uint64_t at, std::uint64_t size) const {
    if (at >= bytes_.size() || size > bytes_.size() - at) return {};
    const std::string_view part = bytes_.substr(at, size);
    return std::string(part.substr(0, part.find('\0')));
  }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

// Where the fields lie that are asked for, in files of 64 and of 32 bits.
struct ElfLayout {
  std::size_t word;            // bytes of an offset or a size
  std::size_t headers_at;      // e_phoff
  std::size_t header_size_at;  // e_phentsize; e_phnum follows
  std::size_t offset_in;       // p_offset, in a program header
  std::size_t size_in;         // p_filesz
};
constexpr ElfLayout kElf64{8, 32, 54, 8, 32};
constexpr ElfLayout kElf32{4, 28, 42, 4, 16};

std::string loader_of(const ElfBytes& bytes, const ElfLayout& layout) {
  constexpr std::uint64_t kInterpreter = 3;  // PT_INTERP
  const std::uint64_t first = bytes.number(layout.headers_at, layout.word);
  const std::uint64_t size = bytes.number(layout.header_size_at, 2);
  const std::uint64_t count = bytes.number(layout.header_size_at + 2, 2);
  for (std::uint64_t i = 0; i < count && first < kProgramHeadBytes; ++i) {
    const std::size_t at = first + i * size;
    if (bytes.number(at, 4) != kInterpreter) continue;
    return bytes.text(bytes.number(at + layout.offset_in, layout.word),
                      bytes.number(at + layout.size_in, layout.word));
  }
  return {};
}

// Those that clusters are made of (elf.h).
struct MachineRow {
  std::uint16_t number;
  std::string_view name;
};
constexpr std::array kMachines{MachineRow{3, "i386"},    MachineRow{8, "mips"},
                               MachineRow{20, "ppc"},    MachineRow{21, "ppc64"},
                               MachineRow{22, "s390x"},  MachineRow{40, "arm"},
                               MachineRow{62, "x86_64"}, MachineRow{183, "aarch64"},
                               MachineRow{243, "riscv"}, MachineRow{258, "loongarch"}};

Error cannot(std::string what, std::string hint) {
  return {Fault::cannot_start, std::move(what), std::move(hint), {}};
}

Error windows_lines(const ProgramFile& program, const Script& script) {
  return cannot(fmt::format("the first line of {}, `{}`, ends with a carriage return: the file has "
                            "the line ends of Windows",
                            program.word, printable(script.line) + "\\r"),
                fmt::format("sed -i 's/\\r$//' {}", program.word));
}

Error no_interpreter(const ProgramFile& program, const Script& script, std::string_view missing,
                     std::string_view where) {
  return cannot(fmt::format("the first line of {}, `{}`, asks for {}, which is not {}",
                            program.word, printable(script.line), missing, where),
                "install it there, change that line, or name the interpreter in the command");
}

Error no_loader(const ProgramFile& program, const Elf& elf) {
  return cannot(fmt::format("{} needs {}, which is not there", program.word, printable(elf.loader)),
                "it was built for another system: build it there, or on the oldest of the hosts");
}

Error not_a_program(const ProgramFile& program, std::string_view words) {
  if (program.first_bytes.empty()) {
    return cannot(program.word + " is empty", "is it the right file, and whole?");
  }
  const auto elf = elf_of(program.first_bytes);
  if (elf && elf->machine != program.host_machine) {
    return cannot(fmt::format("{} is a program for {}, and this host is {}", program.word,
                              machine_name(elf->machine), machine_name(program.host_machine)),
                  "build it for the processor of each host");
  }
  if (elf || script_of(program.first_bytes)) {
    return cannot(fmt::format("{}: {}", program.word, words), "is the file whole?");
  }
  return cannot(
      program.word + " is not a binary program, and has no `#!` line that names one",
      fmt::format("begin it with `#!/bin/sh`, or name the interpreter: sh {}", program.word));
}

}  // namespace

Meant meant_by(std::string_view word) {
  if (word.find_first_of(kBlanks) != word.npos) return Meant::line;
  if (word.ends_with(".py")) return Meant::python;
  if (word.ends_with(".sh")) return Meant::shell;
  const bool is_yaml = word.ends_with(".yml") || word.ends_with(".yaml");
  // As SDK v1 saves run configurations: the folder tells.
  const std::string_view folder =
      word.substr(0, word.rfind('/') == word.npos ? 0 : word.rfind('/'));
  const bool is_saved = word.ends_with(".runconfig") || folder.ends_with(".azureml");
  return is_yaml || is_saved ? Meant::job_file : Meant::program;
}

std::optional<Script> script_of(std::string_view first_bytes) {
  if (!first_bytes.starts_with("#!")) return std::nullopt;
  Script script;
  script.line = first_bytes.substr(0, first_bytes.find_first_of(std::string_view("\n\0", 2)));
  std::string_view rest = std::string_view(script.line).substr(2);
  script.interpreter = take_word(rest);
  if (script.interpreter.ends_with("/env")) script.sought = sought_by_env(rest);
  return script;
}

std::optional<Elf> elf_of(std::string_view first_bytes) {
  constexpr char k64 = 2;   // ELFCLASS64
  constexpr char kBig = 2;  // ELFDATA2MSB
  if (!first_bytes.starts_with("\x7f"
                               "ELF") ||
      first_bytes.size() < 52)
    return std::nullopt;
  const ElfBytes bytes(first_bytes, first_bytes[5] == kBig);
  return Elf{static_cast<std::uint16_t>(bytes.number(18, 2)),
             loader_of(bytes, first_bytes[4] == k64 ? kElf64 : kElf32)};
}

std::string machine_name(std::uint16_t machine) {
  const auto* row = std::ranges::find(kMachines, machine, &MachineRow::number);
  return row == kMachines.end() ? fmt::format("machine {}", machine) : std::string(row->name);
}

std::optional<base::Error> script_fault(const ProgramFile& program) {
  const auto script = script_of(program.first_bytes);
  // A relative one is looked for in the rank's folder: rare, and not looked into.
  if (!script || !script->interpreter.starts_with('/')) return std::nullopt;
  const bool found = program.has_file(script->interpreter);
  const bool sought = found && !script->sought.empty() && !program.on_path(script->sought);
  if (found && !sought) return std::nullopt;
  const std::string& missing = found ? script->sought : script->interpreter;
  if (missing.ends_with('\r')) return windows_lines(program, *script);
  return no_interpreter(program, *script, missing, found ? "on PATH there" : "there");
}

base::Error exec_fault(const ProgramFile& program, int error, std::string_view words) {
  if (auto fault = script_fault(program)) return *std::move(fault);
  const auto elf = elf_of(program.first_bytes);
  if (error == ENOENT && elf && !elf->loader.empty() && !program.has_file(elf->loader)) {
    return no_loader(program, *elf);
  }
  if (error == ENOEXEC) return not_a_program(program, words);
  if (error == EACCES && program.no_exec) {
    return cannot(program.word + " lies on a file system that is mounted noexec",
                  "copy it to another folder, or name an interpreter in the command");
  }
  if (error == E2BIG) {
    return cannot("its arguments and environment are too long for the kernel",
                  "`getconf ARG_MAX` tells how long they may be; one word may have 128 KiB");
  }
  if (error == ETXTBSY) {
    return cannot(program.word + " is open for writing", "is it still being copied or built?");
  }
  return cannot(fmt::format("{}: {}", program.word, words), {});
}

}  // namespace muster::view
