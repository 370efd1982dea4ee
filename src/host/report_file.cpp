// Opens nothing for writing before it is known to be a report file.
#include "host/report_file.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::host {
namespace {

constexpr const char* kNameInMemory = "muster-error-file";

std::string link_to(int file) { return fmt::format("/proc/self/fd/{}", file); }

struct ReportName {
  std::string path;
  std::uint64_t inode = 0;
};

std::optional<ReportName> parted_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (!name.starts_with("/proc/") || colon == std::string_view::npos) return std::nullopt;
  ReportName found{std::string(name.substr(0, colon)), 0};
  const std::string_view digits = name.substr(colon + 1);
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, found.inode);
  if (digits.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return found;
}

bool is_report_file(int file, std::uint64_t inode) {
  struct stat found {};
  if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return false;
  if (found.st_ino != inode || found.st_nlink != 0 || found.st_uid != ::geteuid()) return false;
  std::array<char, 64> text{};
  const ssize_t size = ::readlink(link_to(file).c_str(), text.data(), text.size());
  const std::string_view said(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return said == fmt::format("/memfd:{} (deleted)", kNameInMemory);
}

}  // namespace

process::UniqueFd make_report_file() {
  return process::UniqueFd(::memfd_create(kNameInMemory, MFD_CLOEXEC));
}

std::string path_of(const process::UniqueFd& file) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
}

std::string name_of_report(const process::UniqueFd& file) {
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return {};
  return fmt::format("{}:{}", path_of(file), found.st_ino);
}

process::UniqueFd open_report_file(const std::string& name) {
  const auto said = parted_name(name);
  if (!said) return {};
  // To look at a file so opens no device and waits for no FIFO.
  const process::UniqueFd found(::open(said->path.c_str(), O_PATH | O_CLOEXEC));
  if (!found || !is_report_file(found.get(), said->inode)) return {};
  process::UniqueFd file(::open(link_to(found.get()).c_str(), O_WRONLY | O_CLOEXEC));
  // A file on a disk may bear any name, but has no seals.
  const bool in_memory = file && ::fcntl(file.get(), F_GET_SEALS) >= 0;
  return in_memory ? std::move(file) : process::UniqueFd();
}

}  // namespace muster::host
