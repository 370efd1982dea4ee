// Reads a named input file.
#include "cli/read_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace muster::cli {
namespace {

std::string open_hint(int number) {
  if (number == ENOENT) return "is the name right? `ls` shows what is here";
  if (number == EACCES) return "make it readable, for example with chmod u+r";
  return "";
}

}  // namespace

base::Result<std::string> read_input_file(const std::string& path, std::size_t most) {
  constexpr base::Fault fault = base::Fault::bad_file;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return base::fail_at({path, 0, 0}, fault, "name a file in it", "this is a folder, not a file");
  }
  errno = 0;
  std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  if (!file) {
    const int number = errno;
    return base::fail_at({path, 0, 0}, fault, open_hint(number), "cannot open the file: {}",
                         std::generic_category().message(number));
  }
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= most && file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return base::fail_at({path, 0, 0}, fault, "", "cannot read the file to its end");
  return text;
}

}  // namespace muster::cli
