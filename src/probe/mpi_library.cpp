// Reads the versions where the libraries keep them, without loading them: Open MPI exports
// ompi_version_string; MPICH has its version behind its release date, and Intel MPI behind the
// words that MPI_Get_library_version begins with, all among the read-only data.
#include "probe/mpi_library.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "probe/text_file.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {
namespace {

constexpr std::size_t kSectionMax = 16u << 20;  // MPICH's read-only data are 2 MB
constexpr std::size_t kProcessesMax = 64;       // of a task

// The sections of a file for 64 bits. Where a process has mapped one, a fifo may lie by now.
class Elf {
 public:
  explicit Elf(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    const std::string head = bytes(0, sizeof(Elf64_Ehdr));
    if (head.size() < sizeof(Elf64_Ehdr) || !head.starts_with(ELFMAG)) return;
    Elf64_Ehdr header{};
    std::memcpy(&header, head.data(), sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64) return;
    sections_ = entries<Elf64_Shdr>(bytes(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)));
    if (header.e_shstrndx < sections_.size()) names_ = content(sections_[header.e_shstrndx]);
  }

  [[nodiscard]] const Elf64_Shdr* section(std::string_view name) const {
    for (const Elf64_Shdr& one : sections_) {
      if (text_at(names_, one.sh_name) == name) return &one;
    }
    return nullptr;
  }
  [[nodiscard]] std::string content(std::string_view name) const {
    const Elf64_Shdr* found = section(name);
    return found == nullptr ? "" : content(*found);
  }
  [[nodiscard]] std::optional<std::uint64_t> address(std::string_view symbol) const {
    const std::string names = content(".dynstr");
    for (const Elf64_Sym& one : entries<Elf64_Sym>(content(".dynsym"))) {
      if (one.st_value != 0 && text_at(names, one.st_name) == symbol) return one.st_value;
    }
    return std::nullopt;
  }
  // Up to the zero that ends it.
  [[nodiscard]] static std::string_view text_at(const std::string& bytes, std::uint64_t at) {
    return at < bytes.size() ? std::string_view(bytes.c_str() + at) : std::string_view();
  }

 private:
  template <class Entry>
  [[nodiscard]] static std::vector<Entry> entries(const std::string& bytes) {
    std::vector<Entry> made(bytes.size() / sizeof(Entry));
    if (!made.empty()) std::memcpy(made.data(), bytes.data(), made.size() * sizeof(Entry));
    return made;
  }
  [[nodiscard]] std::string content(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? "" : bytes(section.sh_offset, section.sh_size);
  }
  [[nodiscard]] std::string bytes(std::uint64_t at, std::uint64_t size) const {
    if (!file_ || size > kSectionMax) return {};
    std::string read(size, '\0');
    const ssize_t got = ::pread(file_.get(), read.data(), size, static_cast<off_t>(at));
    return got == static_cast<ssize_t>(size) ? read : "";
  }

  process::UniqueFd file_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
};

std::string open_mpi_version(const Elf& elf, const std::string& data) {
  const Elf64_Shdr* section = elf.section(".rodata");
  const auto at = elf.address("ompi_version_string");
  if (section == nullptr || !at || *at < section->sh_addr) return {};
  return std::string(Elf::text_at(data, *at - section->sh_addr));
}

// The first text behind the one that begins there.
std::string next_text(const std::string& data, std::size_t at) {
  const std::size_t end = data.find('\0', at);
  const std::size_t next = data.find_first_not_of('\0', end);
  return std::string(Elf::text_at(data, std::min(next, data.size())));
}

bool is_version(const std::string& text) {
  static const std::regex form(R"(\d+\.\d+(\.\d+)?[a-z0-9]*)");
  return std::regex_match(text, form);
}

// "Wed Apr 17 15:30:02 CDT 2024", as date(1) writes it, and then the version.
std::string mpich_version(const std::string& data) {
  static const std::regex date(R"([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} [A-Z]+ 20\d\d)");
  constexpr std::size_t kDateMax = 40;
  for (std::size_t at = data.find(" 20"); at != std::string::npos; at = data.find(" 20", at + 1)) {
    const std::size_t start = data.rfind('\0', at) + 1;
    if (at - start > kDateMax || !std::regex_match(data.c_str() + start, date)) continue;
    if (std::string version = next_text(data, start); is_version(version)) return version;
  }
  return {};
}

std::string named(std::string_view name, const std::string& version) {
  return is_version(version) ? fmt::format("{} {}", name, version) : "";
}

bool is_mpi(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libmpi.so") || name.starts_with("libmpich.so");
}

std::string loaded_by(const std::string& folder) {
  std::istringstream maps(read_text(folder + "/maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos || !is_mpi(line)) continue;
    return mpi_library_in(folder + "/root" + line.substr(slash));
  }
  return {};
}

}  // namespace

std::string mpi_library_in(const std::string& path) {
  const Elf elf(path);
  const std::string data = elf.content(".rodata");
  const std::size_t intel = data.find("Intel(R) MPI Library %s for ");
  if (intel != std::string::npos) return named("Intel MPI", next_text(data, intel));
  if (data.find("MPICH Version:") != std::string::npos) return named("MPICH", mpich_version(data));
  return named("Open MPI", open_mpi_version(elf, data));
}

std::string mpi_library_of(const std::string& root, pid_t task) {
  std::vector<pid_t> processes{task};
  for (std::size_t i = 0; i < processes.size() && i < kProcessesMax; ++i) {
    const std::string folder = fmt::format("{}/proc/{}", root, processes[i]);
    if (std::string library = loaded_by(folder); !library.empty()) return library;
    std::istringstream children(
        read_text(fmt::format("{}/task/{}/children", folder, processes[i])));
    for (pid_t child = 0; children >> child;) processes.push_back(child);
  }
  return {};
}

}  // namespace muster::probe
